"""What a linear model is shown of numbers and of categories."""

from __future__ import annotations

import numpy as np

from sparsam.assess.learners._linear import logistic_regression
from sparsam.assess.learners._sample import samples
from sparsam.attack import GeneralizedRecords
from sparsam.data import Roles, resolve, split
from sparsam.generalization import Generalization


def test_categories_ranges_and_missing_numbers_have_shares_of_their_own() -> None:
    """No order of the jobs or of the ages tells the class: in the middle it is the other one."""
    rng = np.random.default_rng(0)
    job, age = rng.integers(0, 5, 3000), rng.uniform(0, 80, 3000)
    age[::10] = np.nan
    raw = np.where(job == 2, 3.0, 0.0) + np.where((age > 30) & (age < 60), 3.0, -1.0)
    y = rng.random(3000) < 1 / (1 + np.exp(1.5 - raw))
    columns = {"job": [f"j{code}" for code in job], "age": age, "y": y.astype(str)}
    data = split(resolve(columns, Roles("y")))
    records = GeneralizedRecords.of(Generalization.identity(data.train.table), data)
    _, sample = next(samples(records, data))
    shares = logistic_regression(sample)[2]
    guess = shares.argmax(axis=1)[records.index["test"]]
    best = (raw[data.rows[2]] > 1.5).astype(int)
    assert (guess == best).mean() > 0.9
