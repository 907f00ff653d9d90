"""Numbers that few people share are learned in groups: from one person a network learns nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sparsam.attack._question import Beliefs, Lines, Posterior, Question

# Of how many people a network is to learn what each of its answers means, in the mean.
FEWEST = 20


@dataclass(frozen=True, repr=False)
class GroupedNumbers:
    """A question whose answers are groups of neighbouring numbers.

    Attributes
    ----------
    question : Question
    group : ndarray of int64
        Of each code of the question that was asked.
    within : ndarray of float32
        How the people of a group are spread over its codes in the training part.
    """

    question: Question
    group: NDArray[np.int64]
    within: NDArray[np.float32]

    def apart(self, beliefs: Beliefs) -> Beliefs:
        """What is believed of the single numbers, from what is believed of the groups."""

        def believe(lines: Lines) -> Posterior:
            return np.asarray(beliefs(lines)[:, self.group] * self.within)

        return believe


def grouped_numbers(question: Question) -> GroupedNumbers | None:
    """Put neighbouring numbers together until many people share them.

    Parameters
    ----------
    question : Question

    Returns
    -------
    GroupedNumbers or None
        None where the answers are not numbers, or where many people share each.
    """
    if question.values is None:
        return None
    people = np.bincount(question.codes["train"], minlength=question.size)
    if int(people.sum()) >= FEWEST * max(1, int(np.count_nonzero(people))):
        return None
    known = ~np.isnan(question.values)
    buckets = np.zeros(question.size, int) if question.buckets is None else question.buckets
    group = groups_of(people, [*zip(known.tolist(), buckets.tolist(), strict=True)])
    n_groups = int(group[-1]) + 1
    weights = people + 0.5  # a number that nobody has here may be somebody's elsewhere
    total = np.bincount(group, weights)
    first = np.flatnonzero(np.diff(group, prepend=-1))
    middle = np.bincount(group, weights * np.where(known, question.values, 0.0)) / total
    coarse = replace(
        question,
        size=n_groups,
        codes={part: group[codes].astype(np.uint16) for part, codes in question.codes.items()},
        buckets=None if question.buckets is None else question.buckets[first],
        values=np.where(known[first], middle, np.nan),
    )
    return GroupedNumbers(coarse, group, (weights / total[group]).astype(np.float32))


def groups_of(people: NDArray[np.integer], kinds: Sequence[object]) -> NDArray[np.int64]:
    """Number groups of neighbours of one kind with enough people; a remainder joins the last.

    Parameters
    ----------
    people : ndarray of int
        Behind each.
    kinds : sequence
        Of each; neighbours of different kinds are never together.

    Examples
    --------
    >>> groups_of(np.array([19, 1, 4, 18, 2, 20, 3]), "aaaaabb").tolist()
    [0, 0, 1, 1, 1, 2, 2]
    """
    group = np.zeros(len(people), np.int64)
    number, start, inside = -1, 0, 0
    for place, kind in enumerate(kinds):
        if place == 0 or kind != kinds[place - 1]:
            number, start, inside = number + 1, number + 1, 0
        elif inside >= FEWEST:
            number, inside = number + 1, 0
        group[place] = number
        inside += int(people[place])
        last = place + 1 == len(kinds) or kinds[place + 1] != kind
        if last and inside < FEWEST and number > start:
            group[group == number] = number - 1
            number -= 1
    return group
