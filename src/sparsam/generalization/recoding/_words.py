"""A recoding in words: several buckets under one name, and the tree as indented lines."""

from __future__ import annotations

from collections.abc import Iterable

from sparsam.generalization._document import Partition
from sparsam.generalization._generalization import Generalization
from sparsam.generalization._labels import category_label, numeric_labels
from sparsam.generalization._numeric_partition import NumericPartition
from sparsam.generalization.recoding._paths import Paths
from sparsam.generalization.recoding._tree import Leaf, Node

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
    """
    chosen = sorted(buckets)
    if isinstance(partition, NumericPartition):
        names = _ranges(partition, chosen)
    else:
        names = [partition.labels[bucket] for bucket in chosen]
    if len(names) > _MOST_NAMES:
        names = [*names[: _MOST_NAMES - 1], f"{len(names) - _MOST_NAMES + 1} more"]
    return " or ".join(names)


def _ranges(partition: NumericPartition, buckets: list[int]) -> list[str]:
    """Join neighbouring ranges where the labels are our own words, not the user's."""
    written = partition.written
    names: list[str] = []
    run: list[int] = []
    for bucket in [*buckets, -1]:
        if run and bucket != run[-1] + 1:
            names.append(_range(partition, run))
            run = []
        ours = 0 <= bucket < len(written) and partition.labels[bucket] == written[bucket]
        if ours:
            run.append(bucket)
        elif bucket >= 0:
            names.extend([_range(partition, run)] if run else [])
            names.append(partition.labels[bucket])
            run = []
    return names


def _range(partition: NumericPartition, run: list[int]) -> str:
    if len(run) == 1:
        return partition.labels[run[0]]
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
