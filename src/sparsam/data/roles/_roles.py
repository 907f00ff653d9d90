"""What each attribute is for, as the user declares it."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from sparsam._checks import check_names
from sparsam._errors import RoleError
from sparsam.data._domain import CategoricalDomain, Category, Domain, NumericDomain
from sparsam.data._target import Target
from sparsam.data.roles._roles_file import arguments_of, decode, document_of, encode
from sparsam.data.source._format import FileFormat

SPECIAL_CATEGORIES = {
    "biometric": "biometric data that identify a person",
    "ethnic origin": "racial or ethnic origin",
    "genetic": "genetic data",
    "health": "health",
    "politics": "political opinions",
    "religion": "religious or philosophical beliefs",
    "sex life": "sex life or sexual orientation",
    "union": "trade union membership",
}
"""What the GDPR protects most (Art. 9), by the word that declares it."""

_LISTS = (
    "quasi_identifiers",
    "sensitive",
    "identifiers",
    "ignore",
    "numeric",
    "categorical",
    "dates",
    "missing_values",
    "targets",
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
    ignore : sequence of str
        Columns that are not used and not collected, such as a weight, a row number, or the outcome
        under another name. They are never read into the table either.
    weights : mapping of str to float
        How sensitive a personal attribute is; 1 where nothing is said.
    numeric, categorical : sequence of str
        Columns whose kind is declared rather than inferred.
    ordered : mapping of str to sequence
        The categories of an ordered attribute, all of them, from least to most.
    domains : mapping of str to NumericDomain or CategoricalDomain
        Declared domains.
    dates : sequence of str
        Columns that hold dates.
    ages : mapping of str to str
        A column of dates of birth, and the day (as "2024-12-31") on which the age in whole years
        is read instead of the date. Such a column need not be listed under `dates`.
    missing_values : sequence of str
        Texts that mean missing in every column, for instance ``("?",)``.
    missing_in : mapping of str to sequence of str
        Texts that mean missing in one column, beside `missing_values`.
    units : mapping of str to str
        What a number of an attribute counts, such as "years" or "EUR".
    special : mapping of str to str
        The attributes that belong to a special category of personal data (GDPR Art. 9), the target
        among them: "health", "religion", "union", "ethnic origin", "politics", "sex life",
        "genetic" or "biometric". Nothing is such a category unless it is declared.
    drop_missing_target : bool, default=False
        Whether rows without a target are left out, instead of refused.
    targets : sequence of str
        Instead of `target`, where one collection serves several purposes: what each of them
        predicts. None of these is an attribute of another. A row may lack some of them, but not
        all, unless `drop_missing_target` is set.
    file : FileFormat or mapping
        How the file of the table is written: ``{"encoding": "latin-1", "decimal": ","}``.

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
    ignore: Sequence[str] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    numeric: Sequence[str] = ()
    categorical: Sequence[str] = ()
    ordered: Mapping[str, Sequence[Category]] = field(default_factory=dict)
    domains: Mapping[str, Domain] = field(default_factory=dict)
    dates: Sequence[str] = ()
    ages: Mapping[str, str] = field(default_factory=dict)
    missing_values: Sequence[str] = ()
    missing_in: Mapping[str, Sequence[str]] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    drop_missing_target: bool = False
    file: FileFormat = field(default_factory=FileFormat)
    targets: Sequence[str] = ()
    special: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.target is not None and not isinstance(self.target, str):
            raise RoleError(
                f"The target must be a name or an expression. Got a {type(self.target).__name__}."
            )
        for name in _LISTS:
            self._set(name, names_of(name, getattr(self, name)))
        self._settle_targets()
        if self.personal not in ("categorical", "all"):
            self._set("personal", names_of("personal", self.personal))
        self._set("weights", {name: _weight(name, w) for name, w in self.weights.items()})
        self._set("ages", {name: _day(name, day) for name, day in self.ages.items()})
        self._set("units", {name: _unit(name, unit) for name, unit in self.units.items()})
        self._set("special", {name: _special(name, what) for name, what in self.special.items()})
        texts = {name: names_of(f"missing_in['{name}']", t) for name, t in self.missing_in.items()}
        self._set("missing_in", {name: listed for name, listed in texts.items() if listed})
        self._set("drop_missing_target", bool(self.drop_missing_target))
        self._set("file", _file(self.file))
        self._settle_domains()
        self._check_overlaps()

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _settle_targets(self) -> None:
        """Keep one target under `target`, and several under `targets`."""
        if self.target is not None and self.targets:
            raise RoleError(
                "The roles must name a target or a list of targets, not both."
                "\n\nHint: put all of them into 'targets'."
            )
        if len(self.targets) == 1:
            self._set("target", self.targets[0])
            self._set("targets", ())

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
        self._set("dates", tuple(name for name in self.dates if name not in self.ages))

    def missing_texts(self, name: str) -> tuple[str, ...]:
        """Return all texts that mean missing in one column.

        Examples
        --------
        >>> Roles(missing_values=["?"], missing_in={"sex": ["9"]}).missing_texts("sex")
        ('?', '9')
        """
        return tuple(dict.fromkeys((*self.missing_values, *self.missing_in.get(name, ()))))

    @property
    def purposes(self) -> tuple[str, ...]:
        """All that is predicted: one target, several, or none.

        Examples
        --------
        >>> Roles("works").purposes, Roles(targets=["works", "income>50000"]).purposes
        (('works',), ('works', 'income>50000'))
        """
        return tuple(self.targets) if self.target is None else (self.target,)

    @property
    def unread(self) -> tuple[str, ...]:
        """The columns that are never read: identifiers, and those to be ignored."""
        return (*self.identifiers, *self.ignore)

    @property
    def kinds(self) -> frozenset[str]:
        """The columns whose kind, order or domain is declared."""
        listed = (*self.numeric, *self.categorical, *self.dates)
        return frozenset((*listed, *self.ordered, *self.domains, *self.ages))

    @property
    def declared(self) -> frozenset[str]:
        """The columns that are named for what they are or are for, and so are wanted."""
        personal = () if isinstance(self.personal, str) else self.personal
        named = (*personal, *self.quasi_identifiers, *self.sensitive, *self.weights, *self.units)
        return self.kinds | {*named, *self.missing_in}

    def completed_by(self, other: Roles) -> Roles:
        """Return these roles, with what other roles say where these say nothing else.

        Names and texts add up. Where both speak of one column, these win. Of several targets that
        the others name, those that are not wanted here are ignored.

        Parameters
        ----------
        other : Roles

        Examples
        --------
        >>> file = Roles("works", identifiers=["name"], numeric=["age"])
        >>> both = Roles(ignore=["row"], categorical=["age"]).completed_by(file)
        >>> both.target, both.unread, both.categorical, both.numeric
        ('works', ('name', 'row'), ('age',), ())
        """
        targets = self.purposes or other.purposes
        personal = () if isinstance(self.personal, str) else self.personal
        used = {*targets, *personal, *self.quasi_identifiers, *self.sensitive}
        identifiers = _both(self.identifiers, other.identifiers, {*used, *self.ignore})
        ignore = _both(self.ignore, other.ignore, {*used, *identifiers})
        # what another purpose predicts does not become an attribute of this one
        spared = [Target.parse(text).column for text in other.targets if text not in targets]
        ignore = _both(ignore, spared, {*used, *identifiers})
        gone, kinds = {*identifiers, *ignore, *targets}, self.kinds
        lists: dict[str, Any] = {
            name: _both(getattr(self, name), getattr(other, name), kinds)
            for name in ("numeric", "categorical", "dates")
        }
        mappings: dict[str, Any] = {
            name: {n: v for n, v in getattr(other, name).items() if n not in kinds}
            | dict(getattr(self, name))
            for name in ("ordered", "domains", "ages")
        }
        named: dict[str, Any] = {
            name: {**getattr(other, name), **getattr(self, name)}
            for name in ("missing_in", "units", "special")
        }
        weights = {n: w for n, w in other.weights.items() if n not in gone} | dict(self.weights)
        return Roles(
            targets=targets,
            personal=_either(self.personal, other.personal, "categorical", gone),
            quasi_identifiers=_either(self.quasi_identifiers, other.quasi_identifiers, (), gone),
            sensitive=_either(self.sensitive, other.sensitive, (), gone - {*targets}),
            identifiers=identifiers,
            ignore=ignore,
            missing_values=_both(self.missing_values, other.missing_values, ()),
            drop_missing_target=self.drop_missing_target or other.drop_missing_target,
            file=self.file.completed_by(other.file),
            weights=weights,
            **lists,
            **mappings,
            **named,
        )

    def carried(self, attributes: Collection[str]) -> Roles:
        """Return what an artifact must carry beside the domains of its attributes.

        Parameters
        ----------
        attributes : collection of str
            Those whose kinds and domains the artifact knows itself.
        """
        known = {*attributes, *self.unread}
        return replace(
            self,
            numeric=[name for name in self.numeric if name not in known],
            categorical=[name for name in self.categorical if name not in known],
            ordered={name: order for name, order in self.ordered.items() if name not in known},
            domains={name: domain for name, domain in self.domains.items() if name not in known},
        )

    def _range(self, name: str) -> bool:
        return isinstance(self.domains.get(name), NumericDomain)

    def _check_overlaps(self) -> None:
        personal = () if isinstance(self.personal, str) else self.personal
        target = self.purposes
        ranges = [name for name in self.domains if self._range(name)]
        lists = [name for name in self.domains if not self._range(name)]
        for role in ("identifiers", "ignore"):
            names = getattr(self, role)
            _apart(role, names, "personal", personal)
            _apart(role, names, "quasi_identifiers", self.quasi_identifiers)
            _apart(role, names, "sensitive", self.sensitive)
            _apart(role, names, "target", target)
        _apart("identifiers", self.identifiers, "ignore", self.ignore)
        _apart("personal", personal, "target", target)
        _apart("quasi_identifiers", self.quasi_identifiers, "target", target)
        _apart("numeric", [*self.numeric, *ranges], "categorical", [*self.categorical, *lists])
        _apart("ordered", self.ordered, "numeric", [*self.numeric, *self.domains])
        dates = [*self.dates, *self.ages]
        _apart("dates", dates, "numeric", self.numeric)
        _apart("dates", dates, "categorical", [*self.categorical, *lists])
        _apart("dates", dates, "ordered", self.ordered)

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

    def to_dict(self) -> dict[str, Any]:
        """Return the roles as plain data: what `to_toml` writes.

        Examples
        --------
        >>> Roles("employed", ignore=["row"], missing_in={"sex": ["9"]}).to_dict()["roles"]
        {'target': 'employed', 'personal': 'categorical', 'ignore': ['row']}
        """
        return document_of(self)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], path: str = "$") -> Roles:
        """Make roles from plain data, as `to_dict` returns it.

        Parameters
        ----------
        document : mapping
        path : str, default="$"
            Where it comes from, for errors.
        """
        return cls(**arguments_of(document, path))

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


def carried_roles(about: Mapping[str, Any]) -> Roles:
    """Return what the facts of an artifact say of the table that it was learned from.

    Parameters
    ----------
    about : mapping
        Such as `Generalization.about`.
    """
    told = about.get("roles")
    return Roles() if told is None else Roles.from_dict(told, "$.about.roles")


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


def _both(mine: Sequence[str], others: Sequence[str], but: Collection[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*(name for name in others if name not in but), *mine)))


def _either(mine: Any, others: Any, default: Any, but: Collection[Any]) -> Any:
    if mine != default or isinstance(others, str):
        return others if mine == default else mine
    return tuple(name for name in others if name not in but)


def _day(name: str, day: object) -> str:
    if isinstance(day, datetime.datetime) or not isinstance(day, str | datetime.date):
        raise RoleError(f"The day of the age '{name}' must be a day. Got a {type(day).__name__}.")
    try:
        return datetime.date.fromisoformat(str(day)).isoformat()
    except ValueError:
        raise RoleError(
            f"The day of the age '{name}' must be written as 2024-12-31. Got '{day}' instead."
        ) from None


def _unit(name: str, unit: object) -> str:
    if not isinstance(unit, str) or not unit.strip():
        raise RoleError(f"The unit of '{name}' must be a word, such as 'years'.")
    return unit.strip()


def _special(name: str, category: object) -> str:
    if isinstance(category, str) and category in SPECIAL_CATEGORIES:
        return category
    known = ", ".join(f"'{known}'" for known in SPECIAL_CATEGORIES)
    raise RoleError(f"The special category of '{name}' must be one of {known}.")


def _file(file: object) -> FileFormat:
    if isinstance(file, FileFormat):
        return file
    known = [part.name for part in fields(FileFormat)]
    if not isinstance(file, Mapping):
        raise RoleError(f"'file' must be a mapping. Got a {type(file).__name__} instead.")
    check_names(file, known, "file", "a fact of a file")
    return FileFormat(**file)


def _apart(role: str, names: Iterable[str], other: str, others: Iterable[str]) -> None:
    both = sorted(set(names) & set(others))
    if both:
        raise RoleError(
            f"'{both[0]}' must not be declared as both '{role}' and '{other}'."
            "\n\nHint: take it out of one of them."
        )
