"""The folders show the flow: a module imports only from folders above its own."""

from __future__ import annotations

import ast
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


@pytest.mark.parametrize("path", MODULES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_imports_go_up_the_flow(path: Path) -> None:
    own = FLOW.index(folder_of(path))
    for name in imported(path):
        package, _, rest = name.partition(".")
        folder = rest.partition(".")[0]
        if package == "sparsam" and folder in FLOW:
            assert FLOW.index(folder) <= own, f"{folder_of(path)} imports from {folder}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_only_data_and_counting_touch_frame_libraries(path: Path) -> None:
    if folder_of(path) not in ("data", "counting"):
        assert not {name.partition(".")[0] for name in imported(path)} & FRAMES


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


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: p.name)
def test_no_network_and_no_pickle(path: Path) -> None:
    barred = {"socket", "urllib", "http", "requests", "httpx", "ftplib", "smtplib", "pickle"}
    assert not {name.partition(".")[0] for name in imported(path)} & barred
