"""House rules that a machine can check."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import sparsam

ROOT = Path(__file__).resolve().parents[1]
SOURCE = Path(sparsam.__file__).parent
SOURCES = sorted(SOURCE.rglob("*.py"))
HOLD_PEOPLE = ("NDArray", "Columns", "Matrix", "Table", "Task")
MOST_MODULES = 20
LEAST_MIRRORED = 0.8


@functools.cache
def parsed(path: Path) -> ast.Module:
    """A source file as a tree."""
    return ast.parse(path.read_text(encoding="utf-8"))


def nodes() -> Iterator[tuple[str, ast.AST]]:
    """Every node of every source file, with the name of the file."""
    for path in SOURCES:
        name = str(path.relative_to(SOURCE))
        yield from ((name, node) for node in ast.walk(parsed(path)))


def test_nothing_is_committed_that_must_not_be() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    allowed = {"src/sparsam/data/acs_employment_ma2018_20000.csv.gz"}
    data = {
        name
        for name in listed.stdout.split()
        if name.endswith((".csv", ".csv.gz", ".parquet", ".npz", ".pkl", ".joblib"))
    }
    assert data <= allowed


def test_no_print_and_no_swallowed_error() -> None:
    wrong = []
    for name, node in nodes():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("print", "eval", "exec"):
                wrong.append(f"{name}:{node.lineno} calls {node.func.id}")
        elif isinstance(node, ast.ExceptHandler) and isinstance(node.body[0], ast.Pass):
            wrong.append(f"{name}:{node.lineno} swallows an error")
    assert not wrong


def test_no_repr_shows_rows_of_people() -> None:
    """A dataclass prints all fields, arrays of people's values too, unless it is told not to."""
    wrong = []
    for name, node in nodes():
        if not isinstance(node, ast.ClassDef) or _has_its_own_repr(node):
            continue
        for part in node.body:
            if isinstance(part, ast.AnnAssign):
                annotation = ast.unparse(part.annotation)
                hidden = part.value is not None and "repr=False" in ast.unparse(part.value)
                if not hidden and any(kind in annotation for kind in HOLD_PEOPLE):
                    wrong.append(f"{name}: {node.name}.{ast.unparse(part.target)}")
    assert not wrong


def _has_its_own_repr(node: ast.ClassDef) -> bool:
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
    data = [decorator for decorator in decorators if decorator.split("(")[0] == "dataclass"]
    own = any(isinstance(part, ast.FunctionDef) and part.name == "__repr__" for part in node.body)
    return not data or own or "repr=False" in data[0]


def test_folders_stay_small() -> None:
    sizes = Counter(path.parent for path in SOURCES if path.name != "__init__.py")
    full = {str(f.relative_to(SOURCE)): size for f, size in sizes.items() if size > MOST_MODULES}
    assert not full


def test_tests_mirror_the_source() -> None:
    """`attack/_linkage.py` is tested in `tests/attack/test_linkage.py`, in most cases."""
    modules = [path for path in SOURCES if path.name not in ("__init__.py", "__main__.py")]
    alone = [
        str(path.relative_to(SOURCE))
        for path in modules
        if not (
            ROOT
            / "tests"
            / path.relative_to(SOURCE).parent
            / f"test_{path.stem.removeprefix('_')}.py"
        ).is_file()
    ]
    share = 1 - len(alone) / len(modules)
    assert share >= LEAST_MIRRORED, f"{share:.0%} of the modules have a test file; not: {alone}"


def test_docstrings_are_about_the_thing() -> None:
    """A docstring says what is returned ("Return …", or a noun), and gives no orders."""
    wrong = []
    for name, node in nodes():
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            words = (ast.get_docstring(node) or "").split(maxsplit=1)
            if words and words[0] in ("Give", "Gives", "Say", "Says"):
                place = getattr(node, "name", "the module")
                wrong.append(f"{name}: {place}")
    assert not wrong


# What CONTRIBUTING.md makes up, to show how something is added.
MADE_UP = ("_neighbours.py", "_rounding.py", "_count.py", "test_neighbours.py", "test_rounding.py")


def test_documents_name_files_that_are_there() -> None:
    written = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "guide").glob("*.md")]
    pages = [*written, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    named = {
        name
        for page in pages
        for name in re.findall(r"`([\w/]+/\w+\.py)`", page.read_text(encoding="utf-8"))
        if not name.endswith(MADE_UP)
    }
    assert named
    assert not [n for n in named if not any((top / n).is_file() for top in (ROOT, SOURCE))]
