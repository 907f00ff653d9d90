"""Every k in one call, beside one estimator at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from sparsam._errors import DataError, ParameterError
from sparsam.anonymise import (
    Anonymiser,
    DistinctDiversity,
    Greedy,
    Hybrid,
    Mondrian,
    Retrained,
    k_sweep,
)


@pytest.fixture(scope="module")
def people() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, 400),
            "sex": rng.choice(["f", "m"], 400),
            "illness": rng.choice(["flu", "cold", "none"], 400),
            "person": np.arange(400) // 2,
        }
    )
    return frame, np.where(frame["age"] + rng.normal(0, 5, 400) < 50, "young", "old")


def test_every_k_is_what_an_estimator_finds(people: Any) -> None:
    frame, y = people
    method = Anonymiser(Mondrian(), quasi_identifiers=["age", "sex"])
    sweep = k_sweep(frame, y, ks=(2, 10, 50), anonymiser=method)
    for row in sweep.rows:
        anonymiser = Anonymiser(Mondrian(), k=row.k, quasi_identifiers=["age", "sex"]).fit(frame)
        sizes = anonymiser.classes_.sizes()
        assert (row.classes, row.smallest) == (len(sizes), sizes.min())
        assert row.loss == anonymiser.loss_.overall
        assert row.smallest >= row.k
        assert row.score is None
    assert [row.k for row in sweep.rows] == [2, 10, 50]
    assert sweep.rows[0].loss < sweep.rows[-1].loss
    assert method.k == 10
    assert sweep.method == "Mondrian"


def test_further_demands_and_people_hold_for_every_k(people: Any) -> None:
    frame, y = people
    method = Anonymiser(
        Greedy(),
        quasi_identifiers=["age", "sex"],
        entity="person",
        privacy=DistinctDiversity(3, "illness"),
    )
    sweep = k_sweep(frame, y, ks=(2, 5, 20), anonymiser=method)
    for row in sweep.rows:
        anonymiser = method.set_params(k=row.k).fit(frame)
        assert row.loss == anonymiser.loss_.overall
        for rows in anonymiser.classes_.rows():
            assert frame["person"].iloc[rows].nunique() >= row.k
            assert frame["illness"].iloc[rows].nunique() == 3


def test_the_default_follows_labels_where_there_are_some(people: Any) -> None:
    frame, y = people
    with_labels = k_sweep(frame, y, ks=(10,), quasi_identifiers=["age", "sex"])
    without = k_sweep(frame, ks=(10,), quasi_identifiers=["age", "sex"])
    assert (with_labels.method, without.method) == ("Hybrid", "Greedy")
    own = Anonymiser(Hybrid(), quasi_identifiers=["age", "sex"]).fit(frame, y)
    assert with_labels.rows[0].loss == own.loss_.overall


def test_a_score_sees_the_release_and_the_labels_of_its_rows(people: Any) -> None:
    frame, y = people
    seen = []

    def score(release: Any, labels: Any) -> float:
        seen.append((release, labels))
        return len(release) / 1000

    sweep = k_sweep(frame, y, ks=(5, 20), quasi_identifiers=["age", "sex"], score=score)
    assert [row.score for row in sweep.rows] == [0.4, 0.4]
    for (release, labels), row in zip(seen, sweep.rows, strict=True):
        assert list(release.columns) == ["age", "sex"]
        assert release.groupby(["age", "sex"]).size().min() >= row.k
        assert labels.tolist() == y.tolist()


def test_a_model_is_retrained_and_tested_on_raw_rows(people: Any) -> None:
    frame, y = people
    train, test = frame[["age"]].iloc[:300], frame.iloc[300:]
    score = Retrained(DecisionTreeClassifier(max_depth=1, random_state=0), test, y[300:])
    sweep = k_sweep(train, y[:300], ks=(10, 150), score=score)
    model = DecisionTreeClassifier(max_depth=1, random_state=0)
    release = Anonymiser(Hybrid(), k=10).fit_transform(train, y[:300])
    expected = model.fit(release, y[:300]).score(test[["age"]], y[300:])
    assert sweep.rows[0].score == expected > 0.8
    with pytest.raises(ParameterError, match="retrained with labels"):
        k_sweep(train, ks=(10,), score=score)


def test_the_result_is_plain_data_and_a_table(people: Any) -> None:
    frame, _ = people
    sweep = k_sweep(frame, ks=(5, 20, 5), quasi_identifiers=["age"])
    facts = sweep.to_dict()
    assert [row["k"] for row in facts["rows"]] == [5, 20]
    assert facts["n_rows"] == 400
    assert facts["quasi_identifiers"] == ["age"]
    lines = str(sweep).splitlines()
    assert len(lines) == 3
    assert lines[0].split() == ["k", "classes", "smallest", "suppressed", "tight", "loss", "score"]


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"ks": ()}, ParameterError, "at least one k"),
        ({"ks": (1,)}, ParameterError, "'ks' parameter of k_sweep"),
        ({"ks": (2, 500)}, DataError, "at least 500 rows"),
        ({"anonymiser": DecisionTreeClassifier()}, ParameterError, "must be an Anonymiser"),
    ],
)
def test_bad_requests_are_refused(people: Any, more: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        k_sweep(people[0], **more)
