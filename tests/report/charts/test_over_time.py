"""People over time as charts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from matplotlib.axes import Axes

from sparsam._errors import ParameterError
from sparsam.assess import Drift, Monitoring

Named = Callable[[Axes], dict[str, Any]]


def test_a_line_for_the_model_and_one_for_the_adversary(periods: Drift, named_lines: Named) -> None:
    axes = periods.plot()
    lines = named_lines(axes)
    assessments = list(periods.assessments.values())
    told = [assessment.utility.to_dict()["error"] for assessment in assessments]
    assert list(lines["model"].get_ydata()) == told
    told = [assessment.risk.to_dict()["value"] for assessment in assessments]
    assert list(lines["attacker"].get_ydata()) == told
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["2022", "2023", "2024"]


def test_many_periods_are_not_all_named(
    periods: Drift, texts_apart: Callable[[Axes], None]
) -> None:
    [first, *_] = periods.assessments.values()
    axes = Drift({f"2020-{month:02}": first for month in range(1, 31)}).plot()
    assert len(axes.get_xticklabels()) == 10
    texts_apart(axes)


def test_shares_then_and_now(monitoring: Monitoring, named_lines: Named) -> None:
    axes = monitoring.plot()
    lines = named_lines(axes)
    shown = {(c.attribute, c.bucket): c.to_dict() for c in monitoring.shown}
    people = [c for c in shown.values() if c["kind"] not in ("error", "class")]
    assert people
    drawn = lines["now: changed by more than matters"]
    assert sorted(drawn.get_xdata()) == sorted(change["now"] for change in people)[:12]
    assert len(lines["then"].get_xdata()) == len(axes.get_yticklabels()) <= 12


def test_what_the_records_tell_of_the_target(monitoring: Monitoring) -> None:
    axes = monitoring.plot(about="target")
    words = [tick.get_text() for tick in axes.get_yticklabels()]
    assert all(word.endswith(("guessed wrong", "usual class", "…")) for word in words)
    with pytest.raises(ParameterError, match="'about'"):
        monitoring.plot(about="beauty")  # type: ignore[arg-type]


def test_nothing_to_compare(monitoring: Monitoring) -> None:
    with pytest.raises(ParameterError, match="no share of people"):
        replace(monitoring, changes=()).plot()
