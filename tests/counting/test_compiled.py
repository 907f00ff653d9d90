"""The cache of compiled kernels lies where nobody else can write, or there is none."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import sparsam
from sparsam.counting import _compiled
from sparsam.counting._compiled import cache_folder, compiled, is_ours

SOURCE = Path(sparsam.__file__).parent
posix = pytest.mark.skipif(os.name != "posix", reason="about owners and rights of POSIX")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """A home of our own, and no memory of what was found before."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(_compiled._NUMBA, "CACHE_DIR", "")
    cache_folder.cache_clear()
    yield
    cache_folder.cache_clear()


def _double(x: float) -> float:
    return 2 * x


@posix
def test_a_folder_of_our_own(tmp_path: Path) -> None:
    folder = cache_folder()
    assert folder is not None
    assert folder.parents[2] == tmp_path
    assert all(path.stat().st_mode & 0o777 == 0o700 for path in (folder, folder.parent))
    before = _compiled._NUMBA.CACHE_DIR
    kernel: Any = compiled()(_double)
    assert kernel(4.0) == 8.0
    assert folder in Path(kernel.stats.cache_path).parents
    assert kernel.stats.cache_misses
    assert list(folder.rglob("*.nbi"))
    again: Any = compiled()(_double)
    assert again(4.0) == 8.0
    assert again.stats.cache_hits
    assert before == _compiled._NUMBA.CACHE_DIR


@posix
@pytest.mark.parametrize("given", ["", "relative", "~/caches"])
def test_never_the_current_folder(
    given: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("XDG_CACHE_HOME", given)
    folder = cache_folder()
    assert folder is not None
    assert here not in folder.parents
    cache_folder.cache_clear()
    monkeypatch.setattr(_compiled._NUMBA, "CACHE_DIR", given)
    monkeypatch.setenv("HOME", "nowhere")
    assert cache_folder() is None
    assert compiled()(_double)(4.0) == 8.0
    assert os.listdir(here) == []


@posix
@pytest.mark.parametrize("rights", [0o777, 0o770, 0o707, 0o722])
@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_folder_that_others_may_write_to(
    rights: int, level: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(_compiled, "_private_group", lambda status: False)
    folder = cache_folder()
    assert folder is not None
    cache_folder.cache_clear()
    shared = (folder, folder.parent, tmp_path / ".cache")[level]
    shared.chmod(rights)
    assert cache_folder() is None
    kernel: Any = compiled()(_double)
    assert kernel(4.0) == 8.0
    assert kernel.stats.cache_path is None
    assert not list(folder.iterdir())
    if level == 2:  # where only owners can rename, others can do no harm
        shared.chmod(rights | 0o1000)
        cache_folder.cache_clear()
        assert cache_folder() == folder


@posix
def test_somebody_elses_folder_and_links(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = cache_folder()
    assert folder is not None
    (tmp_path / "link").symlink_to(folder)
    assert not is_ours(tmp_path / "link", alone=True)
    assert is_ours(folder, alone=True)
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    assert not is_ours(folder, alone=True)
    assert is_ours(Path("/"), alone=False)


@posix
def test_a_group_of_ones_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import grp
    import pwd

    tmp_path.chmod(0o775)
    mine = pwd.struct_passwd(("jane", "x", os.geteuid(), 7, "", "/", "/bin/sh"))
    monkeypatch.setattr(pwd, "getpwuid", lambda number: mine)
    for members, expected in (([], True), (["jane"], True), (["jane", "joe"], False)):
        group = grp.struct_group(("jane", "x", 7, members))
        monkeypatch.setattr(grp, "getgrgid", lambda number, group=group: group)
        assert is_ours(tmp_path, alone=False) == expected
        assert not is_ours(tmp_path, alone=True)


def test_numba_cache_dir_is_used_if_it_is_safe(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(_compiled._NUMBA, "CACHE_DIR", str(tmp_path / "numba"))
    folder = cache_folder()
    assert folder is not None
    assert tmp_path / "numba" in folder.parents


@posix
def test_where_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".cache").write_text("a file")
    assert cache_folder() is None
    monkeypatch.setenv("HOME", "/proc/nothing")
    cache_folder.cache_clear()
    assert cache_folder() is None
    assert compiled()(_double)(4.0) == 8.0


@posix
def test_a_full_disk_costs_a_compilation_only(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel: Any = compiled()(_double)

    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kernel._cache, "save_overload", _compiled._if_it_fits(full))
    assert kernel(4.0) == 8.0


@posix
def test_only_the_versions_used_last_are_kept() -> None:
    folder = cache_folder()
    assert folder is not None
    for i in range(20):
        old = folder.parent / f"{i:016x}" / "inside"
        old.mkdir(parents=True)
        (old / "a.nbi").touch()
        os.utime(old.parent, (i, i))
    cache_folder.cache_clear()
    assert cache_folder() == folder
    kept = {path.name for path in folder.parent.iterdir()}
    assert kept == {folder.name, *(f"{i:016x}" for i in range(13, 20))}


def test_numba_is_used_in_one_place() -> None:
    users = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.startswith("numba") for name in names):
                users.add(path.name)
    assert users == {"_compiled.py"}


def test_without_compilation() -> None:
    code = "from sparsam.counting._compiled import compiled\nprint(compiled()(lambda x: 2 * x)(4))"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "8\n"
