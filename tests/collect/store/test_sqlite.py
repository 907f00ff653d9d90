"""A store in a SQLite file: what can be wrong with the file, the disk and other programs."""

from __future__ import annotations

import os
import sqlite3
import stat

import pytest

from sparsam._errors import SparsamWarning, StoreError
from sparsam.collect import Store

from .examples import COARSE, FINE, LETTERS


@pytest.fixture
def path(tmp_path):
    return tmp_path / "people.db"


@pytest.fixture
def store(path):
    with Store.open(path, FINE, keep_days=90) as opened:
        yield opened


def opened(path):
    """Both ways of opening a store."""
    return (lambda: Store.open(path, FINE, keep_days=90), lambda: Store.reopen(path))


def test_files_are_for_the_owner_alone(path, store):
    store.add([(1, 0)])
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name
    assert {file.name for file in path.parent.iterdir()} >= {"people.db", "people.db.key"}
    store.close()
    assert {file.name for file in path.parent.iterdir()} == {"people.db", "people.db.key"}


def test_a_record_is_on_the_disk_before_it_is_acknowledged(path, store):
    connection = store._database._connection
    facts = {
        name: connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "secure_delete", "temp_store")
    }
    assert facts == {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "temp_store": 2}


@pytest.mark.parametrize("contents", [b"age,job\n47,cook\n" * 99, b"\0" * 5_000])
def test_a_file_that_is_no_database(path, contents):
    path.write_bytes(contents)
    for way in opened(path):
        with pytest.raises(StoreError, match="is not a database") as caught:
            way()
        assert "47" not in str(caught.value)
    assert path.read_bytes() == contents
    assert [file.name for file in path.parent.iterdir()] == ["people.db"]


def test_a_database_of_something_else_is_left_alone(path):
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE people (name TEXT)")
    other.execute("INSERT INTO people VALUES ('Splorknit')")
    other.commit()
    other.close()
    before = path.read_bytes()
    for way in opened(path):
        with pytest.raises(StoreError, match="database of something else"):
            way()
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["people.db"]


def test_a_store_of_a_later_version(path, store):
    store.close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=2")
    connection.close()
    for way in opened(path):
        with pytest.raises(StoreError, match=r"version 1\. Got version 2"):
            way()


def test_a_damaged_store(path, store):
    store.add([(age, job) for age in range(9) for job in range(5)])
    store.close()
    data = bytearray(path.read_bytes())
    data[100:2000] = b"\x5a" * 1900
    path.write_bytes(data)
    for way in opened(path):
        with pytest.raises(StoreError, match=r"damaged|not those"):
            way()


def test_an_old_sqlite_is_refused(path, monkeypatch):
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    for way in opened(path):
        with pytest.raises(StoreError, match=r"needs SQLite 3\.37 or newer"):
            way()
    assert not path.exists()


def test_an_empty_file_becomes_a_store(path):
    path.touch()
    with pytest.raises(StoreError, match="holds no store yet"):
        Store.reopen(path)
    with Store.open(path, FINE, keep_days=90) as store:
        assert store.count() == 0


def test_no_such_place(path, tmp_path):
    with pytest.raises(StoreError, match="There is no store at"):
        Store.reopen(path)
    for way in opened(tmp_path / "nowhere" / "people.db"):
        with pytest.raises(StoreError, match="There is no folder"):
            way()
    for way in opened(tmp_path):
        with pytest.raises(StoreError, match="It is a folder"):
            way()
    os.mkfifo(path)
    for way in opened(path):
        with pytest.raises(StoreError, match="a device or a pipe"):
            way()


def test_a_full_disk_stores_nothing_and_takes_more_later(path):
    with Store.open(path, LETTERS, keep_days=90) as store:
        store.add([(1,) * 12])
        connection = store._database._connection
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count={pages}")
        people = [(5, *divmod(number, 128), *(7,) * 9) for number in range(1_000)]
        with pytest.raises(StoreError, match="disk is full, and nothing was stored"):
            store.add(people)
        assert store.count() == 1
        connection.execute("PRAGMA max_page_count=100000")
        assert len(store.add(people)) == 1_000
        assert store.count() == 1_001


def test_a_locked_store_is_waited_for_and_then_given_up(path, store):
    store._database.timeout = 0.05
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="kept it locked for too long"):
        store.add([(1, 0)])
    assert store.count() == 0  # who only reads need not wait
    other.execute("ROLLBACK")
    store.add([(1, 0)])
    other.close()
    assert store.count() == 1


def test_who_reads_keeps_deleted_bytes_in_the_log_and_the_store_says_so(path):
    with Store.open(path, LETTERS, keep_days=90) as store:
        (receipt,) = store.add([tuple(b"forgettable!")])
        store._database.timeout = 0.05
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN")
        other.execute("SELECT * FROM sparsam_store").fetchall()
        with pytest.warns(SparsamWarning, match="may still be in its log"):
            store.forget(receipt)
        assert store.count() == 0
        other.close()
        store.settle()
        files = [file.read_bytes() for file in path.parent.glob("people.db*")]
        assert not any(b"forgettable!" in data for data in files)


def test_a_store_that_was_replaced_or_removed_takes_nothing(path, store, tmp_path):
    os.rename(path, tmp_path / "moved.db")
    with pytest.raises(StoreError, match="no longer there"):
        store.add([(1, 0)])
    path.write_bytes(b"")
    with pytest.raises(StoreError, match="replaced by another file"):
        store.add([(1, 0)])


def test_a_store_that_cannot_be_written(path, store):
    store.close()
    if os.geteuid() == 0:
        pytest.skip("the superuser may write to every file")
    path.chmod(0o400)
    with pytest.raises(StoreError, match=r"read here|cannot be opened"):
        Store.open(path, FINE, keep_days=90)


def test_a_store_that_was_made_anew_in_the_same_file(path, store):
    other = sqlite3.connect(path)
    other.execute("DELETE FROM sparsam_store")
    other.commit()
    other.close()
    with pytest.raises(StoreError, match="must say once"):
        store.count()


def test_a_file_becomes_smaller_with_what_it_holds(path):
    with Store.open(path, LETTERS, keep_days=90) as store:
        store.add([(5, *divmod(number, 128), *(7,) * 9) for number in range(3_000)])
        store.settle()
        large = path.stat().st_size
        store.expire(10**5)
        assert path.stat().st_size < large / 2


def test_links_to_a_store_are_one_store(path, store, tmp_path):
    (tmp_path / "link.db").symlink_to(path)
    (receipt,) = store.add([(1, 0)])
    with Store.reopen(tmp_path / "link.db") as other:
        other.forget(receipt)
        other.tighten(COARSE)
    with pytest.raises(StoreError, match="tightened"):
        store.count()
