"""Look-up with back-off, against a version that counts for one record at a time."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam.assess.learners._look_up import STRENGTHS, look_up
from sparsam.assess.learners._sample import samples
from sparsam.attack import GeneralizedRecords
from sparsam.data import Roles, resolve, split
from sparsam.generalization import Generalization


@pytest.fixture(scope="module", params=["classes", "number"])
def sample(request):
    """Attribute a tells most, b less and c nothing."""
    rng = np.random.default_rng(0)
    a, b, c = rng.integers(0, 4, 600), rng.integers(0, 3, 600), rng.integers(0, 5, 600)
    number = 10.0 * a + 3 * b + rng.normal(0, 4, 600)
    y = number if request.param == "number" else np.digitize(number, [12, 24]).astype(str)
    columns = {"c": c, "a": a, "b": b, "y": y}
    data = split(resolve(columns, Roles("y")))
    records = GeneralizedRecords.of(Generalization.identity(data.train.table), data)
    return next(samples(records, data))[1]


def _slow(sample, strength: float) -> np.ndarray:
    """What is believed of each record: everyone, then those who share a, then b, then c too."""
    told = np.empty((len(sample.codes), sample.sums.shape[1]))
    for line, record in enumerate(sample.codes):
        alike = np.ones(len(sample.codes), dtype=bool)
        told[line] = sample.sums.sum(axis=0) / sample.people.sum()
        for column in (1, 2, 0):
            alike &= sample.codes[:, column] == record[column]
            people, sums = sample.people[alike].sum(), sample.sums[alike].sum(axis=0)
            told[line] = (sums + strength * told[line]) / (people + strength)
    return told


def test_each_group_held_out_has_the_strength_that_suits_it(sample) -> None:
    beliefs = look_up(sample)
    believed = np.stack([_slow(sample, strength) for strength in STRENGTHS])

    def losses(held_out: np.ndarray) -> np.ndarray:
        sums, people = held_out[:, :-1], held_out[:, -1:]
        if sums.shape[1] == 1:
            return (people * believed**2 - 2 * believed * sums).sum(axis=(1, 2))
        return -(sums * np.log(np.maximum(believed, 1e-12))).sum(axis=(1, 2))

    for belief, held_out in zip(
        beliefs, [*sample.held_out, sample.held_out.sum(axis=0)], strict=True
    ):
        np.testing.assert_allclose(belief, believed[losses(held_out).argmin()])
