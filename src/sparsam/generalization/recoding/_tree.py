"""The tree of a recoding: branches over buckets, leaves, and what must hold of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data import Category
from sparsam.data import plain as plain_category
from sparsam.generalization._generalization import Generalization
from sparsam.generalization._labels import OR_MISSING, OR_OTHER, category_label, numeric_labels
from sparsam.generalization._partition import CategoricalPartition, NumericPartition, Partition
from sparsam.generalization._partition_base import FieldError, plain

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

    Examples
    --------
    >>> young = Branch("age", left=(0,), then=1, otherwise=2)
    >>> young.attribute, young.left
    ('age', (0,))
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

    Examples
    --------
    >>> child = Leaf(asks=(), record={"age": 10, "sex": "female"}, prediction="no")
    >>> child.prediction, child.asks
    ('no', ())
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
        category = plain_category(label)
    except DataError as error:
        raise FieldError(msg, field) from error
    if isinstance(category, float) and not math.isfinite(category):
        raise FieldError(msg, field)
    return category


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
        msg = f"'{part.name}' must have a representative for each of its {part.n_buckets} buckets."
        raise FieldError(msg, field)
    plain_values = tuple(
        _plain_value(part, value, f"{field}[{i}]") for i, value in enumerate(values)
    )
    unseen = part.unseen if isinstance(part, CategoricalPartition) else None
    for bucket, value in enumerate(plain_values):
        if bucket != unseen and part.slot(value) != bucket:
            msg = (
                f"A representative of '{part.name}' must lie inside its own bucket, "
                "and be null in the bucket of missing values only."
            )
            raise FieldError(msg, f"{field}[{bucket}]")
    return plain_values


def constant(part: Partition, value: Any, field: str) -> Value:
    """Check a value that stands for everyone in a leaf, and write it as a plain value."""
    plain_value = _plain_value(part, value, field)
    if part.slot(plain_value) >= part.n_buckets:
        msg = f"The value of '{part.name}' must have a bucket. Its partition refuses such values."
        raise FieldError(msg, field)
    return plain_value


def _plain_value(part: Partition, value: Any, field: str) -> Value:
    if isinstance(part, NumericPartition) and part.domain.unit is not None:
        return _moment(part, value, field)
    try:
        category = plain(value)
    except TypeError as error:
        msg = f"A value of '{part.name}' must be a text, a number, a truth value or null."
        raise FieldError(msg, field) from error
    if category is None:
        return None
    if isinstance(category, float) and not math.isfinite(category):
        raise FieldError(f"A number of '{part.name}' must be finite.", field)
    if isinstance(part, NumericPartition):
        return _number(part, category, field)
    return plain_category(category)


def _moment(part: NumericPartition, value: Any, field: str) -> str | None:
    """Write a date or a time of day as a text."""
    try:
        return None if value is None else str(part.domain.number(value))
    except DataError:
        example = "1960-01-31" if part.domain.unit == "date" else "08:30"
        msg = f"A value of '{part.name}' must be such as '{example}', or null."
        raise FieldError(msg, field) from None


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
    leaves = np.zeros(len(codes), np.intp)
    rows_at: dict[int, NDArray[np.intp]] = {0: np.arange(len(codes))}
    for i, node in enumerate(nodes):
        rows = rows_at.pop(i)
        if isinstance(node, Leaf):
            leaves[rows] = i
            continue
        left = np.zeros(generalization[node.attribute].n_buckets, bool)
        left[list(node.left)] = True
        goes = left[codes[rows, place[node.attribute]]]
        rows_at[node.then], rows_at[node.otherwise] = rows[goes], rows[~goes]
    return leaves


Possible = dict[str, frozenset[int]]
"""The buckets that the path to a node leaves, for the attributes that the path tests."""

MAX_PARTED: Final = 2**22  # over all branches: the time that a walk over the tree takes


def mask_of(buckets: Iterable[int], size: int) -> int:
    """Write buckets as the bits of a number.

    Examples
    --------
    >>> bin(mask_of([0, 3], 4))
    '0b1001'
    """
    digits = bytearray(b"0" * size)
    for bucket in buckets:
        digits[size - 1 - bucket] = ord("1")
    return int(bytes(digits), 2)


def buckets_of(mask: int) -> list[int]:
    """Read the buckets from the bits of a number, ascending.

    Examples
    --------
    >>> buckets_of(0b1001)
    [0, 3]
    """
    return [bucket for bucket, digit in enumerate(f"{mask:b}"[::-1]) if digit == "1"]


class Paths:
    """What the paths of a tree leave possible, checked and worked out once.

    Parameters
    ----------
    generalization : Generalization
    nodes : sequence of Branch or Leaf

    Raises
    ------
    FieldError
        The nodes are not one tree, a branch parts nothing, or the tree is too large.
    """

    def __init__(self, generalization: Generalization, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._sizes = {part.name: part.n_buckets for part in generalization}
        self._parents = _find_parents(nodes)
        _check_branches(nodes, self._sizes)
        self._sides = self._find_sides()

    def side(self, number: int) -> list[int]:
        """Return the buckets that lead to a node, of the attribute that the branch above tests."""
        return buckets_of(self._sides[number])

    def masks(self, name: str) -> list[int]:
        """Return, for every node, the buckets of one attribute that the path to it leaves."""
        by_node = [(1 << self._sizes[name]) - 1]
        for number in range(1, len(self._nodes)):
            parent = self._parents[number]
            own = self._tested(parent) == name
            by_node.append(self._sides[number] if own else by_node[parent])
        return by_node

    def possible(self, number: int) -> Possible:
        """Return the buckets that the path to a node leaves, for the attributes that it tests."""
        buckets: Possible = {}
        while number:
            parent = self._parents[number]
            name = self._tested(parent)
            if name not in buckets:
                buckets[name] = frozenset(self.side(number))
            number = parent
        return buckets

    def _tested(self, number: int) -> str:
        node = self._nodes[number]
        assert isinstance(node, Branch)  # only branches have nodes below them
        return node.attribute

    def _find_sides(self) -> list[int]:
        """Walk the tree depth first, and keep what the path so far leaves of every attribute."""
        sides = [0] * len(self._nodes)
        still = {name: (1 << size) - 1 for name, size in self._sizes.items()}
        name = next(iter(still))
        waiting = [(0, name, still[name])]
        while waiting:
            number, name, mask = waiting.pop()
            still[name] = mask
            if number < 0:
                continue
            sides[number] = mask
            node = self._nodes[number]
            if isinstance(node, Branch):
                before = still[node.attribute]
                left = mask_of(node.left, self._sizes[node.attribute])
                if not before & left or not before & ~left:
                    raise _parts_nothing(number, node.attribute)
                waiting.append((-1, node.attribute, before))
                waiting.append((node.otherwise, node.attribute, before & ~left))
                waiting.append((node.then, node.attribute, before & left))
        return sides


def _find_parents(nodes: Sequence[Node]) -> list[int]:
    """Check that the nodes are one tree, children after their parents."""
    parents = [-1] * len(nodes)
    for i, node in enumerate(nodes):
        if i and parents[i] < 0:
            msg = f"Every node but the first must be below another one. Node {i} is below none."
            raise FieldError(msg, f"nodes[{i}]")
        if not isinstance(node, Branch):
            continue
        for child, place in ((node.then, "then"), (node.otherwise, "otherwise")):
            field = f"nodes[{i}].{place}"
            if not i < child < len(nodes):
                msg = f"Node {i} must lead to a later node of {len(nodes)}. Got {child} instead."
                raise FieldError(msg, field)
            if parents[child] >= 0:
                msg = f"Every node must be below one other only. Node {child} is below two."
                raise FieldError(msg, field)
            parents[child] = i
    return parents


def _check_branches(nodes: Sequence[Node], sizes: Mapping[str, int]) -> None:
    effort = 0
    for i, node in enumerate(nodes):
        if not isinstance(node, Branch):
            continue
        if node.attribute not in sizes:
            msg = f"A branch must test an attribute. '{node.attribute}' is none."
            raise FieldError(msg, f"nodes[{i}].attribute")
        size = sizes[node.attribute]
        effort += size
        once = len(set(node.left)) == len(node.left)
        if not once or not all(0 <= bucket < size for bucket in node.left):
            msg = (
                f"The buckets on the left must be numbers of '{node.attribute}', from 0 to "
                f"{size - 1}, each once."
            )
            raise FieldError(msg, f"nodes[{i}].left")
    if effort > MAX_PARTED:
        msg = f"All branches together must part at most {MAX_PARTED:,} buckets. Got more."
        raise FieldError(msg, "nodes")


def _parts_nothing(number: int, name: str) -> FieldError:
    msg = (
        f"A branch must part the buckets of '{name}' that its path leaves: "
        "some of them on the left, and not all."
    )
    return FieldError(msg, f"nodes[{number}].left")


_MOST_NAMES = 8
_DEEPEST = 100


def union_label(partition: Partition, buckets: Iterable[int]) -> str:
    """Name several buckets of one attribute together.

    Parameters
    ----------
    partition : Partition
    buckets : iterable of int

    Returns
    -------
    str
        Neighbouring ranges become one, everything else is joined by "or".

    Examples
    --------
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import numeric_partition
    >>> age = numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 30, 62])
    >>> union_label(age, [1, 2]), union_label(age, [0, 3]), union_label(age, [2])
    ('17–61', 'under 17 or 62 and over', '30–61')
    >>> asked = numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 30], missing=1)
    >>> union_label(asked, [1, 2])
    '17 and over, or missing'
    """
    chosen = sorted(buckets)
    bare = dict(zip(chosen, (partition.labels[bucket] for bucket in chosen), strict=True))
    also = ""
    unseen = partition.unseen if isinstance(partition, CategoricalPartition) else None
    for bucket, words in ((partition.missing, OR_MISSING), (unseen, OR_OTHER)):
        if bucket is not None and bare.get(bucket, "").endswith(words):
            bare[bucket] = bare[bucket].removesuffix(words)
            also = words + also
    names = list(bare.values())
    if isinstance(partition, NumericPartition):
        names = _ranges(partition, bare)
    if len(names) > _MOST_NAMES:
        names = [*names[: _MOST_NAMES - 1], f"{len(names) - _MOST_NAMES + 1:,} others"]
    return f"{' or '.join(names)}{also}"


def _ranges(partition: NumericPartition, labels: Mapping[int, str]) -> list[str]:
    """Join neighbouring ranges where the labels are our own words, not the user's."""
    written = partition.written
    names: list[str] = []
    run: list[int] = []
    for bucket in [*labels, -1]:
        if run and bucket != run[-1] + 1:
            names.append(_range(partition, run))
            run = []
        if 0 <= bucket < len(written) and labels[bucket] == written[bucket]:
            run.append(bucket)
        elif bucket >= 0:
            names.extend([_range(partition, run)] if run else [])
            names.append(labels[bucket])
            run = []
    return names


