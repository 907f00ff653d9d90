"""What a store gives to a model, against the people themselves."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from sparsam.collect import GeneralizationStep, Store
from sparsam.collect.store._training import Training

from .examples import COARSE, TARGET


def test_training_on_counts_is_training_on_the_people(tmp_path):
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.integers(0, 3, 400), rng.integers(0, 3, 400)])
    works = ((codes[:, 0] == 1) ^ (rng.random(400) < 0.2)).astype(int)
    with Store.open(tmp_path / "a.db", COARSE, keep_days=9, target=TARGET) as store:
        store.add(np.column_stack([codes, works]).tolist())
        training = store.training()
    assert training.weights.sum() == 400
    assert len(training.weights) <= 18
    people = {
        name: np.array(COARSE[name].labels, dtype=object)[codes[:, place]]
        for place, name in enumerate(COARSE.collected)
    }
    labels = np.array(TARGET.classes, dtype=object)[works]
    door = GeneralizationStep(COARSE, accept="generalized")
    records, target, weights = training
    learned = make_pipeline(door, LogisticRegression(tol=1e-9, max_iter=1000)).fit(
        records, target, logisticregression__sample_weight=weights
    )
    expected = make_pipeline(door, LogisticRegression(tol=1e-9, max_iter=1000)).fit(people, labels)
    assert np.allclose(learned.predict_proba(people), expected.predict_proba(people), atol=1e-4)
    # the codes alone, for whoever wants no pipeline
    plain = LogisticRegression().fit(training.codes, target, sample_weight=weights)
    assert set(plain.predict(codes)) <= set(TARGET.classes)


def test_without_target_and_without_records(tmp_path):
    with Store.open(tmp_path / "a.db", COARSE, keep_days=9) as store:
        empty = store.training()
        assert empty.codes.shape == (0, 2)
        store.add([(0, 1)])
        training = store.training()
    assert training.target is None
    assert training.records["age"].tolist() == [COARSE["age"].labels[0]]
    assert "1" not in repr(training).replace("2 attributes", "")
    assert isinstance(training, Training)
