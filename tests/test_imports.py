"""The folders show the flow: a module imports only from folders above its own."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from pathlib import Path

import pytest

import sparsam

FLOW = (
    "data",
    "counting",
    "generalization",
    "attack",
    "minimise",
    "assess",
    "anonymise",
    "individual",
    "explore",
    "report",
    "collect",
    "cli",
)
SOURCE = Path(sparsam.__file__).parent
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE)
FRAMES = {"narwhals", "pandas", "polars", "pyarrow", "duckdb"}


def folder_of(path: Path) -> str:
    """The folder of the flow that a file is in, at any depth."""
    return path.relative_to(SOURCE).parts[0]


@functools.cache
def imported(path: Path) -> set[str]:
    """Every module that a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            names.add(node.module or "")
    return names


def roots(path: Path) -> set[str]:
    """The packages that a file imports from."""
    return {name.partition(".")[0] for name in imported(path)}


def test_imports_go_up_the_flow() -> None:
    wrong = []
    for path in MODULES:
        own = FLOW.index(folder_of(path))
        for name in imported(path):
            package, _, rest = name.partition(".")
            folder = rest.partition(".")[0]
            if package == "sparsam" and folder in FLOW and FLOW.index(folder) > own:
                wrong.append(f"{path.relative_to(SOURCE)} imports from {folder}")
    assert not wrong


def test_only_data_and_counting_touch_frame_libraries() -> None:
    others = [path for path in MODULES if folder_of(path) not in ("data", "counting")]
    assert not [f"{path.relative_to(SOURCE)}" for path in others if roots(path) & FRAMES]


def test_every_folder_is_in_the_flow() -> None:
    folders = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert folders <= set(FLOW)


def test_top_level_is_small_and_complete() -> None:
    assert len(sparsam.__all__) <= 25
    for name in sparsam.__all__:
        assert getattr(sparsam, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = sparsam.nonsense


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import sparsam", ("sklearn", "numba", "scipy", "pandas", "polars", "duckdb")),
        ("import sparsam.cli", ("sklearn", "numba", "scipy", "pandas", "polars", "duckdb")),
        ("import sparsam.data", ("sklearn", "numba", "scipy", "pandas", "polars")),
        ("import sparsam.generalization", ("sklearn", "numba", "scipy", "pandas", "polars")),
    ],
)
def test_importing_is_light(statement: str, absent: tuple[str, ...]) -> None:
    code = f"{statement}\nimport sys\nprint([m for m in {absent!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_network_and_no_pickle() -> None:
    barred = {"socket", "urllib", "http", "requests", "httpx", "ftplib", "smtplib", "pickle"}
    every = sorted(SOURCE.rglob("*.py"))
    assert not [f"{path.relative_to(SOURCE)}" for path in every if roots(path) & barred]
