"""How many personal values an adversary who counts would guess."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsam.minimise.merging._people import Floats, Layout, Lookup, People

_Runs = tuple[NDArray[np.int64], NDArray[np.int64]]

_SOFT = 0.3  # weight of the Gini value, which also sees what does not change the best guess yet
_STRENGTH = 5.0  # as if so many people more had been seen in each record, who are like the prior
_MOST_CELLS = 4_000_000  # to look at in one go


class PairRisk:
    """The risk from the own bucket of each personal attribute and one other attribute at a time.

    It needs tables of pairs only, so the effect of a change is found without a look at the people.
    What several attributes tell beyond the own bucket is added up as if at right angles.

    Parameters
    ----------
    people : People
    lookups : list of ndarray of int
    before : PairRisk, optional
        That of a generalization which differs in one attribute only.
    changed : int, optional
        This attribute.
    """

    def __init__(
        self,
        people: People,
        lookups: list[Lookup],
        before: PairRisk | None = None,
        changed: int | None = None,
    ) -> None:
        self._people, self._lookups = people, lookups
        personal, n_attributes = people.task.personal, len(lookups)
        if before is None or changed is None:
            self._runs = [_runs(lookup) for lookup in lookups]
        else:
            self._runs = [*before._runs]
            self._runs[changed] = _runs(lookups[changed])
        unknown = np.zeros((len(personal), n_attributes))
        self._hits: Floats = unknown if before is None else before._hits.copy()
        for q, p in enumerate(personal):
            stale = range(n_attributes) if before is None or p == changed else [changed]
            for b in stale:
                if b is not None:
                    self._hits[q, b] = self._hit(p, b)

    @property
    def value(self) -> float:
        """Share of personal values guessed, by the weights of the attributes."""
        personal = np.array(self._people.task.personal, dtype=np.int64)
        own = self._hits[np.arange(len(personal)), personal]
        more = np.maximum(self._hits - own[:, None], 0.0)
        together = np.minimum(own + np.sqrt((more**2).sum(axis=1)), 1.0)
        return float(together @ self._people.weights)

    def after(self, a: int, lookup: Lookup) -> float:
        """The value with another partition of one attribute."""
        lookups = [*self._lookups[:a], lookup, *self._lookups[a + 1 :]]
        return PairRisk(self._people, lookups, self, a).value

    def most_telling(self, q: int) -> int:
        """The attribute that tells most of a personal one, beside its own bucket."""
        return int(self._hits[q].argmax())

    def _joint_counts(self, p: int, b: int) -> NDArray[np.float32]:
        return joint_counts(self._people, self._lookups, p, b, self._runs[b])

    def _hit(self, p: int, b: int) -> float:
        """Share of the values of attribute p guessed from its own bucket and the bucket of b."""
        table = self._joint_counts(p, b)
        order, borders = self._runs[p]
        table = table[order]
        best = np.maximum.reduceat(table, borders, axis=0).sum()
        total = np.add.reduceat(table, borders, axis=0)
        squares = np.add.reduceat(table * table, borders, axis=0) / np.maximum(total, 1.0)
        return float((1 - _SOFT) * best + _SOFT * squares.sum()) / self._people.n_rows


def joint_counts(
    people: People, lookups: list[Lookup], p: int, b: int, runs: _Runs | None = None
) -> NDArray[np.float32]:
    """How many people have each atom of p and each bucket of b; in all, where b is p itself."""
    if b == p or not lookups[b].any():
        return people.counts[people.block(p)][:, None].astype(np.float32)
    order, borders = _runs(lookups[b]) if runs is None else runs
    table = people.pair_counts[people.block(p), people.block(b)]
    return np.asarray(np.add.reduceat(table[:, order], borders, axis=1))


def _runs(lookup: Lookup) -> _Runs:
    """The atoms sorted by bucket, and where each bucket begins."""
    order = np.argsort(lookup, kind="stable")
    ranked = lookup[order]
    return order, np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))


def record_risk(
    people: People, layout: Layout, pairs: PairRisk, cells: Lookup, records: Lookup
) -> float:
    """Share of personal values guessed from whole generalized records.

    The guess is the value most frequent among the others with the same record, as if a few more
    had been seen there who are like those with the same own and most telling other bucket. Where
    records are too rare for that, these two buckets alone may tell more.

    Parameters
    ----------
    people : People
    layout : Layout
    pairs : PairRisk
    cells : ndarray of int of shape (n_rows,)
        Which generalized record each person has.
    records : ndarray of int of shape (n_records, n_attributes)
    """
    risk = 0.0
    for q, p in enumerate(people.task.personal):
        if layout.sizes[p] == people.sizes[p]:
            risk += people.weights[q]
        elif people.weights[q] > 0:
            hits = _hits_in_records(people, layout, (p, pairs.most_telling(q)), cells, records)
            risk += people.weights[q] * hits / people.n_rows
    return float(risk)


def _hits_in_records(
    people: People, layout: Layout, pair: tuple[int, int], cells: Lookup, records: Lookup
) -> float:
    """How many values of the first attribute are guessed; the second is the most telling one."""
    p, b = pair
    size, own = people.sizes[p], layout.lookups[p]
    table = joint_counts(people, layout.lookups, p, b)
    in_bucket = np.zeros((layout.sizes[p], table.shape[1]), dtype=np.float32)
    np.add.at(in_bucket, own, table)
    prior = (_STRENGTH * table / np.maximum(in_bucket[own], 1.0)).T
    step = max(1, _MOST_CELLS // size)
    hits = 0.0
    for first in range(0, len(records), step):
        some = records[first : first + step]
        inside = np.flatnonzero((cells >= first) & (cells < first + step))
        keys = (cells[inside] - first) * size + people.columns[p][inside]
        counts = np.bincount(keys, minlength=len(some) * size).reshape(len(some), size)
        other = some[:, b] if len(prior) > 1 else np.zeros(len(some), dtype=np.int64)
        hits += _hits(counts, np.where(own == some[:, p : p + 1], prior[other], 0.0))
    order, borders = _runs(own)
    return max(hits, float(np.maximum.reduceat(table[order], borders, axis=0).sum()))


def _hits(counts: NDArray[np.int64], prior: Floats | NDArray[np.float32]) -> float:
    """How many people are guessed rightly by all others: the best guess must stand without them."""
    score = counts + prior
    lines, top = np.arange(len(score)), score.argmax(axis=1)
    best, people = score[lines, top], counts[lines, top]
    score[lines, top] = -1.0
    return float(people[best - 1 >= score.max(axis=1)].sum())
