"""Write a file whole or not at all.

What is written has no name, or a hidden one beside its place, until it is complete and on the
disk; then it takes its place at once. A full disk, a signal or a power cut leaves the old file or
the new one. Where the system has files without a name (Linux), a killed process leaves nothing
else either; elsewhere it leaves a hidden file, which the next writer in that folder removes.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

if sys.platform != "win32":
    import fcntl

_HIDDEN = re.compile(r"\.sparsam-[0-9a-f]{32}")
_MOST_LINKS = 40
_EFFECTIVE = os.access in os.supports_effective_ids
_MOUNTS = Path("/proc/self/mountinfo")


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in UTF-8, whole or not at all.

    Parameters
    ----------
    path : str or Path
        A link is followed: what it points to is replaced, not the link.
    text : str
    """
    write_bytes(path, text.encode())


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write bytes, whole or not at all.

    Parameters
    ----------
    path : str or Path
    data : bytes
    """
    with new_file(path) as stream:
        stream.write(data)


@contextmanager
def new_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Return a stream to write to; the file takes its place when the block ends without an error.

    Parameters
    ----------
    path : str or Path
    """
    with _Fresh.beside(path) as fresh:
        with os.fdopen(fresh.descriptor, "w+b", closefd=False) as stream:
            yield stream
        fresh.put_in_place()


@contextmanager
def new_path(path: str | os.PathLike[str]) -> Iterator[str]:
    """Return a path for another library to write to, without an ending; else like `new_file`.

    The library must write to that very file, not to another one that it then renames.

    Parameters
    ----------
    path : str or Path
    """
    with _Fresh.beside(path) as fresh:
        yield fresh.path
        fresh.put_in_place()


