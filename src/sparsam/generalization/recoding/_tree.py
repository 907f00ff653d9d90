"""The tree of a recoding: branches over buckets, leaves, and what must hold of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data import Category
from sparsam.data import plain as plain_category
from sparsam.generalization._categorical_partition import CategoricalPartition
from sparsam.generalization._document import Partition
from sparsam.generalization._generalization import Generalization
from sparsam.generalization._numeric_partition import NumericPartition
from sparsam.generalization._refusal import FieldError
from sparsam.generalization._values import plain

Value = str | int | float | bool | None

_Unique = {"uniqueItems": True}
# read as anything, so that our own checks, which know the attribute, name the field
RawValue = Annotated[Any, Meta(extra_json_schema={"type": ["string", "number", "boolean", "null"]})]


class Branch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question about one attribute that parts the people in two.

    Parameters
    ----------
    attribute : str
    left : tuple of int
        The buckets that go to `then`; all others go to `otherwise`.
    then, otherwise : int
        Numbers of nodes further on in the list.
    """

    attribute: str
    left: Annotated[
        tuple[Annotated[int, Meta(ge=0)], ...],
        Meta(
            min_length=1,
            description="The buckets that go to the node `then`.",
            extra_json_schema=_Unique,
        ),
    ]
    then: Annotated[int, Meta(ge=1)]
    otherwise: Annotated[int, Meta(ge=1)]


class Leaf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the model is fed for all people who end here.

    Parameters
    ----------
    asks : tuple of str
        The attributes whose own bucket still counts: its representative is fed.
    record : dict of str to value
        One value for every other attribute, the same for everyone here.
    prediction : label or None, default=None
        What the model answers to the record of a settled leaf, which asks nothing; None: open.
    """

    asks: Annotated[tuple[str, ...], Meta(extra_json_schema=_Unique)]
    record: dict[str, RawValue]
    prediction: Category | None = None


Node = Branch | Leaf


def plain_nodes(generalization: Generalization, nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Write nodes in one way: buckets ascending, values of plain Python, attributes in order.

    Parameters
    ----------
    generalization : Generalization
    nodes : sequence of Branch or Leaf

    Returns
    -------
    tuple of Branch or Leaf
    """
    if not nodes:
        raise FieldError("A recoding must have at least one node. Got none.", "nodes")
    return tuple(_plain_node(generalization, i, node) for i, node in enumerate(nodes))


def _plain_node(generalization: Generalization, i: int, node: Any) -> Node:
    if isinstance(node, Branch):
        left = tuple(sorted(int(bucket) for bucket in node.left))
        return Branch(node.attribute, left, int(node.then), int(node.otherwise))
    if not isinstance(node, Leaf):
        msg = f"A node must be a Branch or a Leaf. Got {type(node).__name__} instead."
        raise FieldError(msg, f"nodes[{i}]")
    _check_cover(generalization, node, f"nodes[{i}]")
    asked = set(node.asks)
    asks = tuple(name for name in generalization.names if name in asked)
    record = {
        part.name: constant(part, node.record[part.name], f"nodes[{i}].record.{part.name}")
        for part in generalization
        if part.name in node.record
    }
    prediction = None
    if node.prediction is not None:
        prediction = _plain_label(node.prediction, f"nodes[{i}].prediction")
    return Leaf(asks, record, prediction)


def _plain_label(label: Any, field: str) -> Category:
    msg = "A prediction must be a text, a finite number, a truth value or null."
    try:
        made = plain_category(label)
    except DataError as error:
        raise FieldError(msg, field) from error
    if isinstance(made, float) and not math.isfinite(made):
        raise FieldError(msg, field)
    return made


def _check_cover(generalization: Generalization, leaf: Leaf, field: str) -> None:
    """Raise unless every attribute is either asked or has a value in the record."""
    for name in leaf.asks:
        if name not in generalization:
            raise FieldError(f"A leaf must ask attributes. '{name}' is none.", f"{field}.asks")
        if not generalization[name].collected:
            msg = f"A leaf must ask collected attributes only. '{name}' has one bucket."
            raise FieldError(msg, f"{field}.asks")
    asked = set(leaf.asks)
    if len(asked) != len(leaf.asks):
        raise FieldError("A leaf must ask every attribute at most once.", f"{field}.asks")
    if leaf.prediction is not None and leaf.asks:
        msg = "A leaf with a prediction is settled and must ask nothing."
        raise FieldError(msg, f"{field}.asks")
    for name in leaf.record:
        if name not in generalization:
            msg = f"The record of a leaf must hold attributes. '{name}' is none."
            raise FieldError(msg, f"{field}.record")
        if name in asked:
            msg = f"The record of a leaf must not hold what it asks. '{name}' is asked."
            raise FieldError(msg, f"{field}.record.{name}")
    covered = asked.union(leaf.record)
    lost = [name for name in generalization.names if name not in covered]
    if lost:
        msg = f"A leaf must ask or set every attribute. {lost} are neither."
        raise FieldError(msg, f"{field}.record")


