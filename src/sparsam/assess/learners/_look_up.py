"""Tell the target from counts: what people with the same record had."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsam.assess.learners._sample import Beliefs, Floats, Rows, Sample
from sparsam.counting import record_keys

STRENGTHS = (0.5, 2.0, 8.0, 32.0)
_LEAST = 1e-12  # a share of zero is a surprise, but not an infinite one


def look_up(sample: Sample, random_state: int = 0) -> Beliefs:
    """Shares or means of the people with the same record, backing off to coarser records.

    As in `sparsam.attack`: what is told of people who share the first columns with a record is
    shrunk towards what is told of those who share one column less, as if m people more had been
    seen there; m is chosen on people held out. The columns are ordered by how much they tell.
    """
    order = _most_telling_first(sample)
    by_rank, common = _ranked(sample.codes[:, order], [sample.sizes[c] for c in order])
    told, group = _told(sample, by_rank, common, len(order))
    del common
    watched = np.flatnonzero(sample.held_out.sum(axis=(0, 2))[by_rank])
    believed = np.stack([shares[group[watched]] for shares in told])
    losses = np.stack([_losses(believed, half[by_rank[watched]]) for half in sample.held_out])
    best = [*losses.argmin(axis=1), losses.sum(axis=0).argmin()]
    beliefs = np.empty((3, *told[0][group].shape))
    for belief, place in zip(beliefs, best, strict=True):
        belief[by_rank] = told[place][group]
    return beliefs


def _ranked(columns: NDArray[np.uint16], sizes: list[int]) -> tuple[Rows, Rows]:
    """The records in their order, and how many columns each shares with the one before."""
    columns = np.ascontiguousarray(columns)
    by_rank = np.argsort(record_keys(columns, sizes), kind="stable")
    ranked = columns[by_rank]
    equal = np.cumprod(ranked[1:] == ranked[:-1], axis=1, dtype=np.int8)
    return by_rank, np.concatenate([[-1], equal.sum(axis=1, dtype=np.int64)])


def _told(sample: Sample, by_rank: Rows, common: Rows, n_columns: int) -> tuple[list[Floats], Rows]:
    """For each strength what is told of each group of records, and the group of each record."""
    sums, people = sample.sums[by_rank], sample.people[by_rank, None]
    group = np.zeros(len(by_rank), dtype=np.int64)
    # one by one, as each may be as large as all records together
    told = [sample.mean[None, :] for _ in STRENGTHS]
    for level in range(1, n_columns + 1):
        first = np.flatnonzero(common < level)
        if len(first) > len(told[0]):  # otherwise the column parts nobody further
            seen = np.add.reduceat(people, first, axis=0)
            here = np.add.reduceat(sums, first, axis=0)
            for place, strength in enumerate(STRENGTHS):
                shares = told[place][group[first]]
                shares *= strength
                shares += here
                shares /= seen + strength
                told[place] = shares
            group = np.cumsum(common < level) - 1
    return told, group


def _losses(believed: Floats, held_out: Floats) -> Floats:
    """For each strength, how far people are from what is believed of them."""
    sums, people = held_out[:, :-1], held_out[:, -1:]
    if sums.shape[1] > 1:
        return np.asarray(-(np.log(np.maximum(believed, _LEAST)) * sums).sum(axis=(1, 2)))
    return np.asarray((believed * (people * believed - 2 * sums)).sum(axis=(1, 2)))


def _most_telling_first(sample: Sample) -> list[int]:
    """The columns by how far what their codes tell lies apart."""
    lines = np.flatnonzero(sample.people)
    spread = [
        _spread(sample.codes[lines, column], sample.sums[lines], sample.people[lines], size)
        for column, size in enumerate(sample.sizes)
    ]
    return [int(column) for column in np.argsort(-np.array(spread), kind="stable")]


def _spread(codes: NDArray[np.uint16], sums: Floats, people: Floats, size: int) -> float:
    """Mutual information with the classes or, for numbers, the variance between codes."""
    seen = np.bincount(codes, people, size)
    told = np.stack([np.bincount(codes, column, size) for column in sums.T], axis=1)
    if told.shape[1] > 1:
        return _minus_entropy(told) - _minus_entropy(seen)
    mean = float(told.sum() / seen.sum())
    return float((seen * (told[:, 0] / np.maximum(seen, 1.0) - mean) ** 2).sum())


def _minus_entropy(counts: NDArray[np.floating | np.integer]) -> float:
    """Sum of n log n."""
    positive = counts[counts > 0]
    return float((positive * np.log(positive)).sum())
