"""Which attributes do not count for the people of one leaf, so that they need not be asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Differs = Callable[[NDArray[np.uint16], NDArray[np.int64]], NDArray[np.bool_]]
Constants = dict[int, dict[int, int]]


def needless(
    fed: NDArray[np.uint16],
    members: Mapping[int, NDArray[np.int64]],
    differs: Differs,
    spared: Collection[int] = (),
) -> Constants:
    """For each leaf the attributes that may be one value for all its people, and that value.

    An attribute is fixed at the commonest value of a leaf where no answer changes by it, those
    that change the fewest answers first; what is fixed already stays so for the next.

    Parameters
    ----------
    fed : ndarray of uint16
        What the model is fed for each person.
    members : mapping of int to ndarray of int
        The people of each leaf.
    differs : callable
        From records and the people that they are for to whether the model answers otherwise.
    spared : collection of int
        Attributes that must stay as they are.
    """
    constants: Constants = {leaf: {} for leaf in members}
    leaves = [leaf for leaf, people in members.items() if len(people)]
    if not leaves:
        return constants
    fed = fed.copy()
    common = {leaf: _commonest(fed[members[leaf]]) for leaf in leaves}
    everyone = np.concatenate([members[leaf] for leaf in leaves])
    at_leaf = np.concatenate([np.full(len(members[leaf]), leaf) for leaf in leaves])
    values = np.concatenate([np.tile(common[leaf], (len(members[leaf]), 1)) for leaf in leaves])
    free = [a for a in range(fed.shape[1]) if a not in spared]
    alone = _changed_alone(fed, everyone, values, free, differs)
    for a in sorted(free, key=lambda a: int(alone[a].sum())):
        # only where it changes nothing alone may it change nothing together with others
        tried = ~np.isin(at_leaf, at_leaf[alone[a]])
        people, value = everyone[tried], values[tried, a]
        other = np.flatnonzero(fed[people, a] != value)
        changed = np.zeros(len(people), dtype=bool)
        if len(other):
            records = fed[people[other]]
            records[:, a] = value[other]
            changed[other] = differs(records, people[other])
        kept = ~np.isin(at_leaf[tried], at_leaf[tried][changed])
        fed[people[kept], a] = value[kept]
        for leaf in np.unique(at_leaf[tried][kept]):
            constants[int(leaf)][a] = int(common[int(leaf)][a])
    return constants


def _changed_alone(
    fed: NDArray[np.uint16],
    people: NDArray[np.int64],
    values: NDArray[np.uint16],
    free: Sequence[int],
    differs: Differs,
) -> dict[int, NDArray[np.bool_]]:
    """For each attribute, whose answer changes when it alone is another value."""
    other = {a: np.flatnonzero(fed[people, a] != values[:, a]) for a in free}
    records = []
    for a in free:
        records.append(fed[people[other[a]]])
        records[-1][:, a] = values[other[a], a]
    found = {a: np.zeros(len(people), dtype=bool) for a in free}
    if any(len(one) for one in records):
        asked = people[np.concatenate([other[a] for a in free])]
        changed = differs(np.concatenate(records), asked)
        ends = np.cumsum([len(one) for one in records])[:-1]
        for a, part in zip(free, np.split(changed, ends), strict=True):
            found[a][other[a]] = part
    return found


def _commonest(codes: NDArray[np.uint16]) -> NDArray[np.uint16]:
    return np.array([np.bincount(column).argmax() for column in codes.T], dtype=np.uint16)
