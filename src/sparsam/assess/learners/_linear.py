"""Linear models: a number or a category adds its own share, whatever the others are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsam.assess.learners._sample import Beliefs, Floats, Sample, ranges_of
from sparsam.counting import Linear

MOST_RANGES = 8
_FEW_COLUMNS = 40  # numbers of more columns are told by themselves, not by ranges too
_MODEL = Linear(ridge=1.0)


def logistic_regression(sample: Sample, random_state: int = 0) -> Beliefs:
    """Shares of the classes from a linear model: good at many attributes and few people."""
    shares = _MODEL.shares(*_design(sample), sample.sums)
    return np.broadcast_to(shares, (3, *shares.shape))


def ridge_regression(sample: Sample, random_state: int = 0) -> Beliefs:
    """The number from a linear model."""
    means = _MODEL.means(*_design(sample), sample.sums, sample.people)
    return np.broadcast_to(means, (3, *means.shape))


def _design(sample: Sample) -> tuple[NDArray[np.uint16], list[int], Floats]:
    """Categories as codes; numbers as they are, as ranks and in a few ranges."""
    codes, sizes = [], []
    ordered = sum(values is not None for values in sample.values)
    numbers, n_numbers = np.empty((len(sample.codes), 2 * ordered)), 0
    for column, values in enumerate(sample.values):
        own, size = sample.codes[:, column], sample.sizes[column]
        if values is not None:
            people = np.bincount(own, sample.people, size)
            for each in (values, np.cumsum(people).astype(float)):
                numbers[:, n_numbers] = _standard(each, people)[own]
                n_numbers += 1
            if len(sample.values) > _FEW_COLUMNS:
                continue
            ranges = ranges_of(people, MOST_RANGES)
            own, size = ranges[own], int(ranges.max()) + 1
        codes.append(own)
        sizes.append(size)
    coded = np.empty((len(sample.codes), len(codes)), dtype=np.uint16)
    for column, own in enumerate(codes):
        coded[:, column] = own
    return coded, sizes, numbers


def _standard(values: Floats, people: NDArray[np.floating | np.integer]) -> Floats:
    """Numbers with a mean of zero and a variance of one; zero where there is none."""
    known = np.isfinite(values)
    weights = np.where(known, people, 0.0)
    numbers = np.where(known, values, 0.0)
    total = max(float(weights.sum()), 1.0)
    centred = np.where(known, numbers - weights @ numbers / total, 0.0)
    spread = float(np.sqrt(weights @ centred**2 / total))
    return np.asarray(centred / (spread if spread > 0 else 1.0))
