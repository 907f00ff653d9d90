"""Compiled kernels are forgotten when a kernel file is newer."""

from __future__ import annotations

import os
from pathlib import Path

from sparsam.counting._fresh_kernels import forget_stale_kernels


def aged(path: Path, seconds: int) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.touch()
    os.utime(path, (seconds, seconds))
    return path


def test_an_older_index_of_any_kernel_file_is_removed(tmp_path: Path) -> None:
    aged(tmp_path / "_one_kernels.py", 100)
    aged(tmp_path / "_two_kernels.py", 200)
    aged(tmp_path / "_other.py", 900)
    old = aged(tmp_path / "__pycache__" / "_one_kernels.grow-7.py311.nbi", 150)
    new = aged(tmp_path / "__pycache__" / "_two_kernels.cut-3.py311.nbi", 250)
    other = aged(tmp_path / "__pycache__" / "_kernels.count-3.py311.nbi", 10)
    assert forget_stale_kernels(tmp_path) == 1
    assert (old.exists(), new.exists(), other.exists()) == (False, True, True)
    assert forget_stale_kernels(tmp_path) == 0


def test_no_files_and_no_cache(tmp_path: Path) -> None:
    assert forget_stale_kernels(tmp_path) == 0
