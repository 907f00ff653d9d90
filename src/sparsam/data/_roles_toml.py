"""Roles as a TOML file: what a person writes once and keeps beside the data."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from sparsam._documents import convert_part, parse_toml, read_bytes
from sparsam._errors import DocumentError
from sparsam.data._domain import CategoricalDomain, Category, Domain, NumericDomain

if TYPE_CHECKING:
    from sparsam.data._roles import Roles

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_LISTED = ("quasi_identifiers", "sensitive", "identifiers", "missing_values")


class _Roles(msgspec.Struct, forbid_unknown_fields=True):
    target: str | None = None
    personal: str | tuple[str, ...] = "categorical"
    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    missing_values: tuple[str, ...] = ()


class _Attribute(msgspec.Struct, forbid_unknown_fields=True):
    kind: Literal["numeric", "categorical", "ordered"] | None = None
    low: float | None = None
    high: float | None = None
    integer: bool = False
    categories: tuple[Category, ...] | None = None
    weight: float | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    roles: _Roles = msgspec.field(default_factory=_Roles)
    attributes: dict[str, _Attribute] = msgspec.field(default_factory=dict)


def decode(path: Path) -> dict[str, Any]:
    """Read a TOML file into the arguments of `Roles`."""
    try:
        text = read_bytes(path)
    except FileNotFoundError:
        raise DocumentError(f"The roles file must exist. Found none at {path}.") from None
    document = convert_part(parse_toml(text, "A roles file (TOML)"), _File)
    found: dict[str, Any] = msgspec.structs.asdict(document.roles)
    found |= {"numeric": [], "categorical": [], "ordered": {}, "domains": {}, "weights": {}}
    for name, attribute in document.attributes.items():
        _sort_in(found, name, attribute)
    return found


def _sort_in(found: dict[str, Any], name: str, attribute: _Attribute) -> None:
    where = f"$.attributes.{toml_key(name)}"
    if attribute.weight is not None:
        found["weights"][name] = attribute.weight
    ranged = attribute.low is not None or attribute.high is not None
    if attribute.kind != "numeric" and (ranged or attribute.integer):
        raise DocumentError("low, high and integer need kind = 'numeric'", where)
    if attribute.kind in ("numeric", None) and attribute.categories is not None:
        raise DocumentError("categories need kind = 'categorical' or 'ordered'", where)
    if attribute.kind == "ordered":
        if attribute.categories is None:
            raise DocumentError("kind = 'ordered' needs the list of categories", where)
        found["ordered"][name] = attribute.categories
    elif attribute.categories is not None:
        found["domains"][name] = CategoricalDomain(attribute.categories)
    elif attribute.low is not None and attribute.high is not None:
        found["domains"][name] = NumericDomain(attribute.low, attribute.high, attribute.integer)
    elif ranged or attribute.integer:
        raise DocumentError("a numeric range needs both low and high", where)
    elif attribute.kind is not None:
        found[attribute.kind].append(name)


def encode(roles: Roles) -> str:
    """Write roles as TOML text."""
    lines = ["[roles]"]
    if roles.target is not None:
        lines.append(f"target = {_value(roles.target)}")
    lines.append(f"personal = {_value(roles.personal)}")
    lines += [
        f"{name} = {_value(getattr(roles, name))}" for name in _LISTED if getattr(roles, name)
    ]
    named = [*roles.numeric, *roles.categorical, *roles.ordered, *roles.domains, *roles.weights]
    kinds = dict.fromkeys(roles.numeric, "numeric")
    kinds |= {name: "categorical" for name in roles.categorical if name not in kinds}
    for name in dict.fromkeys(named):
        lines += ["", f"[attributes.{toml_key(name)}]", *_attribute(roles, name, kinds.get(name))]
    return "\n".join(lines) + "\n"


def _attribute(roles: Roles, name: str, kind: str | None) -> list[str]:
    lines = []
    domain = roles.domains.get(name)
    if kind is not None:
        lines = [f'kind = "{kind}"']
    elif name in roles.ordered:
        lines = ['kind = "ordered"', f"categories = {_value(roles.ordered[name])}"]
    elif domain is not None:
        lines = _domain(domain)
    if name in roles.weights:
        lines.append(f"weight = {_value(roles.weights[name])}")
    return lines


def _domain(domain: Domain) -> list[str]:
    if isinstance(domain, CategoricalDomain):
        return ['kind = "categorical"', f"categories = {_value(domain.categories)}"]
    lines = ['kind = "numeric"', f"low = {_value(domain.low)}", f"high = {_value(domain.high)}"]
    return [*lines, "integer = true"] if domain.integer else lines


def _value(value: Category | Sequence[Category]) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # a JSON text is a TOML text, but for one control character
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (int, float)):
        return repr(value)
    return "[" + ", ".join(_value(item) for item in value) + "]"


def toml_key(name: str) -> str:
    """Write a name as a key of TOML, in quotes where it needs them."""
    return name if _BARE.fullmatch(name) else _value(name)
