"""The folders show the flow: a module imports only from folders above its own, by their doors."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

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
FRAMES = {"narwhals", "pandas", "polars", "pyarrow", "duckdb"}
BARRED = {"socket", "urllib", "http", "requests", "httpx", "ftplib", "smtplib", "pickle"}
LISTENS = "sparsam.collect.door._serve"  # the one place that listens; nothing calls out


class Import(NamedTuple):
    """One name that a file imports, anywhere in it, and whether for types alone."""

    module: str
    name: str | None
    typing: bool


def module_name(path: Path) -> str:
    parts = ("sparsam", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}


@cache
def imports_of(module: str) -> tuple[Import, ...]:
    return tuple(_imports(ast.parse(PATHS[module].read_text(encoding="utf-8")), typing=False))


def _imports(node: ast.AST, *, typing: bool) -> Iterator[Import]:
    """Every import, inside functions too: what is imported late is imported."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom):
            assert child.level == 0, "a relative import"
            for alias in child.names:
                yield Import(child.module or "", alias.name, typing)
        elif isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(alias.name, None, typing)
        else:
            types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            yield from _imports(child, typing=typing or types)


def folder_of(module: str) -> str | None:
    """The folder of the flow that a module is in, at any depth; None at the root."""
    folder = module.split(".")[1] if "." in module else ""
    return folder if folder in FLOW else None


def home_of(module: str, name: str | None) -> str:
    """The module that defines what a door offers."""
    if name is not None and f"{module}.{name}" in PATHS:
        return f"{module}.{name}"
    if module in PATHS and PATHS[module].name == "__init__.py":
        for offered in imports_of(module):
            if offered.name == name and offered.module != module:
                return home_of(offered.module, name)
    return module


def test_every_folder_is_in_the_flow() -> None:
    folders = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert folders == set(FLOW)


def test_imports_go_up_the_flow() -> None:
    against = [
        f"{module} imports {each.module}"
        for module in PATHS
        if (own := folder_of(module)) is not None
        for each in imports_of(module)
        if (other := folder_of(each.module)) is not None and FLOW.index(other) > FLOW.index(own)
    ]
    assert against == []


def test_the_root_imports_no_folder() -> None:
    """What lies at the root serves every folder; only the package and its command use them."""
    against = [
        f"{module} imports {each.module}"
        for module in PATHS
        if folder_of(module) is None and module not in ("sparsam", "sparsam.__main__")
        for each in imports_of(module)
        if folder_of(each.module) is not None
    ]
    assert against == []


def test_nobody_goes_round_through_the_top_level() -> None:
    against = [
        f"{module} imports {each.name or each.module} from the top level"
        for module in PATHS
        if module != "sparsam"
        for each in imports_of(module)
        if each.module == "sparsam"
    ]
    assert against == []


def test_folders_are_entered_by_their_doors() -> None:
    """Private modules are for the folder that they are in, private names for their file."""
    against = [
        f"{module} imports {each.name} from {each.module}"
        for module in PATHS
        for each in imports_of(module)
        if each.module.startswith("sparsam.") and (_is_private(each) or _is_indoors(module, each))
    ]
    assert against == []


def _is_private(each: Import) -> bool:
    name = each.name or ""
    is_module = f"{each.module}.{name}" in PATHS
    return name.startswith("_") and not name.startswith("__") and not is_module


def _is_indoors(module: str, each: Import) -> bool:
    elsewhere = folder_of(each.module) not in (None, folder_of(module))
    way = f"{each.module}.{each.name}" if f"{each.module}.{each.name}" in PATHS else each.module
    return elsewhere and any(part.startswith("_") for part in way.split("."))


def test_no_circle_of_imports() -> None:
    """Not even one that an import inside a function would hide; types alone make no circle."""
    graph = {
        module: {home_of(each.module, each.name) for each in imports_of(module) if not each.typing}
        & set(PATHS)
        for module, path in PATHS.items()
        if path.name != "__init__.py"
    }
    settled: set[str] = set()

    def circle(module: str, way: tuple[str, ...]) -> tuple[str, ...]:
        if module in way:
            return (*way[way.index(module) :], module)
        if module in settled:
            return ()
        for other in sorted(graph.get(module, ())):
            if other != module and (round_trip := circle(other, (*way, module))):
                return round_trip
        settled.add(module)
        return ()

    assert [trip for module in graph if (trip := circle(module, ()))][:1] == []


def test_only_data_and_counting_touch_frame_libraries() -> None:
    against = [
        f"{module} imports {each.module}"
        for module in PATHS
        if folder_of(module) not in ("data", "counting")
        for each in imports_of(module)
        if each.module.partition(".")[0] in FRAMES
    ]
    assert against == []


def test_no_network_and_no_pickle() -> None:
    against = [
        f"{module} imports {each.module}"
        for module in PATHS
        for each in imports_of(module)
        if each.module.partition(".")[0] in BARRED and (module, each.module) != (LISTENS, "socket")
    ]
    assert against == []


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
