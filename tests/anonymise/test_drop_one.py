"""Which quasi-identifier costs how much."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sparsam._errors import ParameterError
from sparsam.anonymise import Anonymiser, Greedy, drop_one


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 80, 300),
            "noise": rng.integers(0, 1000, 300),
            "sex": rng.choice(["f", "m"], 300),
            "constant": np.ones(300),
        }
    )


def test_each_row_is_a_release_without_that_column(people: pd.DataFrame) -> None:
    table = drop_one(people, anonymiser=Anonymiser(Greedy(), k=10))
    whole = Anonymiser(Greedy(), k=10).fit(people).loss_
    assert table.loss == whole.overall
    assert {row.name for row in table.rows} == set(people)
    for row in table.rows:
        others = people.drop(columns=row.name)
        assert row.after == Anonymiser(Greedy(), k=10).fit(others).loss_.overall
        assert row.own == whole.per_attribute[row.name]
        assert row.before == pytest.approx(np.mean([whole.per_attribute[n] for n in others]))
        assert row.cost == row.before - row.after
    assert [row.cost for row in table.rows] == sorted((r.cost for r in table.rows), reverse=True)


def test_what_costs_nothing_comes_last(people: pd.DataFrame) -> None:
    table = drop_one(people, anonymiser=Anonymiser(Greedy(), k=10))
    assert table.rows[-1].name == "constant"
    assert table.rows[-1].cost == 0
    assert table.rows[0].name in ("age", "noise")
    assert table.rows[0].cost > 0.05


@pytest.mark.parametrize("then", ["dropped", "kept"])
def test_a_score_sees_the_column_only_where_it_is_kept(people: pd.DataFrame, then: Any) -> None:
    seen = []

    def score(release: pd.DataFrame, labels: Any) -> float:
        seen.append(release)
        return float(release.shape[1])

    table = drop_one(people, anonymiser=Anonymiser(Greedy(), k=10), score=score, then=then)
    assert table.score == 4
    assert {row.score for row in table.rows} == {4.0 if then == "kept" else 3.0}
    for name, release in zip(people, seen[1:], strict=True):
        assert (name in release) == (then == "kept")
        if then == "kept":
            assert release[name].tolist() == people[name].tolist()
        others = [column for column in release if column != name]
        assert release.groupby(others).size().min() >= 10


def test_the_result_is_plain_data_and_a_table(people: pd.DataFrame) -> None:
    table = drop_one(people, quasi_identifiers=["age", "sex"])
    facts = table.to_dict()
    assert (facts["k"], facts["n_rows"], facts["method"]) == (10, 300, "Greedy")
    assert facts["rows"][0]["cost"] == table.rows[0].cost
    assert str(table).splitlines()[-1].startswith("(none)")
    assert len(str(table).splitlines()) == 4


def test_bad_requests_are_refused(people: pd.DataFrame) -> None:
    with pytest.raises(ParameterError, match="two quasi-identifiers"):
        drop_one(people, quasi_identifiers=["age"])
    with pytest.raises(ParameterError, match="'then' parameter"):
        drop_one(people, then="burnt")  # type: ignore[arg-type]
