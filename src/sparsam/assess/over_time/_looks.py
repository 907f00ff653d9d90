"""The looks that were taken at later people before: figures only, kept in a small file."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Final, Literal

import msgspec

from sparsam._documents import read_bytes, read_document, write_document
from sparsam._errors import DataError
from sparsam._small_counts import Count
from sparsam._writing import write_text
from sparsam.generalization import Generalization

FORMAT: Final = "sparsam/looks"


class Look(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one look at later people said.

    Parameters
    ----------
    date : str
    people : int or str
    verdict : str
    changed : tuple of str
        The attributes that were shown to have changed.
    utility_loss, recovered : float or None
    """

    date: str
    people: Count
    verdict: str
    changed: tuple[str, ...] = ()
    utility_loss: float | None = None
    recovered: float | None = None


class Looks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The looks at one artifact, in their order.

    Parameters
    ----------
    format, version
        What the document is.
    artifact : str
        The hash of the artifact; of buckets and published figures, not of people.
    looks : tuple of Look
    """

    format: Literal["sparsam/looks"]
    version: Literal[1]
    artifact: str
    looks: tuple[Look, ...] = ()

    @classmethod
    def load(cls, path: str | os.PathLike[str], generalization: Generalization) -> Looks:
        """Read the looks that were taken so far; none where there is no file yet."""
        own = _hash(generalization)
        if not Path(path).exists():
            return cls(FORMAT, 1, own)
        looks = read_document(read_bytes(path), cls, FORMAT, "history of looks")
        if looks.artifact != own:
            raise DataError(
                "The history must be that of the looks at this artifact. It is of another one."
                "\n\nHint: give every artifact a history of its own."
            )
        return looks

    def and_then(self, look: Look) -> Looks:
        """The looks with one more."""
        return msgspec.structs.replace(self, looks=(*self.looks, look))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file, whole or not at all."""
        write_text(path, write_document(self))


def _hash(generalization: Generalization) -> str:
    return hashlib.sha256(generalization.to_json().encode()).hexdigest()