def _range(partition: NumericPartition, run: list[int]) -> str:
    if len(run) == 1:
        return partition.written[run[0]]
    cuts = partition.cuts
    edges = [
        *(cuts[run[0] - 1 : run[0]] if run[0] else ()),
        *(cuts[run[-1] : run[-1] + 1]),
    ]
    return numeric_labels(partition.domain, edges)[1 if run[0] else 0]


def tree_text(generalization: Generalization, nodes: tuple[Node, ...], paths: Paths) -> str:
    """Write the tree: a line for each side of a branch, deeper ones further in.

    Parameters
    ----------
    generalization : Generalization
    nodes : tuple of Branch or Leaf
    paths : Paths

    Returns
    -------
    str
        Without the values of any record.
    """
    lines = []
    waiting = [(0, -1, "everyone")]
    while waiting:
        number, depth, title = waiting.pop()
        node = nodes[number]
        if isinstance(node, Leaf):
            lines.append(_indent(depth) + f"{title} -> {_end(node)}")
            continue
        if depth >= 0:
            lines.append(_indent(depth) + title)
        part = generalization[node.attribute]
        for child in (node.otherwise, node.then):
            label = union_label(part, paths.side(child))
            waiting.append((child, depth + 1, f"{part.name} {label}"))
    return "\n".join(lines)


def _indent(depth: int) -> str:
    """Go no further in than anyone can follow, or a deep tree would be all blanks."""
    return "  " * min(max(depth, 0), _DEEPEST)


def _end(leaf: Leaf) -> str:
    if leaf.prediction is not None:
        return category_label(leaf.prediction)
    if leaf.asks:
        return f"asks {', '.join(leaf.asks)}"
    return "one record for all"