def plain_representatives(
    generalization: Generalization, given: Mapping[str, Sequence[Value]]
) -> dict[str, tuple[Value, ...]]:
    """Check the representatives, and write them as plain values.

    Parameters
    ----------
    generalization : Generalization
    given : mapping of str to sequence
        One value for each bucket of every attribute, inside that bucket.

    Returns
    -------
    dict of str to tuple
    """
    for name in given:
        if name not in generalization:
            msg = f"The representatives must be of attributes. '{name}' is none."
            raise FieldError(msg, "representatives")
    lost = [name for name in generalization.names if name not in given]
    if lost:
        msg = f"Every attribute must have representatives. {lost} have none."
        raise FieldError(msg, "representatives")
    return {part.name: _of_buckets(part, given[part.name]) for part in generalization}


def _of_buckets(part: Partition, values: Any) -> tuple[Value, ...]:
    field = f"representatives.{part.name}"
    values = values.tolist() if isinstance(values, np.ndarray) else values
    if not isinstance(values, list | tuple) or len(values) != part.n_buckets:
        msg = f"'{part.name}' must have a list of {part.n_buckets} representatives, one a bucket."
        raise FieldError(msg, field)
    made = tuple(_plain_value(part, value, f"{field}[{i}]") for i, value in enumerate(values))
    unseen = part.unseen if isinstance(part, CategoricalPartition) else None
    for bucket, value in enumerate(made):
        if bucket != unseen and part.slot(value) != bucket:
            msg = (
                f"A representative of '{part.name}' must lie inside its own bucket, "
                "and be null in the bucket of missing values only."
            )
            raise FieldError(msg, f"{field}[{bucket}]")
    return made


def constant(part: Partition, value: Any, field: str) -> Value:
    """Check a value that stands for everyone in a leaf, and write it as a plain value."""
    made = _plain_value(part, value, field)
    if part.slot(made) >= part.n_buckets:
        msg = f"The value of '{part.name}' must have a bucket. Its partition refuses such values."
        raise FieldError(msg, field)
    return made


def _plain_value(part: Partition, value: Any, field: str) -> Value:
    try:
        made = plain(value)
    except TypeError as error:
        msg = f"A value of '{part.name}' must be a text, a number, a truth value or null."
        raise FieldError(msg, field) from error
    if made is None:
        return None
    if isinstance(made, float) and not math.isfinite(made):
        raise FieldError(f"A number of '{part.name}' must be finite.", field)
    if isinstance(part, NumericPartition):
        return _number(part, made, field)
    return plain_category(made)


def _number(part: NumericPartition, value: Category, field: str) -> float:
    if isinstance(value, str | bool):
        raise FieldError(f"A value of '{part.name}' must be a number or null.", field)
    if not part.domain.integer:
        return float(value)
    if int(value) != value:
        msg = f"A value of '{part.name}' must be a whole number as its domain is."
        raise FieldError(msg, field)
    return int(value)


def find_leaves(
    generalization: Generalization, nodes: tuple[Node, ...], codes: NDArray[Any]
) -> NDArray[np.intp]:
    """Return the number of the leaf that each generalized record ends in.

    Parameters
    ----------
    generalization : Generalization
    nodes : tuple of Branch or Leaf
    codes : ndarray of int, shape (n, n_attributes)
        Buckets, in the order of ``generalization.names``.

    Returns
    -------
    ndarray of int
    """
    place = {name: column for column, name in enumerate(generalization.names)}
    found = np.zeros(len(codes), np.intp)
    rows_at: dict[int, NDArray[np.intp]] = {0: np.arange(len(codes))}
    for i, node in enumerate(nodes):
        rows = rows_at.pop(i)
        if isinstance(node, Leaf):
            found[rows] = i
            continue
        left = np.zeros(generalization[node.attribute].n_buckets, bool)
        left[list(node.left)] = True
        goes = left[codes[rows, place[node.attribute]]]
        rows_at[node.then], rows_at[node.otherwise] = rows[goes], rows[~goes]
    return found
