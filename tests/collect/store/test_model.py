"""A model that is learned from what is stored."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from sparsam._errors import DataError, MissingExtraError, ParameterError
from sparsam._small_counts import share_step
from sparsam.collect import Questionnaire, Target
from sparsam.collect.store._collected import Collected
from sparsam.collect.store._model import hold_out, save_model, train_model
from sparsam.collect.store._training import Training
from sparsam.data import load_model

from ..recodings import example
from .examples import COARSE, LETTERS, TARGET, generalization


def people(n_people: int = 2_000, noise: float = 0.1) -> Training:
    """Who works has a middle age and the first job, or neither: no sum of the two tells it."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (n_people, 2))
    works = (codes[:, 0] == 1) ^ (codes[:, 1] == 0) ^ (rng.random(n_people) < noise)
    rows, counts = np.unique(np.column_stack([codes, works]), axis=0, return_counts=True)
    kept = Collected.of(COARSE, TARGET)
    return kept.training([(*row, n) for row, n in zip(rows.tolist(), counts, strict=True)])


def test_pairs_of_buckets_are_learned():
    pairs, linear = hold_out(people(), "pairs"), hold_out(people(), "linear")
    assert pairs.accuracy > 0.87
    assert linear.accuracy < 0.85
    assert 0.45 < pairs.baseline < 0.6
    assert 300 < pairs.records < 500
    facts = pairs.to_dict()
    assert facts["split"] == "one fifth of the records, held out"
    steps = facts["accuracy"] / share_step(pairs.records)
    assert abs(steps - round(steps)) < 1e-9  # in steps of five people


def test_the_same_seed_holds_out_the_same_records():
    assert hold_out(people(), random_state=3) == hold_out(people(), random_state=3)
    assert hold_out(people(), random_state=3) != hold_out(people(), random_state=4)


def test_a_model_is_saved_in_a_file_that_runs_no_code(tmp_path):
    pytest.importorskip("skops", reason="skops is not installed (extra models)")
    training = people()
    model = train_model(training)
    save_model(model, tmp_path / "model.skops")
    opened = load_model(tmp_path / "model.skops")  # which trusts no unknown type
    answers = opened.predict(training.records)
    expected = model.predict(np.column_stack(list(training.records.values())))
    assert answers.tolist() == expected.tolist()


def test_without_skops(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops", None)
    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(MissingExtraError, match=r"sparsam\[models\]"):
        save_model(object(), tmp_path / "model.skops")


def test_what_nothing_can_be_learned_from():
    with pytest.raises(DataError, match="needs a target"):
        train_model(Collected.of(COARSE, None).training([(0, 0, 5)]))
    with pytest.raises(DataError, match="two classes"):
        train_model(Collected.of(COARSE, TARGET).training([(0, 0, 1, 5)]))
    with pytest.raises(DataError, match="two classes"):
        hold_out(Collected.of(COARSE, TARGET).training([]))
    idle = generalization([], [["cook", "smith", "nurse", "judge"]])
    with pytest.raises(DataError, match="the target alone"):
        train_model(Collected.of(idle, TARGET).training([(0, 3), (1, 3)]))
    kept = Collected.of(LETTERS, Target("y", ("a", "b")))
    letters = kept.training([(*range(12), 0, 1), (*range(12), 1, 1)])
    with pytest.raises(ParameterError, match="600 buckets at most"):
        train_model(letters)
    assert train_model(letters, "linear").predict([["0"] * 12]).tolist() in (["a"], ["b"])
    with pytest.raises(ParameterError, match="learner"):
        train_model(letters, "deep")


def test_too_few_records_tell_nothing():
    assert hold_out(Collected.of(COARSE, TARGET).training([(0, 0, 0, 1), (1, 0, 1, 2)])) is None


def test_interviews_are_learned_from_too():
    kept = Collected.of(Questionnaire(example()), TARGET)
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 6, 2_000)
    works = np.isin(numbers, [1, 4, 5]) ^ (rng.random(2_000) < 0.1)  # some towns, some hours
    rows, counts = np.unique(np.column_stack([numbers, works]), axis=0, return_counts=True)
    pairs = zip(rows.tolist(), counts.tolist(), strict=True)
    training = kept.training([(*row, n) for row, n in pairs])
    judged = hold_out(training)
    assert judged.accuracy > 0.87
    assert judged.baseline < 0.6
    told = train_model(training).predict(np.column_stack(list(training.records.values())))
    right = np.isin(rows[:, 0], [1, 4, 5])
    assert ((told == "yes") == right).all()
