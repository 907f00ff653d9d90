"""A7: link two partial records of the same person through the generalized table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from sparsam._checks import check_whole
from sparsam._errors import DataError, ParameterError, hint
from sparsam.attack._records import lookups_of, part_of
from sparsam.attack._risk import Risk
from sparsam.attack._statistics import paired_difference, wilson_interval
from sparsam.counting import record_keys
from sparsam.data import Split, Task
from sparsam.generalization import Generalization

Ids = NDArray[np.int64]
Weights = NDArray[np.float64]

_PRIOR_PEOPLE = 20.0


@dataclass(frozen=True)
class Linkage:
    """Find out which partial records belong to the same person (A7).

    Two organisations hold exact but partial records of the same people: attributes A here,
    attributes B there. The adversary has both lists in random order, the generalized records of
    these people, and the training part at full resolution, and links each record of one list to
    one of the other so that the links together are the most likely (optimal assignment).

    Parameters
    ----------
    first, second : sequence of str, optional
        The attributes A and B; every other attribute of the table when not given.
    people : int, default=500
        How many people are linked at once.
    groups : int, default=4
        How many such groups of people are tried.
    random_state : int, default=0

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> risk = Linkage(people=100, groups=2).attack(tree.generalization_, data)
    >>> risk.id, risk.n
    ('A7', 200)
    """

    id: ClassVar[str] = "A7"
    name: ClassVar[str] = "A7 linkability"

    first: Sequence[str] | None = None
    second: Sequence[str] | None = None
    people: int = 500
    groups: int = 4
    random_state: int = 0

    def attack(self, generalization: Generalization, data: Split, part: str = "test") -> Risk:
        """Link people of one part of the data.

        Returns
        -------
        Risk
            `value` is the share of people linked to someone else's record; `baseline` the same
            without the generalized table, on the same lists in the same order. `details` hold the
            figure of Staab et al. (`value_matched`: the value of A is right, whoever's it is)
            beside its chance level.
        """
        sides = self._sides(data)
        rng = np.random.default_rng(self.random_state)
        groups = self._groups(part_of(data, part), rng)
        trials = [_Trial.of(people, sides, generalization, data) for people in groups]
        pairs = [trial.linked(rng) for trial in trials]
        linked, without = (np.concatenate(people) for people in zip(*pairs, strict=True))
        matched = np.mean([trial.value_matched() for trial in trials], axis=0)
        return Risk(
            adversary=self.name,
            id=self.id,
            measure="error",
            value=float(1 - linked.mean()),
            baseline=float(1 - without.mean()),
            interval=wilson_interval(int((~linked).sum()), len(linked)),
            n=len(linked),
            split=part,
            random_state=self.random_state,
            details={
                "advantage_interval": list(paired_difference(linked, without)[1]),
                "first": [data.train.names[column] for column in sides[0]],
                "second": [data.train.names[column] for column in sides[1]],
                "value_matched": float(matched[0]),
                "value_matched_by_chance": float(matched[1]),
                "people_at_once": groups[0].n_rows,
            },
        )

    def _sides(self, data: Split) -> tuple[list[int], list[int]]:
        names = data.train.names
        first = names[::2] if self.first is None else self.first
        second = names[1::2] if self.second is None else self.second
        if not first or not second:
            raise DataError(
                "Linking needs at least one attribute on each side."
                + hint("name them in 'first' and 'second'", "leave A7 out of --adversary")
            )
        for name in (*first, *second):
            if name not in names:
                raise ParameterError(
                    "The 'first' and 'second' parameters of Linkage must list attributes of the "
                    f"table. '{name}' is none."
                )
        return [names.index(name) for name in first], [names.index(name) for name in second]

    def _groups(self, people: Task, rng: np.random.Generator) -> list[Task]:
        """Groups of people, none of whom is in two of them."""
        check_whole("Linkage", "people", self.people, 2)
        check_whole("Linkage", "groups", self.groups, 1)
        if people.n_rows < 2:
            raise DataError(f"Linking needs at least two people. Got {people.n_rows}.")
        size = min(self.people, people.n_rows)
        n_groups = min(self.groups, people.n_rows // size)
        order = rng.permutation(people.n_rows)[: n_groups * size]
        return [people.take(rows) for rows in np.split(order, n_groups)]


@dataclass(frozen=True)
class _Side:
    """One list of partial records: values and buckets of the people in it, and in training."""

    value: Ids
    bucket: Ids
    known_value: Ids
    known_bucket: Ids


@dataclass(frozen=True)
class _Trial:
    """One group of people: line i and column i of its matrices are the same person's A and B."""

    first: _Side
    second: _Side

    @classmethod
    def of(
        cls,
        people: Task,
        sides: tuple[list[int], list[int]],
        generalization: Generalization,
        data: Split,
    ) -> _Trial:
        codes = np.concatenate([people.codes, data.train.codes])
        lookups = lookups_of(generalization, data)
        buckets = np.column_stack([lookup[codes[:, a]] for a, lookup in enumerate(lookups)])

        def side(columns: list[int]) -> _Side:
            value, bucket = _ids(codes[:, columns]), _ids(buckets[:, columns])
            n = people.n_rows
            return _Side(value[:n], bucket[:n], value[n:], bucket[n:])

        return cls(side(sides[0]), side(sides[1]))

    def linked(self, rng: np.random.Generator) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether each person is linked to the own record, with the table and without it."""
        order = rng.permutation(len(self.first.value)), rng.permutation(len(self.first.value))
        believed = self.believed()
        return _linked(self.weights(believed), order), _linked(believed, order)

    def weights(self, believed: Weights) -> Weights:
        """Chance that A of line i belongs to B of column j, with the generalized table.

        The table says how many people have the bucket of A and the bucket of B. What is believed
        without it is raised or lowered so that it expects as many. With one bucket on either side
        it says no more than the two lists do.
        """
        if min(len(np.unique(side.bucket)) for side in (self.first, self.second)) == 1:
            return believed
        counted = _block_sums(self.first.bucket, self.second.bucket, np.eye(len(believed)))
        expected = _block_sums(self.first.bucket, self.second.bucket, believed)
        weights = believed * counted / expected
        return np.asarray(weights / weights.sum(axis=0))

    def believed(self) -> Weights:
        """The same from the training part alone: P(a | b), spread over those listed.

        Few people with the value b are backed by those with its bucket, these by everyone.
        """
        first, second = self.first, self.second
        n_known = len(first.known_value)
        overall = (_counts(first.value, first.known_value) + 1) / (n_known + len(first.value))
        near = _shrunk(
            _pair_counts(first.value, second.bucket, first.known_value, second.known_bucket),
            _counts(second.bucket, second.known_bucket),
            overall[:, None],
        )
        exact = _shrunk(
            _pair_counts(first.value, second.value, first.known_value, second.known_value),
            _counts(second.value, second.known_value),
            near,
        )
        return np.asarray(exact / exact.sum(axis=0))

    def value_matched(self) -> tuple[float, float]:
        """How often a draw from p(x_A | x_B = b) has the right value, and one from all of A.

        p is the share, among people with the bucket of b, of those with the bucket of a
        (Staab et al., Appendix A), in equal parts for the people in that bucket.
        """
        a, b = self.first.bucket, self.second.bucket
        counted = _block_sums(a, b, np.eye(len(a)))
        drawn = counted / _counts(b, b) / _counts(a, a)[:, None]
        right = self.first.value[:, None] == self.first.value
        return float((drawn * right).sum(axis=0).mean()), float(right.mean())


def _ids(codes: NDArray[np.uint16]) -> Ids:
    """Number the distinct rows."""
    keys = record_keys(codes, [int(column.max()) + 1 for column in codes.T])
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)


def _shrunk(pairs: Weights, seen: Weights, prior: Weights) -> Weights:
    """Shares among the people seen and some more who are like the prior."""
    return (pairs + _PRIOR_PEOPLE * prior) / (seen + _PRIOR_PEOPLE)


def _counts(wanted: Ids, known: Ids) -> Weights:
    """How often each wanted id occurs among the known ones."""
    return np.bincount(known, minlength=int(wanted.max()) + 1)[wanted].astype(float)


def _pair_counts(rows: Ids, columns: Ids, known_rows: Ids, known_columns: Ids) -> Weights:
    """How often each pair of a row id and a column id occurs among the known pairs."""
    row_ids, row_of = np.unique(rows, return_inverse=True)
    column_ids, column_of = np.unique(columns, return_inverse=True)
    here = np.isin(known_rows, row_ids) & np.isin(known_columns, column_ids)
    places = (
        np.searchsorted(row_ids, known_rows[here]),
        np.searchsorted(column_ids, known_columns[here]),
    )
    table = np.zeros((len(row_ids), len(column_ids)))
    np.add.at(table, places, 1.0)
    return table[np.ix_(row_of, column_of)]


def _block_sums(rows: Ids, columns: Ids, weights: Weights) -> Weights:
    """For each pair of people, the sum over all pairs with the same row id and column id."""
    _, row = np.unique(rows, return_inverse=True)
    _, column = np.unique(columns, return_inverse=True)
    cells = row[:, None] * (int(column.max()) + 1) + column
    # Not by matrix products: these add up differently on another number of cores.
    return np.asarray(np.bincount(cells.ravel(), weights.ravel())[cells])


def _linked(weights: Weights, order: tuple[Ids, Ids]) -> NDArray[np.bool_]:
    """Whether each person is linked to the own record by the most likely assignment.

    Line i and column i are the same person. The lists are in random order, so that among equally
    likely assignments none is preferred.
    """
    first, second = order
    cost = -np.log(np.maximum(weights[np.ix_(first, second)], 1e-300))
    lines, columns = linear_sum_assignment(cost)
    linked = np.zeros(len(weights), dtype=bool)
    linked[second[columns]] = first[lines] == second[columns]
    return linked
