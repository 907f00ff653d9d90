"""How much memory a table may take: what the user says, or half of what is free."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
from pathlib import Path

from sparsam._checks import wrong_parameter

_UNITS = {"": 1, "k": 1_000, "m": 1_000**2, "g": 1_000**3, "t": 1_000**4}
_BINARY = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)
# Where a machine does not tell what is free.
_UNTOLD = 4 << 30
# What a container may take, and has taken (cgroup v2, then v1).
_LIMITS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def memory_budget(owner: str, max_memory: int | str | None) -> int:
    """Return the bytes that a table may take.

    Parameters
    ----------
    owner : str
        Whose parameter it is, for the error.
    max_memory : int, str or None
        Bytes, or a text such as "4GB" or "512 MiB"; None for half of what is free now.

    Examples
    --------
    >>> memory_budget("read", "4GB"), memory_budget("read", "1.5 KiB"), memory_budget("read", 100)
    (4000000000, 1536, 100)
    """
    if max_memory is None:
        return free_memory() // 2
    if isinstance(max_memory, str):
        read = _SIZE.fullmatch(max_memory)
        size = 0 if read is None else _bytes(*read.groups())
    else:
        size = max_memory if isinstance(max_memory, int) else 0
    if size <= 0 or isinstance(max_memory, bool):
        expected = "a number of bytes, or a text such as '4GB'"
        raise wrong_parameter(owner, "max_memory", expected, max_memory)
    return size


def _bytes(number: str, unit: str, binary: str) -> int:
    return int(float(number) * (_BINARY if binary else _UNITS)[unit.lower()])


def give_memory_back() -> None:
    """Hand memory that nothing uses back to the system, where the C library keeps it.

    glibc keeps what lies between blocks that are in use: hundreds of megabytes after a long search.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def free_memory() -> int:
    """Return the bytes that are free, on this machine and in this container."""
    return max(0, min(_free_on_machine(), _free_in_container()))


def _free_on_machine() -> int:
    try:
        told = Path("/proc/meminfo").read_text()
    except OSError:
        return _free_pages()
    available = re.search(r"^MemAvailable:\s+(\d+) kB", told, re.MULTILINE)
    return int(available[1]) * 1024 if available else _free_pages()


def _free_pages() -> int:
    names = getattr(os, "sysconf_names", {})
    if "SC_AVPHYS_PAGES" not in names:
        return _UNTOLD
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _free_in_container() -> int:
    for limit, taken in _LIMITS:
        try:
            most, now = Path(limit).read_text().strip(), Path(taken).read_text().strip()
        except OSError:
            continue
        if most.isdigit() and now.isdigit():
            return int(most) - int(now)
    return 1 << 62
