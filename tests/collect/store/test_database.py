"""What is deleted is gone: not a byte of it is left on the disk."""

from __future__ import annotations

import random

import pytest

from sparsam.collect import Store

from .examples import HALF, LETTERS

MODES = pytest.mark.parametrize("mode", ["counts", "rows"])


def traces(place, *texts: str) -> list[int]:
    """How often records of letters stand on the disk, as the database writes them."""
    width, on_disk = {"sqlite": 1, "postgres": 4}[place.kind], place.on_disk()
    codes = (b"".join(ord(sign).to_bytes(width, "little") for sign in text) for text in texts)
    return [on_disk.count(record) for record in codes]


def fill(store: Store, *texts: str) -> list[str]:
    """Add records of letters among those of other people, so many that pages are split."""
    draw = random.Random(0)
    people = [tuple(draw.choices(range(2, 128), k=12)) for _ in range(600)]
    store.add(people[:200])
    receipts = [store.add([tuple(text.encode())])[0] for text in texts]
    for start in range(200, 600, 100):
        store.add(people[start : start + 100])
    return receipts


@MODES
def test_a_forgotten_record_leaves_no_byte(open_store, place, mode):
    store = open_store(LETTERS, mode=mode)
    texts = [f"forgettable{sign}" for sign in "ABCD"]
    receipts = fill(store, "unforgotten!", *texts)
    handles = []
    if mode == "rows":
        where = "letter_0 = ? AND letter_1 = ? AND letter_2 = ?"
        table = f"records_{store.fingerprint}"
        handles = place.raw(f"SELECT handle FROM {table} WHERE {where}", *b"for")
        assert len(handles) == len(texts)
    assert all(traces(place, *texts))
    for receipt in receipts[1:]:
        store.forget(receipt)
    for _ in range(2):  # while the store is open, and its log with it, and afterwards
        on_disk = place.on_disk()
        assert traces(place, "unforgotten!", *texts)[1:] == [0] * len(texts)
        assert not any(bytes(handle) in on_disk for (handle,) in handles)
        assert not any(receipt.encode() in on_disk for receipt in receipts)
        store.close()


@MODES
def test_an_expired_day_leaves_no_byte(open_store, place, calendar, mode):
    store = open_store(LETTERS, mode=mode, keep_days=2)
    receipts = fill(store, "long_expired", "forgotten_it")
    if mode == "counts":
        store.forget(receipts[1])
        ((spent, _),) = place.raw("SELECT * FROM sparsam_spent")
    calendar(20_001)
    store.add([tuple(b"still_stored")])
    assert all(traces(place, "long_expired"))
    calendar(20_002)
    assert store.expire() == 602 - (mode == "counts")
    expired, stored = traces(place, "long_expired", "still_stored")
    assert expired == 0
    assert stored
    if mode == "counts":
        assert bytes(spent) not in place.on_disk()


@MODES
def test_tightening_leaves_no_byte_of_the_finer_records(open_store, place, mode):
    store = open_store(LETTERS, mode=mode)
    fill(store, "finer_record")
    old = store.fingerprint.encode()
    assert all(traces(place, "finer_record"))
    store.tighten(HALF)
    assert store.count() == 601
    assert traces(place, "finer_record") == [0]
    if place.kind == "sqlite":  # PostgreSQL's catalogue may know for a while that there was a table
        assert old not in place.on_disk()


def test_the_log_does_not_keep_the_order_of_records(open_store, place):
    """Counts that were added to leave no older count behind."""
    if place.kind == "postgres":
        pytest.skip("PostgreSQL's log is its own")
    store = open_store()
    for _ in range(30):
        store.add([(1, 0)])
    store.settle()
    assert (place.folder / "people.db-wal").stat().st_size == 0
    assert store.count() == 30
