"""A risk is an error beside its baseline."""

from __future__ import annotations

import json

import pytest

from sparsam._errors import ParameterError
from sparsam.attack import Risk


def _risk(error: float, baseline: float, **more: object) -> Risk:
    facts: dict[str, object] = {
        "adversary": "A1 reconstruction",
        "attribute": "sex",
        "interval": (0.1, 0.3),
        "measure": "error",
        "n": 1234,
        "split": "test",
        "random_state": 0,
    }
    return Risk(value=error, baseline=baseline, **{**facts, **more})  # type: ignore[arg-type]


def test_advantage_and_recovered() -> None:
    risk = _risk(0.2, 0.5)
    assert risk.advantage == pytest.approx(0.3)
    assert risk.recovered == pytest.approx(0.6)


def test_recovered_at_the_ends() -> None:
    assert _risk(0.0, 0.5).recovered == 1.0
    assert _risk(0.5, 0.5).recovered == 0.0
    assert _risk(0.0, 0.0).recovered == 0.0


def test_weaker_than_naive_is_not_clipped() -> None:
    assert _risk(0.6, 0.5).advantage == pytest.approx(-0.1)
    assert _risk(0.6, 0.5).recovered == pytest.approx(-0.2)


def test_in_words() -> None:
    assert str(_risk(0.2, 0.5)) == (
        "A1 reconstruction on sex: error 0.200 [0.100, 0.300], naive 0.500, recovered 60% "
        "(test, 1,234 records)"
    )
    whole = _risk(0.2, 0.5, attribute=None, parts=(_risk(0.2, 0.5),))
    assert "on all personal attributes" in str(whole)


def test_plain_data() -> None:
    whole = _risk(0.2, 0.5, attribute=None, parts=(_risk(0.2, 0.5, model="network"),))
    plain = json.loads(json.dumps(whole.to_dict()))
    assert plain["parts"][0]["model"] == "network"
    assert plain["interval"] == [0.1, 0.3]
    assert plain["recovered"] == pytest.approx(0.6)
    for name in ("adversary", "baseline", "n", "split", "random_state", "details"):
        assert name in plain


@pytest.mark.parametrize("measure", ["accuracy", "AUC", "similarity", "reciprocal rank"])
def test_more_is_worse_of_everything_but_an_error(measure: str) -> None:
    risk = _risk(0.75, 0.5, measure=measure)
    assert risk.advantage == pytest.approx(0.25)
    assert risk.recovered == pytest.approx(0.5)
    assert _risk(1.0, 1.0, measure=measure).recovered == 0.0


def test_a_measure_that_nobody_knows() -> None:
    with pytest.raises(ParameterError, match="'measure' parameter of Risk must be one of"):
        _risk(0.1, 0.5, measure="fear")


def test_no_field_tells_of_few_people() -> None:
    facts = _risk(0.25, 0.5, n=4, details={"alone": 1}).to_dict()
    assert facts["n"] == "fewer than 5"
    assert facts["value"] is facts["baseline"] is facts["interval"] is facts["recovered"] is None
    assert facts["details"] == {}
    two = _risk(0.7, 0.5, measure="AUC", n=1000, details={"n_members": 3, "n_others": 997})
    assert two.to_dict()["value"] is None


def test_shares_come_in_steps() -> None:
    details = {"n_emptied": 3, "ranked_first": 0.123, "advantage_interval": [0.1234, 0.2345]}
    facts = _risk(0.1234, 0.5, n=100, details=details).to_dict()
    assert facts["value"] == 0.1
    told = {"n_emptied": "fewer than 5", "ranked_first": 0.1, "advantage_interval": [0.1, 0.25]}
    assert facts["details"] == told
    assert _risk(0.1234, 0.5, measure="similarity", n=100).to_dict()["value"] == 0.1234
