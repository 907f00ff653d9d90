"""The rows to be anonymised: their quasi-identifiers in codes, and what is demanded of them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names
from sparsam._errors import ParameterError
from sparsam.anonymise._privacy_models import AllOf, KAnonymity
from sparsam.data import (
    Attribute,
    CategoricalDomain,
    Roles,
    Table,
    column_names,
    count_rows,
    open_as,
    read,
)


@dataclass(frozen=True)
class Layout:
    """Which columns are what.

    Attributes
    ----------
    names : tuple of str
        All columns that were seen.
    quasi_identifiers : tuple of str
    sensitive : tuple of str
        Columns whose values a privacy model speaks about.
    entity : str or None
        Whose row it is.
    keep : tuple of str
        Columns to publish as they are.
    promise : AllOf
        What is demanded, not yet bound to rows.
    """

    names: tuple[str, ...]
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    entity: str | None
    keep: tuple[str, ...]
    promise: AllOf

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        roles: Roles,
        quasi_identifiers: Sequence[str] | None,
        keep: Sequence[str],
        promise: AllOf,
    ) -> Layout:
        """Settle which columns are what, or say what cannot be.

        Parameters
        ----------
        names : sequence of str
            The columns of the table.
        roles : Roles
        quasi_identifiers : sequence of str or None
        keep : sequence of str
        promise : AllOf
        """
        entities = tuple(dict.fromkeys(_entities(promise)))
        sensitive = tuple(name for name in promise.needs if name not in entities)
        check_names([*promise.needs, *keep], names)
        chosen = quasi_identifiers if quasi_identifiers is not None else roles.quasi_identifiers
        if quasi_identifiers is None and not chosen:
            others = {*keep, *promise.needs, *roles.unread, *roles.sensitive, roles.target}
            chosen = [name for name in names if name not in others]
        check_names(chosen, names, "quasi_identifiers")
        if not chosen:
            raise ParameterError("There must be at least one quasi-identifier. Got none.")
        _apart(chosen, {"kept": keep, "sensitive": sensitive, "entity": entities})
        ordered = tuple(name for name in names if name in set(chosen))
        entity = entities[0] if entities else None
        return cls(tuple(names), ordered, sensitive, entity, tuple(keep), promise)

    def sample(self, source: Any, roles: Roles) -> Sample:
        """Read the rows of a table.

        Parameters
        ----------
        source : frame, mapping, ndarray, Table or path
        roles : Roles
            Kinds, orders, domains and texts that mean missing.
        """
        columns = (*self.quasi_identifiers, *self.sensitive)
        entities = tuple(dict.fromkeys(_entities(self.promise)))
        table = _read(source, columns, roles)
        text = [name for name in self.sensitive if not table.attribute(name).numeric]
        others = open_as(source, roles).columns([*entities, *self.sensitive], text)
        people = {name: others[name] for name in entities}
        bare = table if not self.sensitive else table.select(self.sensitive)
        demand = self.promise.bound(bare, people)
        return Sample(
            self,
            source,
            table.select(self.quasi_identifiers),
            others,
            demand,
            roles=roles,
        )

    def declared(self, roles: Roles, attributes: Sequence[Attribute]) -> Roles:
        """Return roles under which columns have the kinds that they were fitted with.

        Parameters
        ----------
        roles : Roles
        attributes : sequence of Attribute
        """
        settled = {*roles.ordered, *roles.domains}
        numeric = [a.name for a in attributes if a.numeric and a.name not in settled]
        other = [a.name for a in attributes if not a.numeric and a.name not in settled]
        more = {*numeric, *other}
        return replace(
            roles,
            numeric=[*(n for n in roles.numeric if n not in more), *numeric],
            categorical=[*(n for n in roles.categorical if n not in more), *other],
        )


@dataclass(frozen=True, eq=False, repr=False)
class Sample:
    """Rows that are to be published together.

    Attributes
    ----------
    layout : Layout
    source : frame, mapping, ndarray, Table or path
        What the user handed over.
    table : Table
        The quasi-identifiers.
    others : dict of str to ndarray
        The columns that promises speak about, as they are.
    demand : AllOf
        What is demanded of a class of these rows.
    answers : ndarray or None
        What guides the method.
    roles : Roles
        The texts that mean missing.
    """

    layout: Layout
    source: Any
    table: Table
    others: dict[str, NDArray[Any]]
    demand: AllOf
    answers: NDArray[Any] | None = None
    roles: Roles = field(default_factory=Roles)

    def with_answers(self, answers: NDArray[Any]) -> Sample:
        """Return the same rows with what a model says of them."""
        return replace(self, answers=answers)

    def demanding(self, k: int) -> Sample:
        """Return the same rows with another k."""
        first, *others = self.demand.parts
        if not isinstance(first, KAnonymity):
            raise TypeError("The first of the demands must be that for k.")
        return replace(self, demand=AllOf(replace(first, k=k), *others))

    def without(self, name: str, *, keep: bool) -> Sample:
        """Return the same rows without one quasi-identifier: left out, or kept as it is."""
        left = tuple(other for other in self.layout.quasi_identifiers if other != name)
        kept = (*self.layout.keep, name) if keep else self.layout.keep
        layout = replace(self.layout, quasi_identifiers=left, keep=kept)
        return replace(self, layout=layout, table=self.table.drop([name]))

    def most_common(self) -> NDArray[np.int64]:
        """Find the most common code of each quasi-identifier."""
        columns = zip(self.table.codes.T, self.table.attributes, strict=True)
        return np.array([np.bincount(codes, minlength=a.size).argmax() for codes, a in columns])


def routing_codes(
    attributes: Sequence[Attribute], common: NDArray[np.int64], sample: Sample
) -> tuple[NDArray[np.uint16], int]:
    """Encode new rows as the fitted ones were, so that they find their classes.

    Parameters
    ----------
    attributes : sequence of Attribute
        The fitted quasi-identifiers.
    common : ndarray of int
        The most common code of each: what a value that was never seen is taken for.
    sample : Sample
        The new rows.

    Returns
    -------
    codes : ndarray of uint16 of shape (n_rows, n_attributes)
    unseen : int
        Rows with a category that was never seen, or a value missing where none was before.
    """
    codes = np.empty((sample.table.n_rows, len(attributes)), np.uint16, order="F")
    unseen = np.zeros(sample.table.n_rows, dtype=bool)
    names = [a.name for a in attributes if a.numeric]
    numbers = open_as(sample.source, sample.roles).columns(names)
    for place, attribute in enumerate(attributes):
        new, own = sample.table.attributes[place], sample.table.codes[:, place]
        known = own < new.n_values
        fitted = np.full(len(own), attribute.n_values if attribute.missing else -1)
        if attribute.numeric:
            fitted[known] = attribute.encode(numbers[attribute.name][known])
        else:
            fitted[known] = _places(attribute, new)[own[known]]
        unseen |= fitted < 0
        codes[:, place] = np.where(fitted < 0, common[place], fitted)
    return codes, int(unseen.sum())


def _places(attribute: Attribute, new: Attribute) -> NDArray[np.int64]:
    """Find the fitted code of every new category, -1 where there is none."""
    place = {category: code for code, category in enumerate(_categories(attribute))}
    texts = {str(category): code for category, code in place.items()}
    codes = [place.get(c, texts.get(str(c), -1)) for c in _categories(new)]
    return np.array(codes, dtype=np.int64)


def _categories(attribute: Attribute) -> tuple[Any, ...]:
    domain = attribute.domain
    return domain.categories if isinstance(domain, CategoricalDomain) else ()


def _read(source: Any, columns: Sequence[str], roles: Roles) -> Table:
    """Read some columns; one without any value becomes an attribute that is always missing."""
    if isinstance(source, Table):
        check_names(columns, source.names)
        return source.select(columns)
    others = [name for name in column_names(source) if name not in set(columns)]
    # a release has all rows: none may be left out as a sample would
    table = read(source, roles=narrowed(roles, columns, others), max_memory=sys.maxsize)
    for name in columns:
        if name not in table.names:
            nothing = Attribute(name, CategoricalDomain(("any",)), missing=True)
            table = table.with_column(nothing, np.ones(count_rows(source), np.uint16))
    return table.select(columns)


def narrowed(roles: Roles, columns: Iterable[str], others: Sequence[str]) -> Roles:
    """What the roles say about the values of the columns that are wanted."""
    known = set(columns)
    return Roles(
        identifiers=others,
        numeric=[n for n in roles.numeric if n in known],
        categorical=[n for n in roles.categorical if n in known],
        ordered={n: o for n, o in roles.ordered.items() if n in known},
        domains={n: d for n, d in roles.domains.items() if n in known},
        missing_values=roles.missing_values,
        missing_in={n: t for n, t in roles.missing_in.items() if n in known},
    )


def _entities(promise: AllOf) -> list[str]:
    names = [getattr(part, "entity", None) for part in promise.parts]
    return [name for name in names if name is not None]


def _apart(chosen: Iterable[str], others: Mapping[str, Iterable[str]]) -> None:
    for name in chosen:
        for what, columns in others.items():
            if name in set(columns):
                raise ParameterError(
                    f"'{name}' is a quasi-identifier and must not be {what} as well."
                    "\n\nHint: name the quasi-identifiers, all of them and no others."
                )
