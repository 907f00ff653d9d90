"""The saved form of a generalization: a versioned JSON document that points at its own faults."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from sparsam._errors import DocumentError
from sparsam.generalization._categorical_partition import CategoricalPartition
from sparsam.generalization._numeric_partition import NumericPartition

FORMAT: Final = "sparsam/generalization"
VERSION: Final = 1


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


def check_names_once(partitions: tuple[Partition, ...], path: str = "$") -> None:
    """Raise for an attribute that occurs twice in a document."""
    seen = set[str]()
    for i, partition in enumerate(partitions):
        if partition.name in seen:
            msg = f"Every attribute must occur once. '{partition.name}' came before."
            raise DocumentError(msg, f"{path}.attributes[{i}].name")
        seen.add(partition.name)
