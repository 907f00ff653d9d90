"""Which attributes do not count for the people of one leaf, so that they need not be asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Differs = Callable[[NDArray[np.uint16], NDArray[np.int64]], NDArray[np.bool_]]
Constants = dict[int, dict[int, int]]


def needless(
    fed: NDArray[np.uint16],
    members: Mapping[int, NDArray[np.int64]],
    differs: Differs,
    spared: Collection[int] = (),
    settled: Collection[int] = (),
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
    settled : collection of int
        Leaves that need no values. They count only for which attributes are tried first.
    """
    constants: Constants = {leaf: {} for leaf in members}
    leaves = [leaf for leaf, people in members.items() if len(people)]
    if not leaves:
        return constants
    common = {leaf: _commonest(fed[members[leaf]]) for leaf in leaves}
    everyone = np.concatenate([members[leaf] for leaf in leaves])
    at_leaf = np.concatenate([np.full(len(members[leaf]), leaf) for leaf in leaves])
    values = np.concatenate([np.tile(common[leaf], (len(members[leaf]), 1)) for leaf in leaves])
    free = [a for a in range(fed.shape[1]) if a not in spared]
    alone = _changed_alone(fed, everyone, values, free, differs)
    order = sorted(free, key=lambda a: int(alone[a].sum()))
    spoiled = {a: set(at_leaf[alone[a]].tolist()) for a in free}
    # only where it changes nothing alone may it change nothing together with others
    tried = {
        leaf: [a for a in order if leaf not in spoiled[a]] for leaf in leaves if leaf not in settled
    }
    fed = fed.copy()
    while tried:
        asked = [
            _Trial(leaf, members[leaf], fed[members[leaf]], attributes, common[leaf])
            for leaf, attributes in tried.items()
        ]
        tried = {}
        for trial, n_fixed in zip(asked, _how_many_hold(asked, differs), strict=True):
            for a in trial.attributes[:n_fixed]:
                fed[trial.people, a] = trial.values[a]
                constants[trial.leaf][a] = int(trial.values[a])
            rest = trial.attributes[n_fixed + 1 :]  # the one after the last that holds does not
            if rest:
                tried[trial.leaf] = rest
    return constants


@dataclass(frozen=True, repr=False)
class _Trial:
    """Attributes of a leaf that are to be fixed one after the other, as long as that holds."""

    leaf: int
    people: NDArray[np.int64]
    fed: NDArray[np.uint16]
    attributes: list[int]
    values: NDArray[np.uint16]

    def records(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint16]]]:
        """For each attribute the people whom it changes, and their records from then on."""
        made = self.fed.copy()
        for a in self.attributes:
            other = np.flatnonzero(made[:, a] != self.values[a])
            made[other, a] = self.values[a]
            yield self.people[other], made[other]


def _how_many_hold(trials: Sequence[_Trial], differs: Differs) -> list[int]:
    """For each leaf how many attributes may be fixed before an answer changes; asked at once."""
    steps = [list(trial.records()) for trial in trials]
    flat = [step for of_leaf in steps for step in of_leaf]
    sizes = [len(people) for people, _ in flat]
    changed = np.zeros(sum(sizes), dtype=bool)
    if len(changed):
        people = np.concatenate([people for people, _ in flat])
        changed = differs(np.concatenate([records for _, records in flat]), people)
    parts = iter(np.split(changed, np.cumsum(sizes)[:-1]))
    holds = [[not next(parts).any() for _ in of_leaf] for of_leaf in steps]
    return [[*of_leaf, False].index(False) for of_leaf in holds]


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
