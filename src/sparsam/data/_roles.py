"""What each attribute is for, as the user declares it."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from sparsam._documents import convert_part, parse_toml, read_bytes
from sparsam._errors import DocumentError, RoleError
from sparsam.data._domain import CategoricalDomain, Category, Domain, NumericDomain

_LISTS = (
    "quasi_identifiers",
    "sensitive",
    "identifiers",
    "numeric",
    "categorical",
    "missing_values",
)


@dataclass(frozen=True)
class Roles:
    """What the attributes are for, and which of their kinds the table alone cannot tell.

    Parameters
    ----------
    target : str or None
        What the model predicts: a column, or an expression over a numeric column such as
        ``"income>50000"`` or ``"income in bins(20000, 50000)"``.
    personal : "categorical", "all" or sequence of str, default="categorical"
        The attributes to protect: every attribute that is not numeric, all, or those named.
    quasi_identifiers, sensitive : sequence of str
        Attributes that others may know of a person, and attributes that they must not learn.
    identifiers : sequence of str
        Columns that name a person. They are never read into the table.
    weights : mapping of str to float
        How sensitive a personal attribute is; 1 where nothing is said.
    numeric, categorical : sequence of str
        Columns whose kind is declared rather than inferred.
    ordered : mapping of str to sequence
        The categories of an ordered attribute, all of them, from least to most.
    domains : mapping of str to NumericDomain or CategoricalDomain
        Declared domains.
    missing_values : sequence of str
        Texts that mean missing, for instance ``("?",)``.

    Examples
    --------
    >>> Roles("employed", personal=["sex", "race"], weights={"race": 2}).personal
    ('sex', 'race')
    """

    target: str | None = None
    _: KW_ONLY
    personal: str | Sequence[str] = "categorical"
    quasi_identifiers: Sequence[str] = ()
    sensitive: Sequence[str] = ()
    identifiers: Sequence[str] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    numeric: Sequence[str] = ()
    categorical: Sequence[str] = ()
    ordered: Mapping[str, Sequence[Category]] = field(default_factory=dict)
    domains: Mapping[str, Domain] = field(default_factory=dict)
    missing_values: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.target is not None and not isinstance(self.target, str):
            raise RoleError(
                f"The target must be a name or an expression. Got a {type(self.target).__name__}."
            )
        for name in _LISTS:
            self._set(name, names_of(name, getattr(self, name)))
        if self.personal not in ("categorical", "all"):
            self._set("personal", names_of("personal", self.personal))
        self._set("weights", {name: _weight(name, w) for name, w in self.weights.items()})
        self._settle_domains()
        self._check_overlaps()

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _settle_domains(self) -> None:
        """Keep each declaration in one place: ordered lists under `ordered`, the rest apart."""
        ordered = {
            name: CategoricalDomain(tuple(categories), ordered=True).categories
            for name, categories in self.ordered.items()
        }
        domains = dict(self.domains)
        for name, domain in self.domains.items():
            if isinstance(domain, CategoricalDomain) and domain.ordered:
                ordered.setdefault(name, domain.categories)
                del domains[name]
        self._set("ordered", ordered)
        self._set("domains", domains)
        self._set("numeric", tuple(name for name in self.numeric if not self._range(name)))
        lists = {*ordered, *(name for name in domains if not self._range(name))}
        self._set("categorical", tuple(name for name in self.categorical if name not in lists))

    def _range(self, name: str) -> bool:
        return isinstance(self.domains.get(name), NumericDomain)

    def _check_overlaps(self) -> None:
        personal = () if isinstance(self.personal, str) else self.personal
        target = () if self.target is None else (self.target,)
        ranges = [name for name in self.domains if self._range(name)]
        lists = [name for name in self.domains if not self._range(name)]
        _apart("identifiers", self.identifiers, "personal", personal)
        _apart("identifiers", self.identifiers, "quasi_identifiers", self.quasi_identifiers)
        _apart("identifiers", self.identifiers, "sensitive", self.sensitive)
        _apart("identifiers", self.identifiers, "target", target)
        _apart("personal", personal, "target", target)
        _apart("quasi_identifiers", self.quasi_identifiers, "target", target)
        _apart("numeric", [*self.numeric, *ranges], "categorical", [*self.categorical, *lists])
        _apart("ordered", self.ordered, "numeric", [*self.numeric, *self.domains])

    def __hash__(self) -> int:
        return hash(self.to_toml())

    @classmethod
    def from_toml(cls, path: str | Path) -> Roles:
        """Read the roles from a TOML file.

        Parameters
        ----------
        path : str or Path
            The file, in the shape that `to_toml` writes.
        """

        return Roles(**decode(Path(path)))

    def to_toml(self) -> str:
        """Write the roles as the text of a TOML file.

        Examples
        --------
        >>> print(Roles("employed", numeric=["age"], weights={"age": 2}).to_toml())
        [roles]
        target = "employed"
        personal = "categorical"
        <BLANKLINE>
        [attributes.age]
        kind = "numeric"
        weight = 2.0
        <BLANKLINE>
        """

        return encode(self)


def names_of(role: str, names: object) -> tuple[str, ...]:
    """Return a tuple of names; one name on its own counts as a list of one."""
    if isinstance(names, str):
        return (names,)
    if not isinstance(names, Iterable):
        raise RoleError(f"'{role}' must be a list of names. Got a {type(names).__name__}.")
    listed = tuple(names)
    if not all(isinstance(name, str) for name in listed):
        raise RoleError(f"'{role}' must be a list of names. Got something that is no text in it.")
    if len(set(listed)) != len(listed):
        twice = min(name for name, times in Counter(listed).items() if times > 1)
        raise RoleError(f"'{role}' must name a column once. Got '{twice}' more than once.")
    return listed


def _weight(name: str, weight: object) -> float:
    if isinstance(weight, bool) or not isinstance(weight, (int, float)):
        raise RoleError(
            f"The weight of '{name}' must be a number. Got a {type(weight).__name__} instead."
        )
    if not (math.isfinite(weight) and weight >= 0):
        raise RoleError(f"The weight of '{name}' must be finite and >= 0. Got {weight} instead.")
    return float(weight)


def _apart(role: str, names: Iterable[str], other: str, others: Iterable[str]) -> None:
    both = sorted(set(names) & set(others))
    if both:
        raise RoleError(
            f"'{both[0]}' must not be declared as both '{role}' and '{other}'."
            "\n\nHint: take it out of one of them."
        )


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
    arguments: dict[str, Any] = msgspec.structs.asdict(document.roles)
    arguments |= {"numeric": [], "categorical": [], "ordered": {}, "domains": {}, "weights": {}}
    for name, attribute in document.attributes.items():
        _sort_in(arguments, name, attribute)
    return arguments


def _sort_in(arguments: dict[str, Any], name: str, attribute: _Attribute) -> None:
    where = f"$.attributes.{toml_key(name)}"
    if attribute.weight is not None:
        arguments["weights"][name] = attribute.weight
    ranged = attribute.low is not None or attribute.high is not None
    if attribute.kind != "numeric" and (ranged or attribute.integer):
        raise DocumentError("low, high and integer need kind = 'numeric'", where)
    if attribute.kind in ("numeric", None) and attribute.categories is not None:
        raise DocumentError("categories need kind = 'categorical' or 'ordered'", where)
    if attribute.kind == "ordered":
        if attribute.categories is None:
            raise DocumentError("kind = 'ordered' needs the list of categories", where)
        arguments["ordered"][name] = attribute.categories
    elif attribute.categories is not None:
        arguments["domains"][name] = CategoricalDomain(attribute.categories)
    elif attribute.low is not None and attribute.high is not None:
        arguments["domains"][name] = NumericDomain(attribute.low, attribute.high, attribute.integer)
    elif ranged or attribute.integer:
        raise DocumentError("a numeric range needs both low and high", where)
    elif attribute.kind is not None:
        arguments[attribute.kind].append(name)


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
    """Return a name as TOML writes a key: in quotes where it must be."""
    return name if _BARE.fullmatch(name) else _value(name)
