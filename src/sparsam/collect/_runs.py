"""Several buckets of one attribute as a page sends them: 1-3.5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def neighbours(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Return the first and the last of each run of ascending numbers.

    Examples
    --------
    >>> list(neighbours([1, 2, 3, 7]))
    [(1, 3), (7, 7)]
    """
    first = None
    for place, number in enumerate(numbers):
        first = number if first is None else first
        if place + 1 == len(numbers) or numbers[place + 1] != number + 1:
            yield first, number
            first = None


def runs(buckets: Sequence[int]) -> str:
    """Write the numbers of buckets: one alone, runs, and several runs.

    Examples
    --------
    >>> runs([2]), runs([1, 2, 3]), runs([0, 2, 3])
    ('2', '1-3', '0.2-3')
    """
    return ".".join(
        str(first) if first == last else f"{first}-{last}" for first, last in neighbours(buckets)
    )
