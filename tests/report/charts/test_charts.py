"""What holds for every chart: words at its axes, nothing covered, readable in grey."""

from __future__ import annotations

import builtins
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
from matplotlib import colors as mcolors
from matplotlib import pyplot as plt
from matplotlib import rcParams
from matplotlib.axes import Axes

from sparsam._errors import MissingExtraError
from sparsam.attack import Risk

Charts = dict[str, Callable[..., Any]]
NAMES = (
    "front", "choice", "generalization", "attacks", "attacks by attribute", "risk", "groups", "age",
    "children", "income", "region", "spearman", "cramers_v", "curve", "weighed", "mask", "k sweep",
    "k scores", "drift", "monitoring", "target", "purposes", "model", "asked",
)  # fmt: skip
IMAGES = ("spearman", "cramers_v", "mask", "purposes")
# Rows and matrices have names along one axis, which say what they are.
NAMED_ROWS = (
    "generalization", "attacks", "attacks by attribute", "risk", "groups", "region", "spearman",
    "cramers_v", "monitoring", "target", "purposes", "asked",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_chart_of_its_own(
    name: str, drawn: dict[str, Axes], texts_apart: Callable[[Axes], None]
) -> None:
    assert set(drawn) == set(NAMES)
    axes = drawn[name]
    assert axes.get_title(loc="left")
    assert axes.get_xlabel()
    assert axes.get_ylabel() or name in NAMED_ROWS
    if name in NAMED_ROWS:
        assert all(tick.get_text() for tick in axes.get_yticklabels())
    texts_apart(axes)


@pytest.mark.parametrize("name", NAMES)
def test_a_chart_on_given_axes(
    name: str, everything: Charts, blank: Axes, texts_apart: Callable[[Axes], None]
) -> None:
    before = plt.get_fignums()
    assert everything[name](blank) is blank
    assert plt.get_fignums() == before
    assert blank.has_data()
    texts_apart(blank)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_else_changes(
    name: str, everything: Charts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plt, "show", lambda *a, **k: pytest.fail("a chart must not show itself"))
    settings = dict(rcParams)
    everything[name]()
    assert dict(rcParams) == settings


@pytest.mark.parametrize("name", NAMES)
def test_series_differ_in_more_than_colour(name: str, drawn: dict[str, Axes]) -> None:
    axes = drawn[name]
    named = [line for line in axes.lines if not str(line.get_label()).startswith("_")]
    looks = [
        (line.get_marker(), line.get_linestyle(), line.get_fillstyle(), line.get_markersize() > 10)
        for line in named
    ]
    for (first, one), (second, other) in combinations(zip(named, looks, strict=True), 2):
        assert one != other, (first.get_label(), second.get_label())
    if len(named) > 1:
        legend = axes.get_legend()
        assert {text.get_text() for text in legend.get_texts()} >= {
            str(line.get_label()) for line in named
        }


@pytest.mark.parametrize("name", [name for name in NAMES if name not in IMAGES])
def test_lines_and_bars_stand_out_of_the_paper_in_grey(name: str, drawn: dict[str, Axes]) -> None:
    axes = drawn[name]
    colours = [line.get_color() for line in axes.lines if not str(line.get_label()).startswith("_")]
    colours += [bar.get_edgecolor() for bar in axes.patches]
    assert colours
    for colour in colours:
        red, green, blue = mcolors.to_rgb(colour)
        assert 0.299 * red + 0.587 * green + 0.114 * blue < 0.87


@pytest.mark.parametrize("name", NAMES)
def test_colours_are_those_of_the_reports(
    name: str, drawn: dict[str, Axes], palette: set[str]
) -> None:
    axes = drawn[name]
    colours = {mcolors.to_hex(line.get_color()) for line in axes.lines}
    colours |= {mcolors.to_hex(bar.get_facecolor()) for bar in axes.patches}
    assert colours <= palette | {"#ffffff"}


@pytest.mark.parametrize("name", NAMES)
def test_a_title_of_ones_own(name: str, everything: Charts) -> None:
    axes = everything[name](title="Mine", figsize=(9, 8), legend=False)
    assert axes.get_title(loc="left") == "Mine"
    assert tuple(axes.figure.get_size_inches()) == (9, 8)
    assert axes.get_legend() is None


def test_no_title(everything: Charts) -> None:
    assert everything["front"](title="").get_title(loc="left") == ""


def test_matplotlib_is_loaded_for_a_chart_only() -> None:
    code = (
        "import sys, sparsam as sp, sparsam.report, sparsam.report.charts\n"
        "import sparsam.report.charts._front, sparsam.report.charts._mask\n"
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] == "matplotlib":
            raise ModuleNotFoundError("No module named 'matplotlib'", name="matplotlib")
        return real(name, *rest, **more)

    risk = Risk(
        adversary="mine", measure="error", value=0.3, interval=(0.2, 0.4), baseline=0.5, n=100,
        split="test", random_state=0,
    )  # fmt: skip
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'sparsam\[plot\]'"):
        risk.plot()