@contextmanager
def draft_of(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Return a place for a draft, of the same name, in a hidden folder beside; it goes afterwards.

    Parameters
    ----------
    path : str or Path
        Where the file will be, once `put_in_place` has put it there.
    """
    with _named(path):
        place = _place(path)
        _check(place)
        sweep(place.parent)
        folder, descriptor = _hidden_folder(place.parent)
    try:
        yield folder / Path(path).name
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def put_in_place(draft: Path, path: str | os.PathLike[str]) -> None:
    """Put a finished draft where it belongs, at once.

    Parameters
    ----------
    draft : Path
    path : str or Path
    """
    with _named(path):
        place = _place(path)
        _check(place)
        descriptor = os.open(draft, os.O_RDWR)
        try:
            _dress(descriptor, place)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(draft, place)
        flush_folder(place.parent)


def put_new(draft: Path, path: str | os.PathLike[str]) -> None:
    """Put a finished draft where there is no file yet, at once; `FileExistsError` where one is.

    Parameters
    ----------
    draft : Path
    path : str or Path
        A link counts as a file.
    """
    with _named(path):
        place = Path(path).absolute()
        try:
            os.link(draft, place)
        except FileExistsError:
            raise
        except OSError:  # a disk without links: there is a moment between looking and renaming
            if os.path.lexists(place):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
            os.rename(draft, place)
        flush_folder(place.parent)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise the error that writing this file would meet, as far as it can be known beforehand.

    Parameters
    ----------
    path : str or Path
    """
    with _Fresh.beside(path):
        pass  # being made is all that is asked of it; it is dropped again


def flush_folder(folder: Path) -> None:
    """Put the name of a new file on the disk as well, where folders can be flushed."""
    if os.name == "posix":
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


def sweep(folder: Path) -> None:
    """Remove the hidden files and folders that killed writers left here.

    A writer that lives holds a lock on its own, across processes and containers.

    Parameters
    ----------
    folder : Path
    """
    hidden: list[str] = []
    with suppress(OSError), os.scandir(folder) as entries:
        hidden = [entry.path for entry in entries if _HIDDEN.fullmatch(entry.name)]
    for path in hidden:
        with suppress(OSError):  # somebody else's, in use, or gone by now
            _remove_left(path)


def _remove_left(path: str) -> None:
    if sys.platform == "win32":
        os.unlink(path)  # refused while it is open
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid():
            return
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if stat.S_ISDIR(status.st_mode):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    finally:
        os.close(descriptor)


class _Fresh:
    """A file that is being written, and has no place yet.

    Parameters
    ----------
    place : Path
        Where it will be.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self.hidden: Path | None = None
        self.descriptor = -1

    def open(self) -> None:
        """Make the file."""
        self.descriptor = _without_a_name(self.place.parent)
        while self.descriptor < 0:
            self.hidden = _hidden_name(self.place.parent)
            self.descriptor = _behind_a_name(self.hidden)

    @classmethod
    @contextmanager
    def beside(cls, path: str | os.PathLike[str]) -> Iterator[_Fresh]:
        """Make one, and leave nothing of it behind but what was put in its place."""
        with _named(path):
            place = _place(path)
            _check(place)
            sweep(place.parent)
            fresh = cls(place)
            try:
                fresh.open()
                _dress(fresh.descriptor, place)
                yield fresh
            finally:
                fresh.drop()

    @property
    def path(self) -> str:
        """By which it can be opened once more."""
        return _by_number(self.descriptor) if self.hidden is None else str(self.hidden)

    def put_in_place(self) -> None:
        """Take the place, complete and on the disk."""
        os.fsync(self.descriptor)
        if self.hidden is None and not self._linked(self.place):
            # Only a name can replace a name: this one exists between two calls of the system.
            name = _hidden_name(self.place.parent)
            self.hidden, linked = name, self._linked(name)
            if not linked:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(self.place))
        if self.hidden is not None:
            if sys.platform == "win32":  # which renames no file that is open
                self.close()
            os.replace(self.hidden, self.place)
            self.hidden = None
        flush_folder(self.place.parent)

    def _linked(self, name: Path) -> bool:
        """Return a file without a name this one, unless another has it."""
        folder = os.open(name.parent, os.O_RDONLY)
        try:
            # with a folder given, Python asks the system to follow the link to the file
            os.link(_by_number(self.descriptor), name.name, dst_dir_fd=folder)
        except FileExistsError:
            return False
        finally:
            os.close(folder)
        return True

    def close(self) -> None:
        """Close it, once."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def drop(self) -> None:
        """Forget it, unless it is in its place."""
        self.close()
        if self.hidden is not None:
            self.hidden.unlink(missing_ok=True)


def _by_number(descriptor: int) -> str:
    return f"/proc/self/fd/{descriptor}"


def _hidden_name(folder: Path) -> Path:
    return folder / f".sparsam-{secrets.token_hex(16)}"


def _without_a_name(folder: Path) -> int:
    """Open a file that vanishes with its last user; -1 where the system or the disk has none."""
    if sys.platform != "linux":
        return -1
    try:
        descriptor = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
    except OSError:  # a named one will meet the same error, if it is one
        return -1
    if not os.path.exists(_by_number(descriptor)):  # without /proc it could never get a name
        os.close(descriptor)
        return -1
    _hold(descriptor)
    return descriptor


def _behind_a_name(hidden: Path) -> int:
    """Open a new hidden file; -1 where a sweep was faster than the lock."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(hidden, flags, 0o666)
    _hold(descriptor)
    if hidden.exists():
        return descriptor
    os.close(descriptor)
    return -1


def _hidden_folder(beside: Path) -> tuple[Path, int | None]:
    """Make a hidden folder for us alone, and hold it."""
    while True:
        folder = _hidden_name(beside)
        folder.mkdir(0o700)
        if sys.platform == "win32":
            return folder, None
        descriptor = os.open(folder, os.O_RDONLY)
        _hold(descriptor)
        if folder.exists():
            return folder, descriptor
        os.close(descriptor)


def _hold(descriptor: int) -> None:
    """Show sweeps that this one is in use; where nothing can be locked, they remove nothing."""
    if sys.platform != "win32":
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)


@contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let errors of the system name the file that was to be written, not the hidden one."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def _place(path: str | os.PathLike[str]) -> Path:
    """Where a file will be: the end of the links."""
    place = Path(path).absolute()
    for _ in range(_MOST_LINKS):
        try:
            target = os.readlink(place)
        except OSError:  # no link
            return place
        _check_link(place)
        place = place.parent / target
    raise _refusal(errno.ELOOP, place)


def _check_link(link: Path) -> None:
    """Refuse, as the system does, what a stranger has linked in a folder that all may write to."""
    folder, owner = link.parent.stat(), link.lstat().st_uid
    shared = folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH
    if shared and os.name == "posix" and owner not in (os.geteuid(), folder.st_uid):
        raise _refusal(errno.EACCES, link)


def _check(place: Path) -> None:
    """Raise unless a file can be, or can be replaced, here."""
    folder = place.parent.stat()
    if not stat.S_ISDIR(folder.st_mode):
        raise _refusal(errno.ENOTDIR, place)
    try:
        old = place.stat()
    except FileNotFoundError:
        return
    if stat.S_ISDIR(old.st_mode):
        raise _refusal(errno.EISDIR, place)
    if not stat.S_ISREG(old.st_mode):  # replacing a device or a pipe would remove it
        raise OSError(errno.EINVAL, "Not a regular file", str(place))
    if not os.access(place, os.W_OK, effective_ids=_EFFECTIVE):  # renaming would not ask
        raise _refusal(errno.EACCES, place)
    if os.name == "posix":
        mine = {0, folder.st_uid, old.st_uid}
        if folder.st_mode & stat.S_ISVTX and os.geteuid() not in mine:
            raise _refusal(errno.EPERM, place)
    if _is_mounted(place):
        raise _refusal(errno.EBUSY, place)


def _is_mounted(place: Path) -> bool:
    """Whether a single file was mounted here, as containers do: it cannot be replaced."""
    if not _MOUNTS.exists():
        return False
    signs = {" ": "\\040", "\t": "\\011", "\n": "\\012", "\\": "\\134"}
    real = "".join(signs.get(sign, sign) for sign in os.path.realpath(place))
    lines = os.fsdecode(_MOUNTS.read_bytes()).split("\n")
    return any(line.split(" ")[4:5] == [real] for line in lines)


def _dress(descriptor: int, place: Path) -> None:
    """Return a new file the owner and the rights of the one that it replaces."""
    if os.name != "posix":
        return
    try:
        old = place.stat()
    except FileNotFoundError:
        return
    status, rights = os.fstat(descriptor), stat.S_IMODE(old.st_mode) & 0o777
    if (status.st_uid, status.st_gid) != (old.st_uid, old.st_gid):
        rights = _chown(descriptor, old, rights)
    os.fchmod(descriptor, rights)


def _chown(descriptor: int, old: os.stat_result, rights: int) -> int:
    """Keep owner and group, or the group, as far as we may; another group gets no rights."""
    for owner in (old.st_uid, -1):
        with suppress(PermissionError):
            os.fchown(descriptor, owner, old.st_gid)
            return rights
    return rights & ~stat.S_IRWXG


def _refusal(number: int, place: Path) -> OSError:
    return OSError(number, os.strerror(number), str(place))
