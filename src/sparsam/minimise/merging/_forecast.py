"""How well the target can be told from a generalized record, by a model of sums and cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sparsam.counting import DistinctRecords
from sparsam.minimise.merging._layout import Layout
from sparsam.minimise.merging._people import Floats, Lookup, People

RIDGE = 2.0  # as if so many average people more had been seen in each bucket
_MOST_IN_PAIRS = 7  # attributes whose interactions two by two are looked at
_CELL_STRENGTH = 20.0  # as if so many people more, without a correction, were in each cell
_LEAST = 0.002


@dataclass(frozen=True)
class Additive:
    """A logistic model with one effect for each bucket and class.

    Attributes
    ----------
    effects : ndarray of float of shape (n_buckets, n_classes)
        The buckets of all attributes side by side.
    forecast : ndarray of float of shape (n_records, n_classes)
        What it believes of each generalized record.
    """

    effects: Floats
    forecast: Floats


def fit_additive(
    likely: Floats,
    found: DistinctRecords,
    layout: Layout,
    begin: tuple[Floats, Floats],
    rounds: int,
) -> Additive:
    """Fit the model to the likely classes of the people by a few Newton steps.

    Parameters
    ----------
    likely : ndarray of float of shape (n_rows, n_classes)
    found : DistinctRecords
        The generalized records of the people.
    layout : Layout
    begin : tuple
        The effects to begin with, by bucket and class, and the joint sums of the spread of the
        forecasts, by bucket and bucket, from a model near the one sought.
    rounds : int
        How many steps.
    """
    total = np.stack([np.bincount(found.index, line) for line in likely.T], axis=1)
    places = found.records.astype(np.int64) + layout.starts[:-1]
    effects, matrix = begin[0], begin[1].copy()
    matrix[np.diag_indices(len(matrix))] += RIDGE
    inverse = np.linalg.inv(matrix)
    base = np.log(total.sum(axis=0) / total.sum())
    best = tried = Additive(effects, _softmax(base + effects[places].sum(axis=1)))
    least, rate = np.inf, 1.0
    for _ in range(rounds):
        surprise = -float((total * np.log(tried.forecast)).sum())
        if surprise <= least:
            best, least = tried, surprise
        else:
            rate /= 3
        wrong = total - found.counts[:, None] * best.forecast
        gradient = np.zeros_like(effects)
        for place in places.T:
            np.add.at(gradient, place, wrong)
        effects = best.effects + rate * (inverse @ (gradient - RIDGE * best.effects))
        tried = Additive(effects, _softmax(base + effects[places].sum(axis=1)))
    return tried


def spread(forecast: Floats) -> Floats:
    """How unsure each forecast is: the chance that two draws from it differ."""
    return np.asarray(1 - (forecast**2).sum(axis=1))


def corrected(people: People, layout: Layout, additive: Additive, cells: Lookup) -> Floats:
    """The additive forecast with what the buckets tell together added.

    In each cell of two attributes, and then in each generalized record, the mean of what is still
    wrong is added, shrunk where there are few people; nobody's own class is used for the person.
    """
    forecast = additive.forecast[cells]
    for a, b in combinations(_strongest(layout, additive), 2):
        first, second = (layout.lookups[c][people.columns[c]] for c in (a, b))
        _correct(forecast, people.likely, first * layout.sizes[b] + second)
    _correct(forecast, people.likely, cells)
    forecast = np.clip(forecast, _LEAST, 1.0)
    return np.asarray(forecast / forecast.sum(axis=1, keepdims=True))


def _strongest(layout: Layout, additive: Additive) -> Sequence[int]:
    effects = [np.abs(additive.effects[layout.block(a)]).max() for a in range(len(layout.sizes))]
    return sorted(layout.collected, key=lambda a: -effects[a])[:_MOST_IN_PAIRS]


def _correct(forecast: Floats, likely: Floats, cells: NDArray[np.int64]) -> None:
    others = np.bincount(cells)[cells] - 1 + _CELL_STRENGTH
    # The shares of two classes sum to one: the second follows.
    n_classes = forecast.shape[1]
    for k in range(1 if n_classes == 2 else n_classes):
        wrong = likely[:, k] - forecast[:, k]
        forecast[:, k] += (np.bincount(cells, wrong)[cells] - wrong) / others
    if n_classes == 2:
        forecast[:, 1] = 1 - forecast[:, 0]


def _softmax(scores: Floats) -> Floats:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
