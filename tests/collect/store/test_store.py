"""The store, on SQLite and on PostgreSQL alike."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.private_postgres import programs

from sparsam._errors import ParameterError, ReceiptError, StoreError
from sparsam.collect import Store, Target
from sparsam.collect.store import _store
from sparsam.generalization import Generalization

from .examples import COARSE, COARSEST, FINE, TARGET, generalization

MODES = pytest.mark.parametrize("mode", ["counts", "rows"])


def contents(store):
    """How many records each combination of buckets has."""
    training = store.training()
    rows = map(tuple, training.codes.tolist())
    if training.target is not None:
        rows = ((*row, label) for row, label in zip(rows, training.target, strict=True))
    return dict(zip(rows, training.weights.tolist(), strict=True))


def table(place, store):
    return place.raw(f"SELECT * FROM records_{store.fingerprint}")


@MODES
def test_records_come_back_as_counts(open_store, mode):
    with open_store(mode=mode, target=TARGET) as store:
        assert store.columns == ("age", "Job title", "employed")
        assert store.sizes == (9, 5, 2)
        receipts = store.add([(1, 0, 1), (1, 0, 1), (8, 4, 0)])
        store.add([(1, 0, 1)])
        assert len(set(receipts)) == 3
        assert store.count() == 4
        assert contents(store) == {(1, 0, "yes"): 3, (8, 4, "no"): 1}
        assert store.add([]) == []


@MODES
def test_a_store_is_found_again(open_store, place, key, mode):
    open_store(mode=mode, target=TARGET, keep_days=30).add([(1, 0, 1)])
    for store in (
        open_store(mode=mode, target=TARGET, keep_days=30),
        Store.reopen(place.address, key=key),
        Store.reopen(place.address),
    ):
        with store:
            assert (store.generalization, store.target) == (FINE, TARGET)
            assert (store.mode, store.keep_days, store.count()) == (mode, 30, 1)


def test_counts_hold_nothing_of_a_person(open_store, place, calendar):
    with open_store(target=TARGET) as store:
        store.add([(1, 0, 1), (8, 4, 0), (1, 0, 1)])
        rows = table(place, store)
    assert sorted(rows) == [(20_000, 1, 0, 1, 2), (20_000, 8, 4, 0, 1)]  # day, buckets, n


def test_rows_hold_a_day_and_no_order(open_store, place, calendar):
    with open_store(mode="rows") as store:
        for number in range(45):  # one by one: the records count through the buckets
            store.add([divmod(number, 5)])
        calendar(20_001)
        store.expire()
        rows = table(place, store)
    handles = [bytes(row[0]) for row in rows]
    assert {len(handle) for handle in handles} == {16}
    assert {row[1] for row in rows} == {20_000}
    # as they lie in the table they are sorted by a random number
    assert handles == sorted(handles)
    came = [age * 5 + job for _, _, age, job in rows]
    assert sorted(came) == list(range(45))
    assert sum(a < b for a, b in itertools.pairwise(came)) < 40
    if place.kind == "postgres":  # which transaction wrote a row tells nothing either
        assert len(place.raw(f"SELECT DISTINCT xmin::text FROM records_{store.fingerprint}")) == 1
    else:
        with pytest.raises(Exception, match="no such column"):
            place.raw(f"SELECT rowid FROM records_{store.fingerprint}")


@MODES
@pytest.mark.parametrize(
    "values", ["47, 0", "-1, 0", "0, 5", "'abc', 0", "NULL, 0", "0, 47", "9, 0"]
)
def test_the_database_itself_refuses_what_is_finer(open_store, place, mode, values):
    with open_store(mode=mode) as store:
        fields = ("handle, ", "") if mode == "rows" else ("", ", n")
        handle = {"sqlite": "zeroblob(16), ", "postgres": "decode(repeat('00', 16), 'hex'), "}
        start, end = (handle[place.kind], "") if mode == "rows" else ("", ", 1")
        names = f'{fields[0]}day, age, "column_2"{fields[1]}'
        statement = f"INSERT INTO records_{store.fingerprint} ({names}) VALUES ({start}20000, "
        with pytest.raises(Exception, match=r"(?i)check|violate|cannot store|invalid input|NULL"):
            place.raw(f"{statement}{values}{end})")
        place.raw(f"{statement}8, 4{end})")
        assert store.count() == 1


@MODES
def test_a_receipt_takes_its_record_back_once(open_store, mode):
    with open_store(mode=mode) as store:
        first, second, third = store.add([(1, 0), (1, 0), (2, 3)])
        store.forget(third)
        assert contents(store) == {(1, 0): 2}
        store.forget(f" {first[:20].upper()}-{first[20:]}\n")
        assert contents(store) == {(1, 0): 1}
        for spent in (first, third):
            with pytest.raises(ReceiptError, match="used already") as caught:
                store.forget(spent)
            assert caught.value.reason == "spent"
        assert contents(store) == {(1, 0): 1}
        store.forget(second)
        assert store.count() == 0


@MODES
def test_no_receipt_can_be_forged(open_store, mode):
    with open_store(mode=mode) as store:
        (receipt,) = store.add([(1, 0)])
        letters = "abcdefghijklmnopqrstuvwxyz234567"
        for place in range(len(receipt) - 1):  # the last letter is partly filling
            other = letters[(letters.index(receipt[place]) + 1) % 32]
            with pytest.raises(ReceiptError) as caught:
                store.forget(receipt[:place] + other + receipt[place + 1 :])
            assert caught.value.reason in ("forged", "foreign")
            assert receipt not in str(caught.value)
        for text in ("", "a", receipt[:-3], receipt + "aaaaaaaa", "ä" * 60, "a" * 200_000, "1"):
            with pytest.raises(ReceiptError, match=r"no receipt|another collection"):
                store.forget(text)
        assert store.count() == 1


@MODES
def test_a_receipt_of_another_store_is_refused(open_store, place, tmp_path, key, mode):
    """Of the same generalization under the same key, and of another one."""
    open_store(mode=mode)
    for other in (FINE, COARSE):
        elsewhere = tmp_path / f"{other.n_buckets}.db"
        with (
            Store.open(elsewhere, other, keep_days=90, mode=mode, key=key) as foreign,
            open_store(mode=mode) as store,
        ):
            (receipt,) = foreign.add([(1, 0)])
            store.add([(1, 0)])
            before = store.count()
            with pytest.raises(ReceiptError, match="another collection") as caught:
                store.forget(receipt)
            assert caught.value.reason == "foreign"
            assert store.count() == before


def test_receipts_of_one_store_look_alike(open_store):
    with open_store() as store:
        receipts = store.add([(0, 0), (8, 4)] * 50)
    assert len({len(receipt) for receipt in receipts}) == 1
    assert all(receipt.isalnum() and receipt.isascii() for receipt in receipts)


@MODES
def test_records_go_when_their_time_is_over(open_store, place, calendar, mode):
    with open_store(mode=mode, keep_days=3) as store:
        (early,) = store.add([(1, 0)])
        calendar(20_002)
        (late,) = store.add([(2, 1)])
        assert (store.expire(), store.count()) == (0, 2)
        calendar(20_003)  # three days have begun since
        assert (store.expire(), store.count()) == (1, 1)
        assert contents(store) == {(2, 1): 1}
        with pytest.raises(ReceiptError, match="time of this receipt is over") as caught:
            store.forget(early)
        assert caught.value.reason == "expired"
        store.forget(late)
        assert store.expire(30_000) == 0
    if mode == "counts":  # which receipts were used is not kept longer than the records
        assert place.raw("SELECT * FROM sparsam_spent") == []


def test_opening_deletes_what_is_over(open_store, place, calendar):
    open_store(keep_days=3).add([(1, 0), (2, 0)])
    calendar(20_003)
    with Store.reopen(place.address) as store:
        assert table(place, store) == []


def test_records_are_never_kept_longer_than_was_said(open_store, place):
    open_store(keep_days=30)
    with pytest.raises(StoreError, match=r"30 days.*cannot be kept for 31 days"):
        open_store(keep_days=31)
    first = open_store(keep_days=30)
    assert open_store(keep_days=7).keep_days == 7
    with pytest.raises(StoreError, match="7 days"):
        open_store(keep_days=30)
    first.count()
    assert first.keep_days == 7  # who had it open before keeps to it as well


@MODES
def test_tightening_keeps_all_counts_and_all_receipts(open_store, place, mode):
    with open_store(mode=mode, target=TARGET) as store:
        records = [(age, job, (age + job) % 2) for age in range(9) for job in range(5)]
        receipts = store.add(records + records[:7])
        old, handles = store.fingerprint, len(table(place, store))
        assert store.tighten(COARSE) is store
        assert store.generalization == COARSE
        assert store.sizes == (3, 3, 2)
        assert store.count() == 52
        expected = Counter(
            ((age >= 3) + (age >= 6), (0, 0, 1, 1, 2)[job], TARGET.classes[yes])
            for age, job, yes in records + records[:7]
        )
        assert contents(store) == expected
        if mode == "rows":
            assert len(table(place, store)) == handles
        (later,) = store.add([(2, 2, 1)])
        for number in (0, 44, 50):  # receipts of before
            store.forget(receipts[number])
            with pytest.raises(ReceiptError, match="used already"):
                store.forget(receipts[number])
        store.tighten(COARSEST)  # twice: ages are no longer collected
        assert store.columns == ("Job title", "employed")
        with pytest.raises(ReceiptError, match="used already"):
            store.forget(receipts[0])
        for number in (1, 45):
            store.forget(receipts[number])
        store.forget(later)
        assert store.count() == 52 - 5
        assert old not in repr(store)
    with Store.reopen(place.address) as store:
        assert store.generalization == COARSEST


def test_tightening_maps_receipts_to_the_right_count(open_store):
    with open_store() as store:
        first, second = store.add([(0, 0), (8, 4)])
        store.tighten(COARSE).tighten(COARSEST)
        store.add([(0,), (1,)])
        store.forget(second)  # missing jobs are among the first
        assert contents(store) == {(0,): 2, (1,): 1}
        store.forget(first)
        assert contents(store) == {(0,): 1, (1,): 1}


def test_only_coarser_ones_tighten(open_store):
    other = generalization([30, 61], [["cook", "smith"], ["nurse", "judge"]], missing=2)
    with open_store(COARSE) as store:
        store.add([(1, 1)])
        with pytest.raises(ParameterError, match="not in: age, Job title"):
            store.tighten(FINE)
        with pytest.raises(ParameterError, match="not in: age"):
            store.tighten(other)
        with pytest.raises(ParameterError, match="already"):
            store.tighten(COARSE.with_about({"author": "somebody"}))
        with pytest.raises(ParameterError, match="same attributes"):
            store.tighten(Generalization(COARSE.partitions[:1]))
        assert contents(store) == {(1, 1): 1}


def test_earlier_receipts_are_known_until_they_expire(open_store, place, calendar):
    with open_store(keep_days=3) as store:
        (receipt,) = store.add([(1, 0)])
        store.tighten(COARSE)
        calendar(20_002)
        store.forget(receipt)
        calendar(20_003)
        store.expire()
        assert "earlier" not in place.raw("SELECT facts FROM sparsam_store")[0][0].replace(
            '"earlier":[]', ""
        )
        with pytest.raises(ReceiptError, match="so old"):
            store.forget(receipt)


def test_who_has_a_tightened_store_open_is_told(open_store, place):
    old = open_store()
    with Store.reopen(place.address) as other:
        other.tighten(COARSE)
    for call in (old.count, old.training, lambda: old.add([(8, 4)]), old.expire):
        with pytest.raises(StoreError, match="tightened"):
            call()
    with pytest.raises(StoreError, match="another generalization"):
        open_store()
    assert open_store(COARSE).count() == 0


def test_two_stores_on_one_database(open_store):
    first, second = open_store(), open_store()
    (receipt,) = first.add([(1, 0)])
    second.add([(1, 0)])
    assert first.count() == second.count() == 2
    second.forget(receipt)
    with pytest.raises(ReceiptError, match="used already"):
        first.forget(receipt)
    assert first.count() == 1


def test_threads_share_a_store(open_store):
    with open_store() as store:
        receipts: list[str] = []

        def send() -> None:
            for _ in range(5):
                receipts.extend(store.add([(1, 0), (2, 0)]))

        threads = [threading.Thread(target=send) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert store.count() == len(set(receipts)) == 40


def test_no_thread_meets_a_store_that_is_half_tightened(tmp_path):
    """A record that was checked by the finer buckets is never added to the coarser ones."""
    with Store.open(tmp_path / "a.db", FINE, keep_days=1) as store:
        added, refused = [], []

        def send() -> None:
            while not refused:
                try:
                    added.extend(store.add([(2, 2)]))  # the third age, or those of over 60
                except ParameterError:  # no third job is left
                    refused.append(1)

        threads = [threading.Thread(target=send) for _ in range(3)]
        for thread in threads:
            thread.start()
        while len(added) < 20 and all(thread.is_alive() for thread in threads):
            time.sleep(0.001)
        store.tighten(COARSEST)
        for thread in threads:
            thread.join()
        assert contents(store) == {(1,): len(added)}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ((9, 0), "'age' must be a whole number from 0 to 8"),
        ((0, -1), "'Job title' must be"),
        ((0, True), "'Job title' must be"),
        ((0, 1.0), "'Job title' must be"),
        ((0, "1"), "'Job title' must be"),
        ((0, None), "'Job title' must be"),
        ((0, 10**300), "'Job title' must be"),
        ((0,), "must have 2 buckets, one for each of age, Job title"),
        ((0, 0, 0), "must have 2 buckets"),
    ],
)
def test_bad_records_are_refused_whole_and_not_shown(tmp_path, record, message):
    with Store.open(tmp_path / "a.db", FINE, keep_days=1) as store:
        with pytest.raises(ParameterError, match=message) as caught:
            store.add([(0, 0), record])
        assert store.count() == 0
        shown = str(caught.value).replace(message, "")
        assert not any(str(value) in shown.split(". Got")[0] for value in record if value != 0)


def test_numbers_of_numpy_are_numbers(tmp_path):
    with Store.open(tmp_path / "a.db", FINE, keep_days=1) as store:
        store.add(np.array([[1, 0], [1, 0]], dtype=np.uint16))
        assert contents(store) == {(1, 0): 2}


def test_another_target_or_mode_is_another_store(open_store):
    open_store(target=TARGET)
    with pytest.raises(StoreError, match="keeps the target of each record too"):
        open_store()
    with pytest.raises(StoreError, match="another target"):
        open_store(target=Target("employed", ("yes", "no")))
    with pytest.raises(StoreError, match="keeps counts"):
        open_store(target=TARGET, mode="rows")


def test_what_is_told_about_a_generalization_does_not_matter(open_store):
    open_store().add([(1, 0)])
    assert open_store(FINE.with_about({"author": "somebody"})).count() == 1


def test_without_a_key_records_are_counted_and_not_taken(place, open_store, key, monkeypatch):
    (receipt,) = open_store().add([(1, 0)])
    with Store.reopen(place.address) as store:
        assert store.count() == 1
        for call in (lambda: store.add([(1, 0)]), lambda: store.forget(receipt)):
            with pytest.raises(StoreError, match=r"key of .* was not found"):
                call()
        store.tighten(COARSE)
    monkeypatch.setenv("SPARSAM_RECEIPT_KEY", key.read_text())
    with Store.reopen(place.address) as store:
        store.forget(receipt)


def test_another_key_is_refused(open_store, place, key):
    open_store()
    key.write_text("0" * 64 + "\n")
    with pytest.raises(StoreError, match="signed with another key"):
        open_store()
    with pytest.raises(StoreError, match="signed with another key"):
        Store.reopen(place.address, key=key)


def test_a_key_is_rotated_by_a_line_above_it(open_store, key):
    with open_store() as store:
        (before,) = store.add([(1, 0)])
        (other,) = store.add([(1, 0)])
    old = key.read_text()
    key.write_text("# a new one\n" + "ab" * 32 + "\n" + old)
    with open_store() as store:
        (after,) = store.add([(1, 0)])
        store.forget(before)
        with pytest.raises(ReceiptError, match="used already"):
            store.forget(before)
    key.write_text("ab" * 32)  # the old one has leaked, or all its receipts have expired
    with open_store() as store:
        with pytest.raises(ReceiptError, match="no receipt"):
            store.forget(other)
        store.forget(after)
        assert store.count() == 1


def test_a_store_whose_counts_were_put_back_says_so(open_store, place):
    with open_store() as store:
        (receipt,) = store.add([(1, 0)])
        place.raw(f"DELETE FROM records_{store.fingerprint}")
        with pytest.raises(ReceiptError, match="not in the store") as caught:
            store.forget(receipt)
        assert caught.value.reason == "absent"
        assert place.raw("SELECT * FROM sparsam_spent") == []


def test_a_table_that_refuses_less_is_refused(open_store, place):
    name = f"records_{open_store().fingerprint}"
    if place.kind == "postgres":
        place.raw(f"ALTER TABLE {name} DROP CONSTRAINT {name}_age_check")
    else:
        place.raw(f"DROP TABLE {name}")
        place.raw(f'CREATE TABLE {name} (day INTEGER, age INTEGER, "column_2" INTEGER, n INTEGER)')
    with pytest.raises(StoreError, match="changed by something else"):
        open_store()
    with pytest.raises(StoreError, match="changed by something else"):
        Store.reopen(place.address)


def test_facts_that_cannot_be_read(open_store, place):
    open_store()
    for text in ("{}", "nonsense", '{"version": 2}'):
        place.raw("UPDATE sparsam_store SET facts = ?", text)
        with pytest.raises(StoreError, match="cannot be read"):
            open_store()
    place.raw("DELETE FROM sparsam_store")
    with pytest.raises(StoreError, match="must say once"):
        open_store()


def test_a_closed_store_is_closed(open_store):
    store = open_store()
    store.close()
    store.close()
    with pytest.raises(StoreError, match="is closed"):
        store.count()


def test_a_store_of_another_process_is_refused(open_store, monkeypatch):
    """As in a process that was forked: it must not use the connection, nor close it."""
    store = open_store()
    store.add([(1, 0)])
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: -1)
        for call in (lambda: store.add([(1, 0)]), store.count, store.training):
            with pytest.raises(StoreError, match="another process"):
                call()
    assert store.count() == 1


KILLS = """
import importlib.util, sys
found = importlib.util.spec_from_file_location("store_benchmark", sys.argv[1])
module = importlib.util.module_from_spec(found)
sys.modules["store_benchmark"] = module
found.loader.exec_module(module)
for number, address in enumerate(sys.argv[3:]):
    # whole records and interviews in turn
    module.source = module.INTERVIEWS if number % 2 else module.NUMBERS
    there, due = module.write_together(address, "counts", writers=3, groups=4)
    killed = module.kill_writers(address, "counts", int(sys.argv[2]), seed=0)
    print(f"{there} of {due}", killed)
    if there != due or not (killed.good and killed.acknowledged):
        sys.exit(1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are forked")
def test_what_is_acknowledged_outlives_a_kill(tmp_path, request):
    """Three processes make the store at once; then a few kills. `benchmarks/store.py` does 200."""
    benchmark = Path(__file__).resolve().parents[3] / "benchmarks" / "store.py"
    addresses = [str(tmp_path / "people.db"), str(tmp_path / "answers.db")]
    if programs() and find_spec("psycopg"):  # all in one process, which takes a second to start
        schemas = [request.getfixturevalue("postgres").schema() for _ in range(2)]
        addresses += [address for _, address in schemas]
    done = subprocess.run(
        [sys.executable, "-c", KILLS, benchmark, os.environ.get("SPARSAM_KILLS", "4"), *addresses],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_long_and_strange_names_are_columns(place, key):
    domain = FINE.partitions[0]
    names = [
        "day",
        "n",
        "handle",
        "column_1",
        "AGE",
        "age",
        "a" * 70,
        "a" * 70 + "b",
        'x"; --',
        "é",
    ]
    from msgspec.structs import replace

    strange = Generalization(replace(domain, name=name) for name in names)
    for mode in ("counts",):
        with Store.open(place.address, strange, keep_days=1, mode=mode, key=key) as store:
            (receipt,) = store.add([(*tuple(range(8)), 8, 8)])
            assert contents(store) == {(*range(8), 8, 8): 1}
            store.forget(receipt)
            assert store.count() == 0


@pytest.mark.parametrize("n_attributes", [33, 300])
def test_many_attributes(place, key, n_attributes):
    many = Generalization(
        replace(FINE.partitions[0], name=f"a{number}") for number in range(n_attributes)
    )
    with Store.open(place.address, many, keep_days=1, key=key) as store:
        record = tuple(number % 9 for number in range(n_attributes))
        receipts = store.add([record, record, (0,) * n_attributes])
        store.forget(receipts[1])
        assert contents(store) == {record: 1, (0,) * n_attributes: 1}


def test_nothing_to_collect_is_refused(tmp_path):
    idle = generalization([], [["cook", "smith", "nurse", "judge"]])
    with pytest.raises(StoreError, match="must have 1 to"):
        Store.open(tmp_path / "a.db", idle, keep_days=1)
    assert list(tmp_path.iterdir()) == []
    with Store.open(tmp_path / "a.db", idle, keep_days=1, target=TARGET) as store:
        store.add([(1,), (0,), (1,)])
        assert contents(store) == {("no",): 1, ("yes",): 2}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keep_days": 0}, "keep_days.*int from 1"),
        ({"keep_days": 1.5}, "keep_days"),
        ({"keep_days": 90, "mode": "row"}, "mode"),
        ({"keep_days": 90, "target": Target("age", ("a", "b"))}, "also a collected attribute"),
    ],
)
def test_bad_parameters(tmp_path, options, message):
    with pytest.raises(ParameterError, match=message):
        Store.open(tmp_path / "a.db", FINE, **options)
    with pytest.raises(ParameterError, match="by a Generalization or a Questionnaire"):
        Store.open(tmp_path / "a.db", "people.json", keep_days=1)
    with pytest.raises(ParameterError, match="postgresql://"):
        Store.open("mysql://people", FINE, keep_days=1)
    assert list(tmp_path.iterdir()) == []


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 8), st.integers(0, 4)),
        st.tuples(st.just("forget"), st.integers(0, 30)),
        st.tuples(st.just("day"), st.integers(1, 3)),
        st.tuples(st.just("tighten")),
    ),
    max_size=25,
)


