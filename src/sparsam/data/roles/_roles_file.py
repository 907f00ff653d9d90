"""The roles file: what a user declares of each attribute, as TOML."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from sparsam._checks import suggestion
from sparsam._documents import convert_part, parse_toml, read_bytes
from sparsam._errors import DataError, DocumentError
from sparsam.data._domain import CategoricalDomain, Category, NumericDomain
from sparsam.data.source._format import FileFormat

if TYPE_CHECKING:
    from sparsam.data.roles._roles import Roles

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_LISTED = ("quasi_identifiers", "sensitive", "identifiers", "ignore", "missing_values")


class _Roles(msgspec.Struct, forbid_unknown_fields=True):
    target: str | None = None
    personal: str | tuple[str, ...] = "categorical"
    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    missing_values: tuple[str, ...] = ()
    drop_missing_target: bool = False
    targets: tuple[str, ...] = ()


class _Format(msgspec.Struct, forbid_unknown_fields=True):
    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    date_order: Literal["day/month/year", "month/day/year"] | None = None


class _Attribute(msgspec.Struct, forbid_unknown_fields=True):
    kind: Literal["numeric", "categorical", "ordered", "date", "time"] | None = None
    low: Any = None  # a number, a date or a time of day, also as a text
    high: Any = None
    integer: bool = False
    categories: tuple[Category, ...] | None = None
    age_on: datetime.date | None = None
    weight: float | None = None
    unit: str | None = None
    missing: tuple[str, ...] = ()
    special: str | None = None


_ENDS = (int, float, str, datetime.date, datetime.time)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    roles: _Roles = msgspec.field(default_factory=_Roles)
    file: _Format = msgspec.field(default_factory=_Format)
    attributes: dict[str, _Attribute] = msgspec.field(default_factory=dict)


def decode(path: Path) -> dict[str, Any]:
    """Read a TOML file into the arguments of `Roles`."""
    try:
        text = read_bytes(path)
    except FileNotFoundError:
        raise DocumentError(f"The roles file must exist. Found none at {path}.") from None
    return arguments_of(parse_toml(text, "A roles file (TOML)"))


def arguments_of(raw: Mapping[str, Any], path: str = "$") -> dict[str, Any]:
    """Turn the sections of a roles file into the arguments of `Roles`."""
    for where, part, kind in _sections(raw, path):
        for name in part:
            if name not in kind.__struct_fields__:
                meant = suggestion(name, kind.__struct_fields__)
                raise DocumentError(f"there is no setting '{name}' here.{meant}", where)
    document = convert_part(raw, _File, path)
    arguments: dict[str, Any] = msgspec.structs.asdict(document.roles)
    arguments["file"] = FileFormat(**msgspec.structs.asdict(document.file))
    arguments |= {name: [] for name in ("numeric", "categorical", "dates")}
    arguments |= {name: {} for name in ("ordered", "domains", "ages")}
    arguments |= {name: {} for name in ("weights", "units", "missing_in", "special")}
    for name, attribute in document.attributes.items():
        _sort_in(arguments, name, attribute, f"{path}.attributes.{toml_key(name)}")
    return arguments


def _sections(
    raw: Mapping[str, Any], path: str
) -> Iterator[tuple[str, Mapping[str, Any], type[msgspec.Struct]]]:
    """Each section of a roles file, where it is, and what may be in it."""
    attributes = raw.get("attributes")
    attributes = attributes if isinstance(attributes, Mapping) else {}
    found: list[tuple[str, Any, type[msgspec.Struct]]] = [(path, raw, _File)]
    found += [(f"{path}.roles", raw.get("roles"), _Roles)]
    found += [(f"{path}.file", raw.get("file"), _Format)]
    found += [
        (f"{path}.attributes.{toml_key(name)}", part, _Attribute)
        for name, part in attributes.items()
    ]
    return ((where, part, kind) for where, part, kind in found if isinstance(part, Mapping))


def _sort_in(arguments: dict[str, Any], name: str, attribute: _Attribute, where: str) -> None:
    if attribute.weight is not None:
        arguments["weights"][name] = attribute.weight
    if attribute.unit is not None:
        arguments["units"][name] = attribute.unit
    if attribute.special is not None:
        arguments["special"][name] = attribute.special
    if attribute.missing:
        arguments["missing_in"][name] = attribute.missing
    _sort_kind(arguments, name, attribute, where)


def _sort_kind(arguments: dict[str, Any], name: str, attribute: _Attribute, where: str) -> None:
    age = attribute.age_on is not None
    ranged = attribute.low is not None or attribute.high is not None
    if age and attribute.kind != "date":
        raise DocumentError("age_on needs kind = 'date'", where)
    unit = attribute.kind if attribute.kind in ("date", "time") and not age else None
    if attribute.kind != "numeric" and not age and (attribute.integer or (ranged and not unit)):
        raise DocumentError("low, high and integer need kind = 'numeric'", where)
    if attribute.kind in ("numeric", "date", "time", None) and attribute.categories is not None:
        raise DocumentError("categories need kind = 'categorical' or 'ordered'", where)
    if attribute.age_on is not None:
        arguments["ages"][name] = attribute.age_on.isoformat()
    if attribute.kind == "ordered":
        if attribute.categories is None:
            raise DocumentError("kind = 'ordered' needs the list of categories", where)
        arguments["ordered"][name] = attribute.categories
    elif attribute.categories is not None:
        arguments["domains"][name] = CategoricalDomain(attribute.categories)
    elif attribute.low is not None and attribute.high is not None:
        arguments["domains"][name] = _range_of(attribute, unit, where)
    elif ranged or attribute.integer:
        raise DocumentError("a numeric range needs both low and high", where)
    elif attribute.kind is not None and not age:
        arguments["dates" if unit is not None else attribute.kind].append(name)


def _range_of(attribute: _Attribute, unit: Any, where: str) -> NumericDomain:
    for end in (attribute.low, attribute.high):
        if isinstance(end, bool) or not isinstance(end, _ENDS):
            raise DocumentError("low and high must be numbers, dates or times of day", where)
    try:
        return NumericDomain(attribute.low, attribute.high, attribute.integer, unit=unit)
    except DataError as error:
        raise DocumentError(str(error), where) from None


def document_of(roles: Roles) -> dict[str, Any]:
    """Return roles as the sections of a roles file, with only what is said."""
    first: dict[str, Any] = {} if roles.target is None else {"target": roles.target}
    first |= {"targets": list(roles.targets)} if roles.targets else {}
    personal = roles.personal
    first["personal"] = personal if isinstance(personal, str) else list(personal)
    first |= {name: list(getattr(roles, name)) for name in _LISTED if getattr(roles, name)}
    if roles.drop_missing_target:
        first["drop_missing_target"] = True
    document: dict[str, Any] = {"roles": first}
    file = {name: value for name, value in asdict(roles.file).items() if value is not None}
    if file:
        document["file"] = file
    named = [*roles.numeric, *roles.categorical, *roles.ordered, *roles.dates, *roles.ages]
    named += [*roles.domains, *roles.weights, *roles.units, *roles.missing_in, *roles.special]
    if named:
        document["attributes"] = {name: _attribute(roles, name) for name in dict.fromkeys(named)}
    return document


def encode(roles: Roles) -> str:
    """Write roles as TOML text."""
    document = document_of(roles)
    attributes = document.pop("attributes", {})
    sections = {**document, **{f"attributes.{toml_key(n)}": part for n, part in attributes.items()}}
    return "\n".join(
        "\n".join([f"[{title}]", *(f"{key} = {toml_value(part[key])}" for key in part), ""])
        for title, part in sections.items()
    )


def _attribute(roles: Roles, name: str) -> dict[str, Any]:
    facts = _kind(roles, name)
    domain = roles.domains.get(name)
    if isinstance(domain, CategoricalDomain):
        facts["categories"] = list(domain.categories)
    elif domain is not None:
        dated = domain.unit is not None
        facts |= {
            end: str(n) if dated else n for end, n in (("low", domain.low), ("high", domain.high))
        }
        facts |= {"integer": True} if domain.integer and not dated else {}
    if name in roles.weights:
        facts["weight"] = roles.weights[name]
    if name in roles.units:
        facts["unit"] = roles.units[name]
    if name in roles.missing_in:
        facts["missing"] = list(roles.missing_in[name])
    if name in roles.special:
        facts["special"] = roles.special[name]
    return facts


def _kind(roles: Roles, name: str) -> dict[str, Any]:
    if name in roles.ages:
        return {"kind": "date", "age_on": roles.ages[name]}
    if name in roles.dates:
        return {"kind": "date"}
    if name in roles.ordered:
        return {"kind": "ordered", "categories": list(roles.ordered[name])}
    domain = roles.domains.get(name)
    if isinstance(domain, NumericDomain) and domain.unit is not None:
        return {"kind": domain.unit}
    if name in roles.numeric or isinstance(domain, NumericDomain):
        return {"kind": "numeric"}
    if name in roles.categorical or domain is not None:
        return {"kind": "categorical"}
    return {}


def toml_value(value: Category | Sequence[Category]) -> str:
    """Write a text, a number, a truth value or a list of them as TOML does."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # a JSON text is a TOML text, but for one control character
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (int, float)):
        return repr(value)
    return "[" + ", ".join(toml_value(item) for item in value) + "]"


def toml_key(name: str) -> str:
    """Return a name as TOML writes a key: in quotes where it must be."""
    return name if _BARE.fullmatch(name) else toml_value(name)
