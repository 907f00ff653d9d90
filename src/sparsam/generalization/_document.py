"""The saved form of a generalization: a versioned JSON document that points at its own faults.

Other artifacts are written with the same functions: `write_document`, `schema_of`.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from sparsam._documents import read_document
from sparsam._errors import DocumentError
from sparsam.generalization._categorical_partition import CategoricalPartition
from sparsam.generalization._numeric_partition import NumericPartition
from sparsam.generalization._values import whole

FORMAT: Final = "sparsam/generalization"
VERSION: Final = 1
SCHEMA_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_write = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode  # made once: it is slow

Partition = NumericPartition | CategoricalPartition


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One partition per attribute, as saved by sparsam.

    Parameters
    ----------
    format, version
        What the document is.
    attributes : tuple of Partition
    about : dict
        Plain facts: who made it, from what, with which seed.
    """

    format: Literal["sparsam/generalization"]
    version: Literal[1]
    attributes: Annotated[tuple[Partition, ...], Meta(min_length=1)]
    about: dict[str, Any] = {}


def encode(partitions: tuple[Partition, ...], about: dict[str, Any]) -> str:
    """Write the document, indented, with each list of plain values on one line.

    Parameters
    ----------
    partitions : tuple of Partition
    about : dict
        Plain JSON facts.

    Returns
    -------
    str
    """
    return write_document(Document(FORMAT, VERSION, partitions, about))


def decode(text: str | bytes) -> Document:
    """Read a document, or say which field of it is wrong.

    Parameters
    ----------
    text : str or bytes

    Returns
    -------
    Document

    Raises
    ------
    DocumentError
    """
    document = read_document(text, Document, FORMAT, "generalization")
    check_names_once(document.attributes)
    return document


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the document.

    Returns
    -------
    dict
    """
    return schema_of(Document, "A generalization, as saved by sparsam")


def write_document(document: msgspec.Struct) -> str:
    """Write any document, indented, with each list of plain values on one line."""
    return _pretty(_shorten(msgspec.to_builtins(document))) + "\n"


def check_names_once(partitions: tuple[Partition, ...], path: str = "$") -> None:
    """Raise for an attribute that occurs twice in a document."""
    seen = set[str]()
    for i, partition in enumerate(partitions):
        if partition.name in seen:
            msg = f"Every attribute must occur once. '{partition.name}' came before."
            raise DocumentError(msg, f"{path}.attributes[{i}].name")
        seen.add(partition.name)


def schema_of(
    kind: type[msgspec.Struct], title: str, *more: type[msgspec.Struct]
) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a document of any kind.

    Parameters
    ----------
    kind : type
        The structure of the document.
    title : str
    *more : type
        Further structures to define in the schema.

    Returns
    -------
    dict
    """
    (reference, *_), components = msgspec.json.schema_components(
        [kind, *more], ref_template="#/$defs/{name}"
    )
    for component in components.values():
        component["description"] = component.get("description", "").split("\n")[0]
    return {"$schema": SCHEMA_DIALECT, "title": title, **reference, "$defs": components}


def _shorten(value: Any) -> Any:
    """Write whole numbers without a decimal point everywhere in the document."""
    if isinstance(value, dict):
        return {key: _shorten(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_shorten(inner) for inner in value]
    return whole(value) if isinstance(value, float) else value


def _pretty(value: Any, indent: str = "") -> str:
    inner = indent + "  "
    if isinstance(value, dict) and value:
        lines = [f"{inner}{_plain(key)}: {_pretty(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, list | dict) for item in value):
        lines = [inner + _pretty(item, inner) for item in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return _plain(value)


def _plain(value: Any) -> str:
    return _write(value)
