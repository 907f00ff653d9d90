"""What is declared of a table before anyone looks at it."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from sparsam._checks import suggestion
from sparsam._documents import parse_json, read_bytes
from sparsam._errors import DataError, DocumentError, ParameterError, hint
from sparsam.data import (
    CategoricalDomain,
    Domain,
    FileFormat,
    NumericDomain,
    Roles,
    Table,
    is_frame,
)
from sparsam.generalization import (
    CategoricalPartition,
    Generalization,
    NumericPartition,
    Partition,
    learned_from_rows,
    numeric_partition,
)

_EXPECTED = (
    "Domains must be declared: a mapping of names to (low, high) or to a list of categories, "
    "Roles with domains, a Generalization, or the path of a roles .toml or of a .json file."
)


@dataclass(frozen=True)
class Declared:
    """The domains that somebody declared, without looking at the data.

    Bounds and categories that are read from the data tell something about the people in it, and
    no noise covers that. So whatever is asked later is counted over these domains: a number beyond
    its range counts at the nearer end, a category that is not in the list counts as "other".

    Parameters
    ----------
    domains : mapping of str to NumericDomain or CategoricalDomain
        What each attribute may hold. Columns that are not named here are never read.
    missing_values : sequence of str
        Texts that mean missing, for instance ``("?",)``.
    partitions : mapping of str to partition
        The buckets of attributes that are generalized before anything is counted.
    missing_in : mapping of str to sequence of str
        Texts that mean missing in one attribute, beside `missing_values`.
    file : FileFormat
        How a file of the table is written.

    See Also
    --------
    declared : Makes one from ranges and lists, from roles or from a generalization.

    Examples
    --------
    >>> from sparsam.explore import declared
    >>> people = declared({"age": (0, 99, "integer"), "sex": ["female", "male"]})
    >>> people.numeric, people.categorical
    (('age',), ('sex',))
    """

    domains: Mapping[str, Domain]
    missing_values: tuple[str, ...] = ()
    partitions: Mapping[str, Partition] = field(default_factory=dict)
    missing_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    file: FileFormat = field(default_factory=FileFormat)

    def __post_init__(self) -> None:
        domains = {str(name): domain for name, domain in self.domains.items()}
        if not domains:
            raise ParameterError("At least one domain must be declared. Got none instead.")
        for name, domain in domains.items():
            if not isinstance(domain, NumericDomain | CategoricalDomain):
                raise ParameterError(
                    f"The domain of '{name}' must be a NumericDomain or a CategoricalDomain. "
                    f"Got a {type(domain).__name__} instead."
                )
            if isinstance(domain, NumericDomain) and (domain.unit or domain.age_on):
                raise _no_dates(name)
            if isinstance(domain, CategoricalDomain) and not domain.categories:
                raise DataError(f"The domain of '{name}' must list its categories. It lists none.")
        object.__setattr__(self, "domains", domains)
        object.__setattr__(self, "missing_values", tuple(map(str, self.missing_values)))
        object.__setattr__(self, "partitions", dict(self.partitions))
        texts = {n: tuple(map(str, t)) for n, t in self.missing_in.items() if n in domains and t}
        object.__setattr__(self, "missing_in", texts)

    @property
    def names(self) -> tuple[str, ...]:
        """Every declared attribute."""
        return tuple(self.domains)

    @property
    def numeric(self) -> tuple[str, ...]:
        """The attributes whose values are numbers."""
        return tuple(n for n, d in self.domains.items() if isinstance(d, NumericDomain))

    @property
    def categorical(self) -> tuple[str, ...]:
        """The attributes whose values are categories, ordered or not."""
        return tuple(n for n, d in self.domains.items() if isinstance(d, CategoricalDomain))

    def __getitem__(self, name: str) -> Domain:
        if name not in self.domains:
            raise ParameterError(
                f"'{name}' must be a declared attribute.{suggestion(name, self.names)}"
                "\n\nHint: declare its range or its categories under domains; nothing is read "
                "from the data."
            )
        return self.domains[name]

    def __contains__(self, name: object) -> bool:
        return name in self.domains

    def __hash__(self) -> int:
        return hash(json.dumps(self.to_dict(), sort_keys=True))

    def only(self, names: Collection[str]) -> Declared:
        """Keep these attributes, in this order."""
        return replace(
            self,
            domains={name: self[name] for name in names},
            partitions={name: part for name, part in self.partitions.items() if name in names},
        )

    def members(self, name: str) -> tuple[Any, ...]:
        """The categories of an attribute as they are in the data: before they are grouped."""
        domain, partition = self[name], self.partitions.get(name)
        if isinstance(partition, CategoricalPartition):
            return tuple(category for group in partition.groups for category in group)
        return domain.categories if isinstance(domain, CategoricalDomain) else ()

    def within(self, other: Declared) -> Declared:
        """Clamp to what another declaration says of the same attributes.

        Ranges end where those of the other end, and categories that it does not list are not
        listed. Attributes that it does not know stay as they are.

        Parameters
        ----------
        other : Declared
            That of the ledger.

        Examples
        --------
        >>> mine = declared({"age": (17, 131, "integer"), "sex": ["f", "m", "x"]})
        >>> kept = mine.within(declared({"age": (0, 99, "integer"), "sex": ["f", "m"]}))
        >>> kept["age"].high, kept["sex"].categories
        (99.0, ('f', 'm'))
        """
        domains: dict[str, Domain] = dict(self.domains)
        partitions: dict[str, Partition] = dict(self.partitions)
        for name in self.names:
            if name not in other:
                continue
            mine, known = self[name], other[name]
            if isinstance(mine, NumericDomain) and isinstance(known, NumericDomain):
                domains[name] = kept = _overlap(name, mine, known)
                part = self.partitions.get(name)
                if isinstance(part, NumericPartition) and kept != part.domain:
                    partitions[name] = _clamped(part, kept)
            elif isinstance(mine, CategoricalDomain) and isinstance(known, CategoricalDomain):
                domains[name] = self._listed(name, mine, other)
            else:
                raise ParameterError(
                    f"The ledger declares '{name}' as another kind of attribute."
                    "\n\nHint: leave the domains out, to take those of the ledger."
                )
        return replace(
            self,
            domains=domains,
            partitions=partitions,
            missing_in={**other.missing_in, **self.missing_in},
            file=self.file.completed_by(other.file),
        )

    def _listed(self, name: str, mine: CategoricalDomain, other: Declared) -> CategoricalDomain:
        known = {(isinstance(category, bool), category) for category in other.members(name)}
        unknown = [c for c in self.members(name) if (isinstance(c, bool), c) not in known]
        if not unknown:
            return mine
        kept = tuple(c for c in mine.categories if (isinstance(c, bool), c) in known)
        if name in self.partitions or not kept:
            raise ParameterError(
                f"The categories of '{name}' must be among those that the ledger declares. "
                f"Got {len(unknown)} others.\n\nHint: leave the domains out, to take those of "
                "the ledger."
            )
        return CategoricalDomain(kept, ordered=mine.ordered)

    def to_dict(self) -> dict[str, Any]:
        """Write everything as plain data.

        Examples
        --------
        >>> declared({"sex": ["f", "m"]}).to_dict()["domains"]["sex"]["categories"]
        ['f', 'm']
        """
        texts = {name: list(texts) for name, texts in self.missing_in.items()}
        file = {fact: value for fact, value in asdict(self.file).items() if value is not None}
        return {
            "domains": _plain(self.domains),
            "missing_values": list(self.missing_values),
            "partitions": _plain(self.partitions),
            **({"missing_in": texts} if texts else {}),
            **({"file": file} if file else {}),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Declared:
        """Read what `to_dict` wrote; "names" gives the order of attributes, where it is there."""
        try:
            domains = dict(document["domains"])
            names = document.get("names", domains)
            return cls(
                msgspec.convert({name: domains[name] for name in names}, dict[str, Domain]),
                tuple(document.get("missing_values", ())),
                msgspec.convert(dict(document.get("partitions", {})), dict[str, Partition]),
                msgspec.convert(dict(document.get("missing_in", {})), dict[str, tuple[str, ...]]),
                FileFormat(**document.get("file", {})),
            )
        except (KeyError, TypeError, ValueError):  # ours and msgspec's are ValueErrors too
            raise DocumentError("The document must hold declared domains. It does not.") from None


def declared(domains: Any, *, missing_values: Collection[str] = ()) -> Declared:
    """Declare what the attributes of a table may hold.

    Parameters
    ----------
    domains : mapping, Roles, Generalization, Declared or path
        A mapping of names to ``(low, high)``, ``(low, high, "integer")``, a list of categories or
        a domain; `Roles` with domains; a `Generalization`, whose buckets are then all that is ever
        counted; the path of a roles .toml file, of a generalization .json or of a .json that
        `Declared.to_dict` wrote. Never a table: its domains would be read from the data.
    missing_values : collection of str
        More texts that mean missing.

    Returns
    -------
    Declared

    Examples
    --------
    >>> declared({"age": (17, 90, "integer"), "work": ["private", "state"]}).names
    ('age', 'work')
    """
    known = _declared(domains)
    if missing_values:
        texts = tuple(dict.fromkeys((*known.missing_values, *missing_values)))
        known = replace(known, missing_values=texts)
    return known


def _declared(domains: Any) -> Declared:
    if isinstance(domains, Declared):
        return domains
    if isinstance(domains, Roles):
        return _from_roles(domains)
    if isinstance(domains, Generalization):
        return _from_generalization(domains)
    if isinstance(domains, str | os.PathLike):
        return _from_path(Path(domains))
    if isinstance(domains, Table):
        raise ParameterError(
            f"{_EXPECTED} Got a Table instead, whose domains were read from its data."
            "\n\nHint: if they are public knowledge, hand them over by name: domains="
            "{a.name: a.domain for a in table.attributes}."
        )
    if isinstance(domains, Mapping):
        return Declared({str(name): _domain(str(name), what) for name, what in domains.items()})
    if domains is not None and is_frame(domains):
        raise ParameterError(f"{_EXPECTED} Got a frame of data instead.")
    raise ParameterError(f"{_EXPECTED} Got a {type(domains).__name__} instead.")


def _domain(name: str, what: Any) -> Domain:
    """Take a pair of numbers as a range, a list as categories."""
    if isinstance(what, NumericDomain | CategoricalDomain):
        return what
    if isinstance(what, tuple) and len(what) >= 2 and all(map(_number, what[:2])):
        if what[2:] in ((), ("integer",)):
            return NumericDomain(what[0], what[1], integer=len(what) == 3)
    elif isinstance(what, list | tuple):
        return CategoricalDomain(tuple(what))
    raise ParameterError(
        f"The domain of '{name}' must be (low, high), (low, high, 'integer') or a list of "
        f"categories. Got a {type(what).__name__} instead."
    )


def _overlap(name: str, mine: NumericDomain, known: NumericDomain) -> NumericDomain:
    low, high = max(mine.low, known.low), min(mine.high, known.high)
    if low > high:
        raise ParameterError(f"The range of '{name}' must overlap with the one of the ledger.")
    return NumericDomain(low, high, integer=mine.integer)


def _clamped(part: NumericPartition, domain: NumericDomain) -> NumericPartition:
    """The same buckets inside a narrower range, with labels that say so."""
    below = sum(cut <= domain.low for cut in part.cuts)
    cuts = [cut for cut in part.cuts if domain.low < cut <= domain.high]
    missing = part.missing
    if missing is not None:
        own = missing >= part.n_intervals
        missing = len(cuts) + 1 if own else min(max(missing - below, 0), len(cuts))
    return numeric_partition(part.name, domain, cuts, missing, part.beyond)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _no_dates(name: str) -> ParameterError:
    return ParameterError(
        f"'{name}' must hold plain numbers or categories here. It is declared to hold dates or "
        "times.\n\nHint: make a column of the year, of the age or of the hour, and declare its "
        f"range; or leave '{name}' out: without low and high it is not explored."
    )


def _from_roles(roles: Roles) -> Declared:
    domains: dict[str, Domain] = dict(roles.domains)
    for name, categories in roles.ordered.items():
        domains[name] = CategoricalDomain(tuple(categories), ordered=True)
    kept = {name: d for name, d in domains.items() if name not in roles.unread}
    for name in roles.ages:
        if name in kept:
            raise _no_dates(name)
    if not kept:
        raise ParameterError(
            "Roles must declare at least one domain to explore with. Got none instead."
            + hint(
                "give domains={'age': NumericDomain(0, 99, integer=True), ...}",
                "add low and high, or categories, to some columns of the roles file, from what is "
                "known without looking at the table",
            )
        )
    texts = {name: tuple(texts) for name, texts in roles.missing_in.items()}
    return Declared(kept, tuple(roles.missing_values), missing_in=texts, file=roles.file)


def _from_generalization(generalization: Generalization) -> Declared:
    """Take the buckets as the domain; what is not collected cannot be explored."""
    learned = [n for n in learned_from_rows(generalization) if n in generalization.collected]
    if learned:
        raise ParameterError(
            "Domains must be declared, and this generalization was learned from rows: its ranges "
            "and categories would tell about the people without a charge. Got "
            f"{len(learned)} attributes whose domains nobody declared, '{learned[0]}' among them."
            + hint(
                "declare them in a roles .toml, or learn the generalization again with "
                "Roles(domains={...})",
                "add low and high, or categories, to the roles file, and learn it again with "
                "--roles",
            )
        )
    domains: dict[str, Domain] = {}
    partitions: dict[str, Partition] = {}
    for part in generalization.partitions:
        if not part.collected:
            continue
        partitions[part.name] = part
        if isinstance(part, NumericPartition):
            domains[part.name] = part.domain
        else:
            labels = part.labels[: len(part.groups)]
            domains[part.name] = CategoricalDomain(labels, ordered=part.domain.ordered)
    if not domains:
        raise ParameterError("The generalization must collect at least one attribute.")
    return Declared(domains, (), partitions)


def _from_path(path: Path) -> Declared:
    if path.suffix.lower() == ".toml":
        return _from_roles(Roles.from_toml(path))
    if path.suffix.lower() != ".json":
        raise ParameterError(f"{_EXPECTED} Got a path that ends in '{path.suffix}' instead.")
    if not path.is_file():
        raise DataError(f"Declared domains must be a file on this machine. Found none at '{path}'.")
    text = read_bytes(path)
    try:
        document = parse_json(text)
    except DocumentError as error:
        msg = f"'{path.name}' must be a JSON document. It is damaged."
        raise DocumentError(msg, error.path) from error
    if isinstance(document, dict) and "domains" in document:
        return Declared.from_dict(document)
    return _from_generalization(Generalization.from_json(text))


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: json.loads(msgspec.json.encode(value)) for name, value in values.items()}
