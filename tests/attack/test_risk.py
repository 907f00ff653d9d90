"""A risk is an error beside its baseline."""

from __future__ import annotations

import json

import pytest

from sparsam.attack import Risk


def _risk(error: float, baseline: float, **more: object) -> Risk:
    facts: dict[str, object] = {
        "adversary": "A1 reconstruction",
        "attribute": "sex",
        "interval": (0.1, 0.3),
        "n_records": 1234,
        "split": "test",
        "random_state": 0,
    }
    return Risk(error=error, baseline=baseline, **{**facts, **more})  # type: ignore[arg-type]


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
    assert "all personal attributes" in str(_risk(0.2, 0.5, attribute=None))


def test_plain_data() -> None:
    whole = _risk(0.2, 0.5, attribute=None, parts=(_risk(0.2, 0.5, model="network"),))
    plain = json.loads(json.dumps(whole.to_dict()))
    assert plain["parts"][0]["model"] == "network"
    assert plain["interval"] == [0.1, 0.3]
    assert plain["recovered"] == pytest.approx(0.6)
    for name in ("adversary", "baseline", "n_records", "split", "random_state", "tolerance"):
        assert name in plain