@pytest.mark.parametrize("mode", ["counts", "rows"])
@settings(max_examples=15)
@given(operations=OPERATIONS)
def test_a_store_does_what_a_list_would(tmp_path_factory, mode, operations):
    """Adding, forgetting, expiring and tightening in any order."""
    steps = iter([(COARSE, lambda r: ((r[0] >= 3) + (r[0] >= 6), (0, 0, 1, 1, 2)[r[1]])),
                  (COARSEST, lambda r: ((0, 1, 0)[r[1]],))])  # fmt: skip
    day, people, moves = 20_000, [], []  # [day, record as it is now, receipt, forgotten]
    with (
        pytest.MonkeyPatch.context() as patch,
        Store.open(
            tmp_path_factory.mktemp("store") / "a.db", FINE, keep_days=4, mode=mode, key=b"k" * 32
        ) as store,
    ):
        patch.setattr(_store, "current_day", lambda: day)
        for name, *values in operations:
            if name == "add":
                record = tuple(values)
                for move in moves:
                    record = move(record)
                people.append([day, record, store.add([record])[0], False])
            elif name == "forget" and values[0] < len(people):
                person = people[values[0]]
                if person[3] or person[0] <= day - 4:
                    with pytest.raises(ReceiptError):
                        store.forget(person[2])
                else:
                    store.forget(person[2])
                    person[3] = True
            elif name == "day":
                day += values[0]
                store.expire()
            elif name == "tighten" and (step := next(steps, None)):
                store.tighten(step[0])
                moves.append(step[1])
                for person in people:
                    person[1] = step[1](person[1])
        left = Counter(record for added, record, _, gone in people if not gone and added > day - 4)
        assert contents(store) == left
