"""Records that are counted part by part, while people come by, are those counted at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from sparsam.data.sample._record_counts import RecordCounts, joined
from sparsam.data.sample._record_parts import Columns, record_parts

N = 20_000
SIZES = {"a": 40, "b": 30, "c": 300}


class People:
    """People whose codes come by, and how often they did."""

    def __init__(self, seed: int = 0, sizes: dict[str, int] = SIZES) -> None:
        rng = np.random.default_rng(seed)
        drawn = {name: rng.beta(1, 3, N) * size for name, size in sizes.items()}
        self.codes = {name: codes.astype(np.uint16) for name, codes in drawn.items()}
        self.classes = rng.integers(-1, 2, N)
        self.looks = 0

    def columns_of(self, names: Sequence[str]) -> Iterator[Columns]:
        self.looks += 1
        for start in range(0, N, 3_000):
            rows = slice(start, start + 3_000)
            yield [*(self.codes[name][rows] for name in names), self.classes[rows]]

    def parts(self, lookups: dict[str, Any], has_classes: bool = True) -> list[RecordCounts]:
        """Count them; one in ten is known beforehand."""
        sample = np.column_stack(
            [np.empty((N // 10, 0), np.uint16)]
            + [lookup[self.codes[name][::10]] for name, lookup in lookups.items()]
        )
        return list(
            record_parts(
                self.columns_of,
                lookups,
                ["c", "a"],
                sample,
                n_people=N,
                has_classes=has_classes,
            )
        )


@pytest.fixture
def lookups() -> dict[str, Any]:
    halves = np.arange(SIZES["a"]) // 2
    return {"b": np.arange(SIZES["b"], dtype=np.uint16), "a": halves.astype(np.uint16)}


def limit(monkeypatch: pytest.MonkeyPatch, records: int, in_slice: int, at_once: int) -> None:
    module = "sparsam.data.sample._record_parts"
    monkeypatch.setattr(f"{module}.MOST_RECORDS", records)
    monkeypatch.setattr(f"{module}._PEOPLE_IN_SLICE", in_slice)
    monkeypatch.setattr(f"{module}._PEOPLE_AT_ONCE", at_once)


def equal(one: RecordCounts, other: RecordCounts) -> bool:
    cells = [
        (one.target, other.target),
        *((one.personal[name], other.personal[name]) for name in one.personal),
    ]
    return (
        one.records.tolist() == other.records.tolist()
        and one.people.tolist() == other.people.tolist()
        and all(
            a is b or [n.tolist() for n in a or ()] == [n.tolist() for n in b or ()]
            for a, b in cells
        )
    )


def test_counts_are_those_of_a_loop(lookups: dict[str, Any]) -> None:
    people = People()
    [counts] = people.parts(lookups)
    records = np.column_stack([lookups[name][people.codes[name]] for name in lookups])
    distinct, lines, sizes = np.unique(records, axis=0, return_inverse=True, return_counts=True)
    assert counts.records.tolist() == distinct.tolist()
    assert counts.people.tolist() == sizes.tolist()
    cells, n = np.unique(
        np.column_stack([lines.reshape(-1), people.codes["c"]]), axis=0, return_counts=True
    )
    told = counts.personal["c"]
    assert np.column_stack([told.lines, told.codes, told.counts]).tolist() == (
        np.column_stack([cells, n]).tolist()
    )
    assert counts.target is not None
    assert set(counts.target.codes.tolist()) == {-1, 0, 1}


def test_parts_are_the_whole_in_order(
    lookups: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    people = People()
    [whole] = people.parts(lookups)
    limit(monkeypatch, 200, 1_000, 8_000)
    people.looks = 0
    parts = people.parts(lookups)
    assert people.looks == 3, "8,000 of 20,000 at once"
    assert len(parts) > 2
    assert max(len(part.records) for part in parts) <= 200
    assert equal(joined(parts), whole)


def test_a_slice_of_many_people_is_counted_early(
    lookups: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    people = People()
    people.codes["b"][: N - 100] = 7
    people.codes["a"][: N - 100] = 3
    [whole] = people.parts(lookups)
    limit(monkeypatch, 1_000, 500, 5_000)
    assert equal(joined(people.parts(lookups)), whole)


def test_nothing_collected_is_one_record(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, 1_000, 500, 5_000)
    [counts] = People().parts({})
    assert counts.records.shape == (1, 0)
    assert counts.people.tolist() == [N]


def test_where_the_target_is_a_number_there_are_no_classes(lookups: dict[str, Any]) -> None:
    [counts] = People().parts(lookups, has_classes=False)
    assert counts.target is None
    assert counts.n_people == N


def test_records_too_many_for_one_number_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = dict.fromkeys("abcdefgh", 1_000)
    people = People(sizes=sizes)
    lookups = {name: np.arange(1_000, dtype=np.uint16) for name in sizes}
    [whole] = people.parts(lookups)
    assert len(whole.records) == len(np.unique(np.column_stack([*people.codes.values()]), axis=0))
    limit(monkeypatch, 1_000, 1_000, 4_000)
    assert equal(joined(people.parts(lookups)), whole)


def test_nobody_is_counted_too(lookups: dict[str, Any]) -> None:
    sample = np.empty((0, 2), np.uint16)
    [counts] = record_parts(
        lambda names: iter(()), lookups, ["c"], sample, n_people=0, has_classes=True
    )
    assert counts.n_people == 0
