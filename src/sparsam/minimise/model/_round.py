"""Round numbers stand for the ranges that a model is fed, and never a number of a person."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam._small_counts import SMALLEST_COUNT
from sparsam.data import Attribute, Table
from sparsam.data.model import Replacement
from sparsam.generalization import NumericPartition, Recoding
from sparsam.generalization.recoding import Feed, Leaf, Node, Value
from sparsam.minimise.model._oracle import Answers, Oracle
from sparsam.minimise.model._recoding import differing, label_of

# Records that the model is asked about with other numbers, the commonest; the fewer, the more
# attributes there are, each of which is gone through.
_MOST_RECORDS, _FEWEST_RECORDS, _RECORDS_IN_ALL = 5_000, 1_000, 60_000
_MOST_NUMBERS = 6  # that are tried for one range
_MOST_DIGITS = 18


class Rounder:
    """Replaces the numbers in a recoding by round ones that the model treats alike.

    The number that stands for a range comes from somebody's record. In its place comes the
    roundest number of the same range for which no answer of the model changes, or else the one
    that changes the fewest; of a range that none of these people is in, the nearest.

    Parameters
    ----------
    table : Table
        The people to learn from and to choose on.
    oracle : Oracle
    """

    def __init__(self, table: Table, oracle: Oracle) -> None:
        self._table, self._oracle = table, oracle

    def __call__(self, recoding: Recoding) -> Recoding:
        """The recoding with round numbers.

        Parameters
        ----------
        recoding : Recoding
        """
        n_numeric = max(sum(attribute.numeric for attribute in self._table.attributes), 1)
        most = int(np.clip(_RECORDS_IN_ALL // n_numeric, _FEWEST_RECORDS, _MOST_RECORDS))
        fed = FedRecords.of(recoding, self._table, most)
        before = fed.answers(self._oracle)
        round_numbers: dict[str, dict[float, float]] = {}
        for a, attribute in enumerate(self._table.attributes):
            partition = recoding.generalization[attribute.name]
            if not isinstance(partition, NumericPartition):
                continue
            numbers = [value for value in _values(recoding, attribute.name) if value is not None]
            tried = {
                number: list(candidates(number, *_ends(partition, attribute, number)))
                for number in numbers
            }
            try:
                chosen = self._choose(fed, a, tried, before)
            except ParameterError:  # the model refuses numbers that it has not seen
                chosen = self._choose(fed, a, self._shared(a, partition, numbers), before)
            fed = fed.replaced(a, chosen)
            round_numbers[attribute.name] = chosen
        return self._with_answers(_renumbered(recoding, round_numbers))

    def _shared(
        self, a: int, partition: NumericPartition, numbers: Sequence[float]
    ) -> dict[float, list[float]]:
        """For each number those of the same range that enough people share, the nearest first."""
        attribute = self._table.attributes[a]
        counts = np.bincount(self._table.codes[:, a], minlength=attribute.size)
        common = np.flatnonzero(counts[: attribute.n_values] >= SMALLEST_COUNT)
        known = [int(v) if partition.domain.integer else float(v) for v in attribute.lows[common]]
        nearest = {}
        for number in numbers:
            bucket = partition.slot(number)
            inside = [value for value in known if partition.slot(value) == bucket]
            if not inside:
                raise ParameterError(
                    f"The model must take round numbers in '{attribute.name}' in place of people's "
                    "own. It raises an error for numbers that it has not seen."
                    "\n\nHint: declare it categorical in the roles, as the model treats it so, or "
                    "let the model take any number."
                )
            inside.sort(key=lambda value: (abs(value - number), value))
            nearest[number] = inside[:_MOST_NUMBERS]
        return nearest

    def _choose(
        self, fed: FedRecords, a: int, tried: dict[float, list[float]], before: Answers
    ) -> dict[float, float]:
        """For each number the first of those tried that changes nothing, or the fewest answers."""
        asked = fed.counts(a, np.ones(len(fed.people), dtype=bool))
        best = {
            number: (0, min(numbers, key=lambda candidate: abs(candidate - number)))
            for number, numbers in tried.items()
            if number not in asked
        }
        left = {number: numbers[:] for number, numbers in tried.items() if number in asked}
        while left:
            now = {number: numbers.pop(0) for number, numbers in left.items()}
            rows = np.flatnonzero(fed.has(a, now))
            some = fed.take(rows)
            answers = some.replaced(a, now).answers(self._oracle)
            other = differing(self._oracle, answers, before[rows])
            changed = dict.fromkeys(now, 0) | some.counts(a, other)
            for number, count in changed.items():
                if number not in best or count < best[number][0]:
                    best[number] = (count, now[number])
            left = {n: numbers for n, numbers in left.items() if numbers and best[n][0] > 0}
        return {number: chosen for number, (_, chosen) in best.items()}

    def _with_answers(self, recoding: Recoding) -> Recoding:
        """The same recoding, with the model's answers to the records that it has now."""
        alone = [
            n
            for n, node in enumerate(recoding.nodes)
            if isinstance(node, Leaf) and not node.asks and node.prediction is not None
        ]
        if not alone:
            return recoding
        nodes = list(recoding.nodes)
        records = [node.record for n in alone if isinstance(node := nodes[n], Leaf)]
        fed = FedRecords.of_records(records, self._table)
        answers = fed.answers(self._oracle)
        for place, n in enumerate(alone):
            node = nodes[n]
            assert isinstance(node, Leaf)
            label = label_of(self._oracle, answers[place : place + 1])
            nodes[n] = Leaf(node.asks, node.record, label)
        return Recoding(recoding.generalization, recoding.representatives, nodes, recoding.about)


