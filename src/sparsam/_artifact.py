"""What is saved as a JSON document: one way to write it, read it and describe it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar, Self

import msgspec

from sparsam._documents import read_bytes, read_document, schema_of, write_document
from sparsam._errors import DocumentError
from sparsam._writing import write_text


class Artifact:
    """A thing that is saved as a versioned JSON document, and read again as the same thing.

    A subclass says what its document is: its structure, its format, what it is called, and how the
    document is made from the artifact and the artifact from the document.
    """

    __slots__ = ()

    _format: ClassVar[str]
    _called: ClassVar[str]
    _title: ClassVar[str]
    _structures: ClassVar[tuple[type[msgspec.Struct], ...]]
    """The structure of the document, and those that its schema defines besides."""

    def to_document(self) -> msgspec.Struct:
        """Return the document that is written."""
        raise NotImplementedError

    @classmethod
    def from_document(cls, document: Any) -> Self:
        """Return the artifact that a document describes, or name the field that is wrong."""
        raise NotImplementedError

    def to_json(self) -> str:
        """Write the JSON document, which people can read."""
        return write_document(self.to_document())

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read the JSON document.

        Parameters
        ----------
        text : str or bytes

        Raises
        ------
        DocumentError
            The document is damaged or foreign; the error points at the field.
        """
        document = read_document(text, cls._structures[0], cls._format, cls._called)
        return cls.from_document(document)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON document to a file."""
        write_text(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read the JSON document from a file."""
        try:
            return cls.from_json(read_bytes(path))
        except DocumentError as error:
            error.add_note(f"The document is the file '{Path(path).name}'.")
            raise

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """Return the JSON Schema (draft 2020-12) of the document."""
        document, *others = cls._structures
        return schema_of(document, f"{cls._title}, as saved by sparsam", *others)
