"""A store on a PostgreSQL server: what stands in its log, and what can be wrong with it."""

from __future__ import annotations

import sys

import pytest

from sparsam._errors import MissingExtraError, SparsamWarning, StoreError
from sparsam.collect import Store

from .examples import FINE, LETTERS

KEY = b"k" * 32


@pytest.fixture
def schema(postgres):
    """Name and address of an empty schema."""
    return postgres.schema()


@pytest.fixture
def logging(postgres):
    """Let the server do this or that for new connections, while a test runs."""
    changed = []

    def set_to(**settings):
        for name, value in settings.items():
            changed.append(name)
            postgres.admin(f"ALTER SYSTEM SET {name} = '{value}'")
        postgres.admin("SELECT pg_reload_conf()")
        for name, value in settings.items():  # the server takes a moment
            while str(postgres.admin(f"SHOW {name}")[0][0]) != str(value):
                pass

    yield set_to
    for name in changed:
        postgres.admin(f"ALTER SYSTEM RESET {name}")
    postgres.admin("SELECT pg_reload_conf()")


def opened(address, generalization=FINE, **options):
    return Store.open(address, generalization, keep_days=90, key=KEY, **options)


def test_nothing_of_a_person_stands_in_the_log(postgres, schema, logging):
    """Statements are logged, as much as a server can be told to: their values are not."""
    postgres.admin("ALTER ROLE collector SET log_parameter_max_length = 0")
    logging(log_statement="all", log_min_messages="debug1")
    start = postgres.log.stat().st_size
    try:
        with opened(schema[1], LETTERS) as store:
            receipts = store.add([tuple(b"letters_here"), tuple(b"letters_here")])
            store.add([tuple(b"letters_here")])
            store.forget(receipts[0])
            store.training()
            store.expire(10**5)
        log = postgres.log.read_bytes()[start:].decode()
    finally:
        postgres.admin("ALTER ROLE collector RESET log_parameter_max_length")
    assert "INSERT INTO records_" in log
    assert "$1" in log
    assert "parameters:" not in log
    codes = [str(code) for code in b"letters_here"]
    for between in (", ", ",", "\n", " AND "):
        assert between.join(codes[:3]) not in log
    assert not any(receipt in log for receipt in receipts)


@pytest.mark.parametrize(
    "setting",
    [
        {"log_statement": "mod"},
        {"log_min_duration_statement": "0"},
        {"log_transaction_sample_rate": "0.5"},
    ],
)
def test_a_server_that_logs_values_is_refused(postgres, schema, logging, setting):
    logging(**setting)
    with pytest.raises(StoreError, match="what people answer would stand there"):
        opened(schema[1])
    # who may switch it off does so, for this connection
    with opened(postgres.address("admin", schema[0])) as store:
        assert store._database.rows("SHOW log_parameter_max_length")[0][0] == "0"


def test_errors_leave_no_values_behind(postgres, schema):
    """Neither in our message nor in the server's log."""
    start = postgres.log.stat().st_size
    with opened(schema[1], LETTERS) as store:
        postgres.admin(f"ALTER TABLE {schema[0]}.records_{store.fingerprint} ADD CHECK (n < 2)")
        store.add([tuple(b"letters_here")])
        with pytest.raises(StoreError) as caught:
            store.add([tuple(b"other_letter")] * 2)
        assert "refuses" in str(caught.value)
        assert "111" not in str(caught.value)
    log = postgres.log.read_bytes()[start:].decode()
    statements = [line for line in log.splitlines() if "STATEMENT:" in line]
    assert statements
    assert all("unnest($1::integer[]" in line for line in statements if "INSERT" in line)
    # the row itself is in the server's own words, once somebody adds rules that we do not know
    assert log.count("Failing row contains") == 1


def test_an_administrator_can_empty_the_write_ahead_log(postgres, schema, logging):
    """What the guide tells to do, where deleted records must be gone from there, too."""

    def in_log():
        record = b"".join(sign.to_bytes(4, "little") for sign in b"in_WAL_for_a")
        return any(
            record in file.read_bytes()
            for file in (postgres.data / "pg_wal").iterdir()
            if file.is_file()
        )

    logging(wal_recycle="off")
    with opened(schema[1], LETTERS) as store:
        (receipt,) = store.add([tuple(b"in_WAL_for_a")])
        store.forget(receipt)
        assert in_log()
        postgres.admin("SELECT pg_switch_wal()")
        postgres.admin("CHECKPOINT")
        assert not in_log()


