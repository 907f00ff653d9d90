"""Risks as a chart, against what is published of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from matplotlib.axes import Axes

from sparsam._errors import ParameterError
from sparsam.attack import Attacks, Risk
from sparsam.report.charts._risks import wrong

Named = Callable[[Axes], dict[str, Any]]


def risk(**facts: Any) -> Risk:
    usual: dict[str, Any] = {
        "adversary": "mine",
        "measure": "error",
        "value": 0.3,
        "interval": (0.28, 0.32),
        "baseline": 0.4,
        "n": 2000,
        "split": "test",
        "random_state": 0,
    }
    return Risk(**usual | facts)


def test_a_row_for_every_adversary(attacks: Attacks, named_lines: Named) -> None:
    axes = attacks.plot()
    lines = named_lines(axes)
    told = [facts for facts in attacks.to_dict()["risks"] if facts["value"] is not None]
    drawn = lines["attacker, 95 % interval"]
    assert list(drawn.get_xdata()) == [facts["value"] for facts in told]
    assert list(lines["without the records"].get_xdata()) == [f["baseline"] for f in told]
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert len(names) == len(set(names)) == len(told)
    assert names[0] == "A1 Reconstruction"


def test_a_lane_for_every_adversary_that_guesses(attacks: Attacks, named_lines: Named) -> None:
    axes = attacks.plot(by="attribute")
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert sorted(names) == ["age", "education", "region", "sex"]
    for code in ("A1", "A3", "A5", "A4"):
        told = {part["attribute"]: part["value"] for part in attacks[code].to_dict()["parts"]}
        [line] = [line for name, line in named_lines(axes).items() if name.startswith(code)]
        drawn = {
            names[round(float(y))]: float(x)
            for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
        }
        assert drawn == told


def test_parts_of_a_risk_the_most_exposed_first(attacks: Attacks, named_lines: Named) -> None:
    axes = attacks["A1"].plot()
    parts = {part["attribute"]: part for part in attacks["A1"].to_dict()["parts"]}
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    recovered = [parts[name]["recovered"] for name in names]
    assert recovered == sorted(recovered, reverse=True)
    [line] = [line for name, line in named_lines(axes).items() if name.startswith("attacker")]
    assert list(line.get_xdata()) == [parts[name]["value"] for name in names]


def test_of_what_is_no_error_one_minus_it_is_drawn(named_lines: Named) -> None:
    auc = risk(measure="AUC", value=0.75, interval=(0.7, 0.8), baseline=0.5)
    axes = Attacks((risk(), auc)).plot()
    line = named_lines(axes)["attacker, 95 % interval"]
    assert [round(float(x), 6) for x in line.get_xdata()] == [0.3, 0.25]
    assert "1 − AUC" in axes.get_yticklabels()[1].get_text()
    assert wrong({"measure": "AUC"}, None) is None


def test_few_people_are_not_drawn() -> None:
    with pytest.raises(ParameterError, match="nothing to draw"):
        risk(n=3).plot()
    axes = Attacks((risk(n=3), risk())).plot()
    assert len(axes.get_yticklabels()) == 1


def test_other_ways_to_look_at_it_are_refused(attacks: Attacks) -> None:
    with pytest.raises(ParameterError, match="'by'"):
        attacks.plot(by="person")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="attribute by attribute"):
        Attacks((risk(),)).plot(by="attribute")