class FedRecords:
    """Distinct records that a model is fed: codes of categories, and numbers as they are.

    Parameters
    ----------
    codes : ndarray of uint16
        Of all attributes; those of numeric ones do not count.
    numbers : dict of int to Replacement
        For each numeric attribute, by its place, its numbers.
    people : ndarray of int
        How many people each record is fed for.
    """

    def __init__(
        self,
        codes: NDArray[np.uint16],
        numbers: dict[int, Replacement],
        people: NDArray[np.int64],
    ) -> None:
        self.codes, self.numbers, self.people = codes, numbers, people

    @classmethod
    def of(cls, recoding: Recoding, table: Table, most: int | None = None) -> FedRecords:
        """What a recoding feeds for people, the commonest records first.

        Parameters
        ----------
        recoding : Recoding
        table : Table
        most : int, optional
            How many records at most.
        """
        index, replacements = _fed_index(recoding, table)
        records, people = np.unique(index, axis=0, return_counts=True)
        order = np.argsort(-people, kind="stable")[:most]
        return cls._build(records[order], replacements, table.attributes, people[order])

    @classmethod
    def of_everyone(cls, recoding: Recoding, table: Table) -> tuple[FedRecords, NDArray[np.int64]]:
        """What a recoding feeds, and which of the records each person has."""
        index, replacements = _fed_index(recoding, table)
        records, place, people = np.unique(index, axis=0, return_inverse=True, return_counts=True)
        return cls._build(records, replacements, table.attributes, people), place.reshape(-1)

    @classmethod
    def of_records(cls, records: Sequence[dict[str, Any]], table: Table) -> FedRecords:
        """Whole records, in plain values."""
        replacements, index = [], np.empty((len(records), len(table.attributes)), np.int64)
        for a, attribute in enumerate(table.attributes):
            values = [record[attribute.name] for record in records]
            replacements.append(Replacement(values, np.arange(len(values))))
            index[:, a] = np.arange(len(values))
        return cls._build(index, replacements, table.attributes, np.ones(len(records), np.int64))

    @classmethod
    def _build(
        cls,
        index: NDArray[np.int64],
        replacements: Sequence[Replacement],
        attributes: Sequence[Attribute],
        people: NDArray[np.int64],
    ) -> FedRecords:
        codes = np.zeros(index.shape, np.uint16)
        numbers = {}
        for a, (attribute, replacement) in enumerate(zip(attributes, replacements, strict=True)):
            if attribute.numeric:
                numbers[a] = Replacement(replacement.values, index[:, a])
            else:
                each = replace(replacement, index=np.arange(len(replacement.values))).array()
                codes[:, a] = attribute.encode(np.asarray(each, dtype=object))[index[:, a]]
        return cls(codes, numbers, people)

    def answers(self, oracle: Oracle) -> Answers:
        """What the model answers."""
        return oracle.with_numbers(self.codes, self.numbers)

    def take(self, rows: NDArray[np.int64]) -> FedRecords:
        """Some of the records."""
        numbers = {
            a: replace(column, index=column.index[rows]) for a, column in self.numbers.items()
        }
        return FedRecords(self.codes[rows], numbers, self.people[rows])

    def replaced(self, a: int, new: dict[float, float]) -> FedRecords:
        """The records with other numbers in one attribute."""
        column = self.numbers[a]
        values = [value if value is None else new.get(value, value) for value in column.values]
        return FedRecords(
            self.codes, {**self.numbers, a: replace(column, values=values)}, self.people
        )

    def has(self, a: int, numbers: dict[float, float]) -> NDArray[np.bool_]:
        """Which records have one of these numbers in an attribute."""
        column = self.numbers[a]
        known = np.array([value is not None and value in numbers for value in column.values])
        marked: NDArray[np.bool_] = known[column.index]
        return marked

    def counts(self, a: int, marked: NDArray[np.bool_]) -> dict[float, int]:
        """How many people with each number of an attribute have a marked record."""
        column = self.numbers[a]
        people = np.bincount(
            column.index[marked], self.people[marked], minlength=len(column.values)
        ).astype(int)
        by_number: dict[float, int] = {}
        for value, count in zip(column.values, people.tolist(), strict=True):
            if value is not None:
                by_number[value] = by_number.get(value, 0) + count
        return {value: count for value, count in by_number.items() if count}


