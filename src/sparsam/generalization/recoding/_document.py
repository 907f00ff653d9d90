"""The saved form of a recoding: a versioned JSON document, read and checked field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from sparsam._documents import convert_part, read_document
from sparsam._errors import DocumentError
from sparsam.generalization._document import (
    Partition,
    check_names_once,
    schema_of,
    write_document,
)
from sparsam.generalization._generalization import Generalization
from sparsam.generalization._refusal import FieldError
from sparsam.generalization.recoding._tree import Branch, Leaf, Node, Value

if TYPE_CHECKING:
    from sparsam.generalization.recoding._recoding import Recoding

FORMAT: Final = "sparsam/recoding"
VERSION: Final = 1

RawValues = Annotated[
    Any,
    Meta(
        extra_json_schema={
            "type": "array",
            "items": {"type": ["string", "number", "boolean", "null"]},
            "minItems": 1,
        }
    ),
]


class RecodingDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tree over the buckets of a generalization, as saved by sparsam.

    Parameters
    ----------
    format, version
        What the document is.
    attributes : tuple of Partition
        As in the document of a generalization.
    representatives : dict of str to tuple
        One value for each bucket of every attribute.
    nodes : tuple of dict
        Branches and leaves; the first is the root, children come after their parents.
    about : dict
    """

    format: Literal["sparsam/recoding"]
    version: Literal[1]
    attributes: Annotated[tuple[Partition, ...], Meta(min_length=1)]
    representatives: Annotated[
        dict[str, RawValues],
        Meta(description="For every attribute, one value for each of its buckets."),
    ]
    nodes: Annotated[
        tuple[dict[str, Any], ...],
        Meta(min_length=1, description="The first is the root; children come after parents."),
    ]
    about: dict[str, Any] = {}


def encode(
    generalization: Generalization,
    representatives: dict[str, tuple[Value, ...]],
    nodes: tuple[Node, ...],
    about: dict[str, Any],
) -> str:
    """Write the document, indented.

    Parameters
    ----------
    generalization : Generalization
    representatives : dict of str to tuple
    nodes : tuple of Branch or Leaf
    about : dict

    Returns
    -------
    str
    """
    return write_document(document_of(generalization, representatives, nodes, about))


def document_of(
    generalization: Generalization,
    representatives: dict[str, tuple[Value, ...]],
    nodes: tuple[Node, ...],
    about: dict[str, Any],
) -> RecodingDocument:
    """Return the document itself, to be written or to be part of another one."""
    written = tuple(msgspec.to_builtins(node) for node in nodes)
    return RecodingDocument(
        FORMAT, VERSION, generalization.partitions, representatives, written, about
    )


def decode(text: str | bytes) -> Recoding:
    """Read a recoding, or say which field of its document is wrong.

    Parameters
    ----------
    text : str or bytes

    Returns
    -------
    Recoding

    Raises
    ------
    DocumentError
    """
    return build(read_document(text, RecodingDocument, FORMAT, "recoding"))


def build(document: RecodingDocument, path: str = "$") -> Recoding:
    """Make the recoding that a document describes, which lies at a path of a larger one."""
    from sparsam.generalization.recoding._recoding import Recoding

    check_names_once(document.attributes, path)
    nodes = [_node(raw, f"{path}.nodes[{i}]") for i, raw in enumerate(document.nodes)]
    generalization = Generalization(document.attributes)
    try:
        return Recoding(generalization, document.representatives, nodes, document.about)
    except FieldError as error:
        raise DocumentError(str(error), f"{path}.{error.field}") from error


def _node(raw: dict[str, Any], path: str) -> Node:
    if "attribute" in raw:
        return convert_part(raw, Branch, path)
    return convert_part(raw, Leaf, path)


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the document.

    Returns
    -------
    dict
    """
    made = schema_of(RecodingDocument, "A recoding, as saved by sparsam", Branch, Leaf)
    kinds = [{"$ref": "#/$defs/Branch"}, {"$ref": "#/$defs/Leaf"}]
    made["$defs"]["RecodingDocument"]["properties"]["nodes"]["items"] = {"anyOf": kinds}
    return made
