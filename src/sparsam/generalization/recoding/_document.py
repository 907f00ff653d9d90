"""The saved form of a recoding: a versioned JSON document, read and checked field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from sparsam.generalization._document import (
    Partition,
)

if TYPE_CHECKING:
    pass

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
