"""From the values of a column to its attribute and its codes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data._attribute import MAX_CATEGORIES, Attribute, as_numbers
from sparsam.data._domain import CategoricalDomain, Domain, NumericDomain, plain
from sparsam.data._factor import Factored, factorise, from_dictionary
from sparsam.data._roles import Roles
from sparsam.data._rounding import rounded_range
from sparsam.data._target import Target
from sparsam.data.source._source import Column


class Encoded(NamedTuple):
    """An attribute, the codes of its rows, and what there is to say about it."""

    attribute: Attribute
    codes: NDArray[np.uint16]
    notes: tuple[str, ...] = ()


def encode_column(
    column: Column, roles: Roles, max_codes: int, target: Target | None = None
) -> Encoded | None:
    """Find the domain of a column and encode its rows; None when it has no value at all.

    Parameters
    ----------
    column : Column
        The column as it came.
    roles : Roles
        What the user declared about it.
    max_codes : int
        The most codes that a numeric column gets before it is cut into bins.
    target : Target or None
        An expression over this column, whose edges no bin may lie across.
    """
    name = column.name
    declared = roles.domains.get(name)
    if name in roles.ordered:
        declared = CategoricalDomain(tuple(roles.ordered[name]), ordered=True)
    if declared is None and column.order and name not in roles.numeric:
        declared = CategoricalDomain(tuple(column.order), ordered=column.ordered)
    as_text = name in roles.categorical or isinstance(declared, CategoricalDomain)
    factored = _factored(column, roles, as_text or column.categorical)
    if isinstance(declared, CategoricalDomain):
        return _declared(name, factored, declared)
    if factored.kind == "empty" and declared is None:
        return None
    if declared is not None or name in roles.numeric:
        return _numeric(name, factored, declared, max_codes, target)
    if factored.kind == "number" and not (as_text or column.categorical):
        return _numeric(name, factored, None, max_codes, target)
    return _categorical(name, factored)


def _factored(column: Column, roles: Roles, as_text: bool) -> Factored:
    missing = frozenset(roles.missing_values)
    factored = factorise(column.name, column.values, missing=missing, as_text=as_text)
    return factored if column.positions is None else from_dictionary(factored, column.positions)


def _declared(name: str, factored: Factored, domain: CategoricalDomain) -> Encoded:
    attribute = Attribute(name, domain, missing=factored.has_missing)
    return Encoded(attribute, attribute.encode_factored(factored))


def _categorical(name: str, factored: Factored) -> Encoded:
    if len(factored.values) > MAX_CATEGORIES:
        raise DataError(
            f"'{name}' must have at most {MAX_CATEGORIES:,} categories. "
            f"Got {len(factored.values):,} instead."
            "\n\nHint: list it under identifiers if it names a person, or drop it."
        )
    domain = CategoricalDomain(tuple(plain(value) for value in factored.values))
    attribute = Attribute(name, domain, missing=factored.has_missing)
    # the distinct values are in the order of the domain, so that positions are codes
    codes = np.where(factored.codes < 0, attribute.n_values, factored.codes)
    return Encoded(attribute, codes.astype(np.uint16))


def _numeric(
    name: str, factored: Factored, declared: Domain | None, max_codes: int, target: Target | None
) -> Encoded | None:
    numbers = factorise(name, as_numbers(name, factored))
    factored = from_dictionary(numbers, factored.codes)
    values = factored.values.astype(np.float64)
    if not values.size:
        return _nothing(name, factored, declared)
    bins = _bins(values, factored.counts(), max_codes, target)
    if isinstance(declared, NumericDomain):
        _check_range(name, factored, declared)
        domain = declared
    else:
        domain = rounded_range(values, factored.counts())
    starts = np.flatnonzero(np.diff(bins, prepend=-1))
    ends = np.append(starts[1:], len(values)) - 1
    attribute = Attribute(name, domain, values[starts], values[ends], factored.has_missing)
    lookup = np.append(bins, attribute.n_values).astype(np.uint16)
    return Encoded(attribute, lookup[factored.codes], _notes(attribute, factored))


def _nothing(name: str, factored: Factored, declared: Domain | None) -> Encoded | None:
    """Encode a column without any value: possible only where its range is declared."""
    if not isinstance(declared, NumericDomain):
        return None
    ends = np.array([declared.low]), np.array([declared.high])
    attribute = Attribute(name, declared, *ends, missing=True)
    return Encoded(attribute, np.ones(len(factored.codes), dtype=np.uint16))


def _bins(
    values: NDArray[np.float64],
    counts: NDArray[np.int64],
    max_codes: int,
    target: Target | None,
) -> NDArray[np.int64]:
    """Return the bin of every distinct value: its own, or one of about equally many rows."""
    if len(values) <= max_codes:
        return np.arange(len(values))
    middle = np.cumsum(counts) - counts / 2
    quantile = np.minimum((middle / counts.sum() * max_codes).astype(np.int64), max_codes - 1)
    changes = np.diff(quantile, prepend=quantile[0]) != 0
    if target is not None:
        segments = target.segments(values)
        changes |= np.diff(segments, prepend=segments[0]) != 0
    return np.cumsum(changes)


def _check_range(name: str, factored: Factored, domain: NumericDomain) -> None:
    values = factored.values.astype(np.float64)
    outside = (values < domain.low) | (values > domain.high)
    broken = (np.floor(values) != values) & domain.integer
    for bad, what in ((outside, "outside it"), (broken, "that are no whole number")):
        if bad.any():
            rows = int(factored.counts()[bad].sum())
            raise DataError(
                f"'{name}' must lie in its declared domain. Got {rows:,} rows {what}."
                "\n\nHint: widen the declared domain, or correct the rows."
            )


def _notes(attribute: Attribute, factored: Factored) -> tuple[str, ...]:
    name, distinct = attribute.name, len(factored.values)
    notes = []
    if attribute.binned:
        notes.append(f"{name}: {distinct:,} values cut into {attribute.n_values:,} quantile bins")
    whole = isinstance(attribute.domain, NumericDomain) and attribute.domain.integer
    if whole and 20 <= distinct == len(factored.codes):
        notes.append(
            f"{name}: another whole number in every row; "
            "if it names a person, list it under identifiers"
        )
    return tuple(notes)
