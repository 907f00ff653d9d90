"""A hierarchy of categories, as codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Attribute, CategoricalDomain, Category


@dataclass
class _Branch:
    code: int | None = None
    children: dict[object, _Branch] = field(default_factory=dict)

    def codes(self) -> list[int]:
        if self.code is not None:
            return [self.code]
        return [code for child in self.children.values() for code in child.codes()]


class Hierarchy:
    """The tree above the categories of one attribute.

    A missing value stands directly below the root.

    Parameters
    ----------
    attribute : Attribute
    ancestors : mapping of category to sequence of str
        For each category its ancestors, nearest first.
    """

    def __init__(self, attribute: Attribute, ancestors: Mapping[Category, Sequence[str]]) -> None:
        assert isinstance(attribute.domain, CategoricalDomain)
        self._root = _Branch()
        for code, category in enumerate(attribute.domain.categories):
            branch = self._root
            for name in reversed(ancestors[category]):
                branch = branch.children.setdefault(("group", name), _Branch())
            branch.children[("category", code)] = _Branch(code)
        if attribute.missing:
            self._root.children["missing"] = _Branch(attribute.n_values)

    def order(self, score: Callable[[list[int]], float]) -> list[int]:
        """All codes, sorted by score level by level, so that each group stays together."""
        return self._ordered(self._root, score)

    def _ordered(self, branch: _Branch, score: Callable[[list[int]], float]) -> list[int]:
        if branch.code is not None:
            return [branch.code]
        children = sorted(branch.children.values(), key=lambda child: score(child.codes()))
        return [code for child in children for code in self._ordered(child, score)]

    def coarsest(self, one_bucket: Callable[[list[int]], bool], size: int) -> NDArray[np.int64]:
        """Buckets that are nodes of the hierarchy, each as high up as `one_bucket` allows."""
        waiting, closed = [self._root], list[_Branch]()
        while waiting:
            branch = waiting.pop()
            if branch.code is not None or one_bucket(branch.codes()):
                closed.append(branch)
            else:
                waiting.extend(reversed(branch.children.values()))
        return _numbered(closed, size)

    def at_most(self, most: int, size: int) -> NDArray[np.int64]:
        """Buckets that are nodes of the hierarchy, opened from the top while `most` allows it."""
        nodes, stuck = [self._root], list[_Branch]()
        while nodes:
            widest = max(nodes, key=lambda branch: len(branch.codes()))
            nodes.remove(widest)
            room = most - len(nodes) - len(stuck)
            if widest.code is None and len(widest.children) <= room:
                nodes.extend(widest.children.values())
            else:
                stuck.append(widest)
        return _numbered(stuck, size)


def _numbered(branches: Sequence[_Branch], size: int) -> NDArray[np.int64]:
    """Number each branch's codes, the branches in the order of their first codes."""
    buckets = np.empty(size, dtype=np.int64)
    for number, branch in enumerate(sorted(branches, key=lambda branch: min(branch.codes()))):
        buckets[branch.codes()] = number
    return buckets
