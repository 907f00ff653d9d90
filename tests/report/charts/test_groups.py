"""Groups as a chart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from matplotlib.axes import Axes

from sparsam._errors import ParameterError
from sparsam.assess import Groups

Named = Callable[[Axes], dict[str, Any]]


def test_every_group_is_a_row(groups: Groups, named_lines: Named) -> None:
    axes = groups.plot()
    facts = groups.to_dict()["groups"]
    names = [f"{group['attribute']}: {group['group']}" for group in facts]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == names
    drawn = {}
    for name, line in named_lines(axes).items():
        if name.startswith(("shown to lose", "a group")):
            drawn |= dict(zip(line.get_ydata(), line.get_xdata(), strict=True))
    assert [drawn[place] for place in range(len(facts))] == [group["loss"] for group in facts]


def test_those_who_lose_more_are_filled(groups: Groups, named_lines: Named) -> None:
    more = [group for group in groups.to_dict()["groups"] if group["loses_more"]]
    assert more
    lines = named_lines(groups.plot())
    filled = lines["shown to lose more than all"]
    assert len(filled.get_xdata()) == len(more)
    assert filled.get_markerfacecolor() != "white"
    assert lines["a group, with its interval"].get_markerfacecolor() == "white"


def test_no_group_to_draw(groups: Groups) -> None:
    with pytest.raises(ParameterError, match="no group has enough people"):
        replace(groups, effects=()).plot()
