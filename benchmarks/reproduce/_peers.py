"""Environments of other programs, made where they are asked for."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

from reproduce._entry import CannotMeasureError

BENCHMARKS = Path(__file__).resolve().parents[1]
TOOLKIT = ("-r", str(BENCHMARKS / "ai_privacy_toolkit" / "requirements.txt"))
ANONYPY = ("anonypy==0.2.1", "pandas<3", "setuptools<81")


def peer_python(folder: Path, name: str, requirements: tuple[str, ...]) -> Path:
    """Return the interpreter of a peer's own environment; make it where there is none.

    Parameters
    ----------
    folder : Path
        Where environments are kept.
    name : str
    requirements : tuple of str
        What pip is to install.
    """
    place = folder / name
    python = place / "bin" / "python"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two entries may ask for one peer at once
        if not (place / ".ready").exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(place)], check=True)
            install = [str(python), "-m", "pip", "install", "--quiet", "--prefer-binary"]
            done = subprocess.run([*install, *requirements], check=False)
            if done.returncode:
                raise CannotMeasureError(f"the packages of {name} could not be fetched")
            (place / ".ready").touch()
    return python
