"""What a model says of people."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression

from sparsam.attack.membership._answers import ClassProbabilities


def test_class_that_a_reference_never_saw_has_no_probability() -> None:
    people = np.arange(6.0)[:, None]
    model = LogisticRegression().fit(people[:4], ["a", "a", "b", "b"])
    answers = ClassProbabilities.of(model, people, ["a", "a", "b", "b", "c", "c"])
    assert answers.probabilities.shape == (6, 3)
    assert answers.confidence()[4:].tolist() == [0.0, 0.0]
    assert np.isfinite(answers.loss()).all()
