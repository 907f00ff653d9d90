"""Compile a kernel, and keep what was compiled where nobody else can write.

numba's cache is pickle: whoever can write into its folder runs code in our process. So it is kept
in a folder that is ours alone, or not at all; never in the current folder, nor in one that is
shared. Without a cache every process compiles anew, which takes seconds.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])
_MOST_VERSIONS = 8
_NUMBA: Any = numba.config


def compiled(**options: Any) -> Callable[[Function], Function]:
    """Compile a function with numba when it is first called, without holding Python's lock.

    Parameters
    ----------
    **options
        More options of `numba.njit`.

    Returns
    -------
    callable
        A decorator.
    """

    def decorate(function: Function) -> Function:
        folder = cache_folder()
        kernel = None if folder is None else _cached(function, folder, options)
        return cast(Function, kernel or numba.njit(nogil=True, **options)(function))

    return decorate


def _cached(function: Callable[..., Any], folder: Path, options: dict[str, Any]) -> Any:
    """Compile with a cache in this folder; None where numba would use another one."""
    before = _NUMBA.CACHE_DIR
    _NUMBA.CACHE_DIR = str(folder)  # numba looks when a function is decorated, and only then
    try:
        kernel = numba.njit(nogil=True, cache=True, **options)(function)
    except RuntimeError:  # it found no place at all
        return None
    finally:
        _NUMBA.CACHE_DIR = before
    place = getattr(getattr(kernel, "stats", None), "cache_path", None)
    if place is None or folder not in Path(place).parents:
        return None
    kernel._cache.save_overload = _if_it_fits(kernel._cache.save_overload)
    return kernel


def _if_it_fits(save: Callable[..., None]) -> Callable[..., None]:
    """Let a full disk cost a compilation, not the command."""

    def save_if_it_fits(*arguments: Any) -> None:
        with suppress(OSError):
            save(*arguments)

    return save_if_it_fits


@cache
def cache_folder() -> Path | None:
    """Return the folder of the compiled kernels; None where there is no safe one.

    `NUMBA_CACHE_DIR` is used if it is safe. Every version of the kernels has a folder of its own,
    since numba does not see that a kernel which another one calls has changed.
    """
    root = Path(_NUMBA.CACHE_DIR) if _NUMBA.CACHE_DIR else _user_cache()
    if root is None or not root.is_absolute():
        return None
    versions = Path(os.path.realpath(root)) / "sparsam-kernels"
    folder = versions / _version()
    try:
        for place in (*reversed(versions.parents), versions, folder):
            if not place.exists():
                place.mkdir(mode=0o700, exist_ok=True)
            if not is_ours(place, alone=place in (versions, folder)):
                return None
        os.utime(folder)  # it is in use
        _forget_old(versions)
    except OSError:  # nothing may be written there
        return None
    return folder if os.access(folder, os.W_OK | os.X_OK) else None


def is_ours(folder: Path, *, alone: bool) -> bool:
    """Whether nobody else can change what lies in a folder, or put another in its place.

    Parameters
    ----------
    folder : Path
    alone : bool
        It must belong to us; a folder above it may also be the system's, and may be shared if
        only owners can rename there.
    """
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return False
    if os.name != "posix":  # folders of a user are that user's there
        return True
    others = bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    if alone:
        return status.st_uid == os.geteuid() and not others
    kept_apart = not others or bool(status.st_mode & stat.S_ISVTX) or _private_group(status)
    return status.st_uid in (0, os.geteuid()) and kept_apart


def _private_group(status: os.stat_result) -> bool:
    """Whether only the group may write, and it is the user's own, as many systems set it up."""
    if sys.platform == "win32":
        return True
    import grp
    import pwd

    if status.st_mode & stat.S_IWOTH:
        return False
    try:
        group, user = grp.getgrgid(status.st_gid), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return group.gr_name == user.pw_name and {*group.gr_mem} <= {user.pw_name}


def _user_cache() -> Path | None:
    """Where programs keep what they can make again; None for a user without a home."""
    if sys.platform == "win32":
        place = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        place = os.path.expanduser("~/Library/Caches")
    else:
        place = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(place):  # as its specification has it
            place = os.path.expanduser("~/.cache")
    return Path(place) if os.path.isabs(place) else None


def _version() -> str:
    """Tell these kernels from those of any other version."""
    digest = hashlib.sha256()
    own = Path(__file__).parent
    for path in sorted({*own.glob("*.py"), *own.parent.rglob("kernels/*.py")}):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _forget_old(versions: Path) -> None:
    """Keep the versions that were used last."""
    folders = sorted(versions.iterdir(), key=lambda path: -path.stat().st_mtime)
    for path in folders[_MOST_VERSIONS:]:
        for file in sorted(path.rglob("*"), reverse=True):
            with suppress(OSError):  # another process is at it
                file.rmdir() if file.is_dir() else file.unlink()
        with suppress(OSError):
            path.rmdir()