def candidates(number: float, low: float, high: float, whole: bool) -> Iterator[float]:
    """Numbers from low to below high (or equal to it), the roundest first, each near a given one.

    Examples
    --------
    >>> list(candidates(48271.63, 45_000, 52_000, False))[:3]
    [50000, 48000, 48500]
    >>> list(candidates(37, 35, 39, True))
    [35, 36]
    """
    exact = Decimal(repr(float(number)))
    # in steps as fine as the person's own digits it would be the person's own number again
    own = Decimal(1).scaleb(int(exact.normalize().as_tuple().exponent))
    finest = max(own, Decimal(1)) if whole else own
    first = max(Decimal(repr(abs(end))).adjusted() for end in (float(low), float(high))) + 1
    given: dict[float, None] = {}
    for exponent in range(first, first - _MOST_DIGITS, -1):
        for step in (10, 5, 2):
            unit = Decimal(step).scaleb(exponent - 1)
            rounded = float((exact / unit).to_integral_value(ROUND_HALF_EVEN) * unit)
            if unit > finest and low <= rounded <= high and rounded not in given:
                given[rounded] = None
                yield int(rounded) if whole else _plain(rounded)
            if len(given) == _MOST_NUMBERS:
                return
    if not given:
        yield math.ceil(low) if whole else _plain(low)


def _plain(number: float) -> float:
    return int(number) if float(number).is_integer() and abs(number) < 2**53 else float(number)


def _ends(
    partition: NumericPartition, attribute: Attribute, number: float
) -> tuple[float, float, bool]:
    """The ends of the range that a number is in, as far as numbers of people reach."""
    bucket = partition.slot(number)
    low = partition.cuts[bucket - 1] if bucket else -math.inf
    high = partition.cuts[bucket] if bucket < len(partition.cuts) else math.inf
    whole = partition.domain.integer
    below = high - 1 if whole else math.nextafter(high, -math.inf)
    return (
        max(low, min(float(attribute.lows[0]), number)),
        min(below, max(float(attribute.highs[-1]), number)),
        whole,
    )


def _values(recoding: Recoding, name: str) -> list[Any]:
    """The distinct values that may be fed for an attribute."""
    values = dict.fromkeys(recoding.representatives[name])
    for node in recoding.nodes:
        if isinstance(node, Leaf) and name in node.record:
            values[node.record[name]] = None
    return list(values)


def _renumbered(recoding: Recoding, new: dict[str, dict[float, float]]) -> Recoding:
    def renumbered(name: str, value: Value) -> Value:
        rounded = new.get(name)
        return value if rounded is None or value is None else rounded[value]  # type: ignore[index]

    representatives = {
        name: [renumbered(name, value) for value in values]
        for name, values in recoding.representatives.items()
    }
    nodes: list[Node] = []
    for node in recoding.nodes:
        if isinstance(node, Leaf):
            record = {name: renumbered(name, value) for name, value in node.record.items()}
            nodes.append(Leaf(node.asks, record, node.prediction))
        else:
            nodes.append(node)
    return Recoding(recoding.generalization, representatives, nodes, recoding.about)


def _fed_index(recoding: Recoding, table: Table) -> tuple[NDArray[np.int64], list[Replacement]]:
    """For each person and attribute the place of the value that is fed, and the values."""
    buckets = recoding.generalization.apply_codes(table)
    feed = Feed(recoding.generalization, recoding.representatives, recoding.nodes)
    replacements = feed.replacements(buckets, recoding.leaf_of(buckets))
    ordered = [replacements[attribute.name] for attribute in table.attributes]
    return np.column_stack([replacement.index for replacement in ordered]).astype(np.int64), ordered
