"""Every example of the gallery runs, shows pictures without overlaps, and leaves nothing behind."""

from __future__ import annotations

import ast
import re
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

GALLERY = Path(__file__).resolve().parents[3] / "docs" / "gallery"
SCRIPTS = sorted(GALLERY.glob("plot_*.py"))


@pytest.mark.site
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_runs(
    script: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    texts_apart: Callable[[Axes], None],
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert not list(tmp_path.iterdir())
    assert capsys.readouterr().out
    figures = [plt.figure(number) for number in plt.get_fignums()]
    assert figures
    for figure in figures:
        texts_apart(figure.axes[0])
        for axes in figure.axes:
            assert axes.get_xlabel() or axes.get_ylabel() or not axes.axison


def test_there_are_examples_numbered_by_the_flow() -> None:
    assert len(SCRIPTS) >= 10
    numbers = [int(script.stem.split("_")[1]) for script in SCRIPTS]
    assert numbers == list(range(1, len(SCRIPTS) + 1))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_is_worth_reading(script: Path) -> None:
    """It has a title, a question, cells with words, and says what it does not mean."""
    text = script.read_text(encoding="utf-8")
    words = ast.get_docstring(ast.parse(text), clean=True) or ""
    title, line, *_ = words.splitlines()
    assert set(line) == {"="}
    assert len(line) == len(title)
    assert len(words.split()) > 40
    cells = re.split(r"^# %%$", text, flags=re.MULTILINE)[1:]
    assert len(cells) >= 4
    assert all(cell.lstrip("\n").startswith("# ") for cell in cells)
    assert "**What it does not mean.**" in cells[-1]
    assert "plt.show" not in text
