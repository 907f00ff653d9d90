"""The paths of a recoding's tree: which buckets lead to which node.

Sets of buckets are *masks* here, whole numbers whose bits are the buckets: the many sets of a tree
with thousands of nodes stay small, and are cut and joined at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sparsam.generalization._generalization import Generalization
from sparsam.generalization._refusal import FieldError
from sparsam.generalization.recoding._tree import Branch, Node

Possible = dict[str, frozenset[int]]
"""The buckets that the path to a node leaves, for the attributes that the path tests."""

_MAX_BUCKETS: Final = 2**22  # over all branches: the time that a walk over the tree takes


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
        """Give, for every node, the buckets of one attribute that the path to it leaves."""
        found = [(1 << self._sizes[name]) - 1]
        for number in range(1, len(self._nodes)):
            parent = self._parents[number]
            own = self._tested(parent) == name
            found.append(self._sides[number] if own else found[parent])
        return found

    def possible(self, number: int) -> Possible:
        """Return the buckets that the path to a node leaves, for the attributes that it tests."""
        found: Possible = {}
        while number:
            parent = self._parents[number]
            name = self._tested(parent)
            if name not in found:
                found[name] = frozenset(self.side(number))
            number = parent
        return found

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
    if effort > _MAX_BUCKETS:
        msg = f"All branches together must part at most {_MAX_BUCKETS:,} buckets. Got more."
        raise FieldError(msg, "nodes")


def _parts_nothing(number: int, name: str) -> FieldError:
    msg = (
        f"A branch must part the buckets of '{name}' that its path leaves: "
        "some of them on the left, and not all."
    )
    return FieldError(msg, f"nodes[{number}].left")
