"""Files that are written for Sphinx to read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def write_folder(folder: Path, texts: Mapping[str, str]) -> None:
    """Let a folder hold these texts and no others; what has not changed is left as it is.

    Parameters
    ----------
    folder : Path
    texts : mapping of str to str
        By the name of the file.
    """
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        file = folder / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