def test_a_store_that_is_dropped_meanwhile(postgres, schema):
    with opened(schema[1]) as store:
        postgres.admin(f"DROP TABLE {schema[0]}.sparsam_store")
        with pytest.raises(StoreError, match="not those that sparsam made"):
            store.add([(1, 0)])


def test_what_is_acknowledged_is_on_the_disk(postgres, schema, logging):
    postgres.admin("ALTER ROLE collector SET synchronous_commit = off")
    try:
        with opened(schema[1]) as store:
            assert store._database.rows("SHOW synchronous_commit")[0][0] == "on"
    finally:
        postgres.admin("ALTER ROLE collector RESET synchronous_commit")
    logging(fsync="off")
    with pytest.warns(SparsamWarning, match="fsync=off"):
        opened(schema[1]).close()


def test_a_lost_connection_is_said_and_made_again(postgres, schema):
    with opened(schema[1]) as store:
        store.add([(1, 0)])
        postgres.admin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                       "WHERE usename = 'collector'")  # fmt: skip
        with pytest.raises(StoreError, match=r"nothing is acknowledged|cannot be reached"):
            store.add([(1, 0)])
        store.add([(1, 0)])
        assert store.count() == 2


def test_a_locked_store(postgres, schema):
    import psycopg

    with opened(schema[1]) as store:
        store._database._connection.execute("SET lock_timeout = '50ms'")
        with psycopg.connect(schema[1]) as other:
            other.execute("LOCK TABLE sparsam_store IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(StoreError, match="locked for too long"):
                store.add([(1, 0)])
        store.add([(1, 0)])
        assert store.count() == 1


def test_no_server_and_no_database(postgres, schema, tmp_path):
    wrong = (
        f"postgresql://collector@/postgres?host={tmp_path}",
        schema[1].replace("/postgres?", "/nowhere?"),
        schema[1].replace("collector@", "nobody:secret@"),
    )
    for address in wrong:
        with pytest.raises(StoreError, match="cannot be reached, or did not let us in") as caught:
            opened(address)
        assert "secret" not in str(caught.value)


def test_a_schema_that_is_not_there_or_not_ours(postgres, schema):
    with pytest.raises(StoreError, match="needs a schema"):
        opened(postgres.address("collector", "nowhere"))
    postgres.admin("CREATE SCHEMA IF NOT EXISTS closed")
    with pytest.raises(StoreError, match=r"may not do that|needs a schema"):
        opened(postgres.address("collector", "closed"))
    postgres.admin(f"CREATE TABLE {schema[0]}.sparsam_store (other integer)")
    with pytest.raises(StoreError, match="may not do that"):
        opened(schema[1])


def test_tables_of_something_else(postgres, schema):
    postgres.admin(f"CREATE TABLE {schema[0]}.sparsam_spent (other integer)")
    with pytest.raises(StoreError, match="changed by something else"):
        opened(schema[1])
    with pytest.raises(StoreError, match="holds no store yet"):
        Store.reopen(schema[1])


def test_a_key_must_be_given(schema, monkeypatch, tmp_path):
    with pytest.raises(StoreError, match=r"key of the PostgreSQL store was not found.*\n\nHint"):
        Store.open(schema[1], FINE, keep_days=90)
    with Store.open(schema[1], FINE, keep_days=90, key=tmp_path / "new.key") as store:
        (receipt,) = store.add([(1, 0)])
    assert (tmp_path / "new.key").stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("SPARSAM_RECEIPT_KEY", (tmp_path / "new.key").read_text())
    with Store.open(schema[1], FINE, keep_days=90) as store:
        store.forget(receipt)


def test_the_server_keeps_no_samples_of_values(postgres, schema):
    with opened(schema[1], LETTERS, mode="rows") as store:
        store.add([tuple(b"letters_here")] * 50)
        postgres.admin(f"ANALYZE {schema[0]}.records_{store.fingerprint}")
        samples = postgres.admin(f"SELECT count(*) FROM pg_stats WHERE schemaname = '{schema[0]}'")
        assert samples == [(0,)]


def test_the_address_is_never_shown(schema):
    address = schema[1].replace("collector@", "collector:secret@")
    with opened(address) as store:
        assert "secret" not in repr(store)
        assert "secret" not in repr(store._database)


def test_without_psycopg(schema, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"sparsam\[postgres\]"):
        opened(schema[1])
