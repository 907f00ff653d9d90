"""The distinct records that an adversary sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sparsam.attack import GeneralizedRecords
from sparsam.attack._records import PeopleWith
from sparsam.data import Split
from sparsam.generalization import Generalization


@pytest.mark.parametrize("seed", range(20))
def test_every_row_has_its_record(seed: int, random_case: Callable[[int], Any]) -> None:
    data, records = random_case(seed)
    assert len(np.unique(records.records, axis=0)) == len(records)
    for part in ("train", "validation", "test"):
        task = getattr(data, part)
        expected = [
            tuple(records.lookups[a][row[a]] for a in records.columns) for row in task.codes
        ]
        rows = [tuple(records.records[line]) for line in records.index[part]]
        assert rows == expected
        counted = Counter(expected)
        assert records.counts(part).tolist() == [
            counted[tuple(record)] for record in records.records
        ]


def test_tabulate(random_case: Callable[[int], Any]) -> None:
    data, records = random_case(3)
    codes = data.test.codes[:, 0]
    table = records.tabulate("test", codes, 6)
    assert table.sum() == len(codes)
    for line, code in zip(records.index["test"], codes, strict=True):
        assert table[line, code] > 0


def test_some_people_of_a_part(random_case: Callable[[int], Any]) -> None:
    _, records = random_case(3)
    rows, lines, index = records.some_of("test")
    assert rows.tolist() == list(range(len(records.index["test"])))
    assert lines.tolist() == np.flatnonzero(records.counts("test")).tolist()
    assert lines[index].tolist() == records.index["test"].tolist()
    rows, lines, index = records.some_of("test", most=5)
    assert len(rows) <= 5
    assert len(set(np.diff(rows))) == 1
    assert lines[index].tolist() == records.index["test"][rows].tolist()


@pytest.mark.parametrize("size", [5, 5000])
def test_people_with_a_record_and_a_code(size: int) -> None:
    rng = np.random.default_rng(0)
    lines, codes = rng.integers(0, 7, 60), rng.integers(0, 5, 60)
    slow = Counter(zip(lines.tolist(), codes.tolist(), strict=True))
    people = PeopleWith.of(lines, codes, 8, size)
    pairs = zip(people.lines.tolist(), people.codes.tolist(), people.counts.tolist(), strict=True)
    assert {(line, code): n for line, code, n in pairs} == slow
    assert people.starts.tolist() == [(people.lines < line).sum() for line in range(9)]
    order = rng.permutation(8)
    ranked = people.ranked(order)
    for rank, line in enumerate(order):
        here = slice(*ranked.starts[rank : rank + 2])
        there = slice(*people.starts[line : line + 2])
        assert ranked.codes[here].tolist() == people.codes[there].tolist()
        assert ranked.counts[here].tolist() == people.counts[there].tolist()


def test_judged_are_the_records_outside_training(random_case: Callable[[int], Any]) -> None:
    _, records = random_case(3)
    outside = records.counts("validation") + records.counts("test")
    assert records.judged.tolist() == np.flatnonzero(outside).tolist()


def test_of_a_generalization(make_split: Callable[..., Split]) -> None:
    rng = np.random.default_rng(0)
    data = make_split({"a": rng.integers(0, 3, 90), "b": rng.integers(0, 2, 90)}, ["a"])
    whole = GeneralizedRecords.of(Generalization.identity(data.train.table), data)
    assert (len(whole), whole.columns, whole.sizes) == (6, (0, 1), (3, 2))
    nothing = GeneralizedRecords.of(Generalization.nothing(data.train.table), data)
    assert (len(nothing), nothing.columns) == (1, ())
    assert nothing.counts("test").tolist() == [data.test.n_rows]
