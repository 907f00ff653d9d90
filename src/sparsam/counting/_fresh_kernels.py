"""Forget compiled kernels that are older than a kernel they call."""

from __future__ import annotations

from pathlib import Path


def forget_stale_kernels(folder: Path) -> int:
    """Remove compiled kernels from the cache when any kernel file is newer; return how many.

    numba looks at the file of a compiled function only, not at the files of the functions that it
    calls: after an update it would silently go on with the old ones.

    Parameters
    ----------
    folder : Path
        Holds files called `_*_kernels.py`, and their cache in `__pycache__`.
    """
    changed = max((path.stat().st_mtime for path in folder.glob("_*_kernels.py")), default=0.0)
    stale = 0
    for index in (folder / "__pycache__").glob("_*_kernels.*.nbi"):
        try:
            if index.stat().st_mtime < changed:
                index.unlink()
                stale += 1
        except OSError:  # another process was faster, or nothing may be written here
            continue
    return stale
