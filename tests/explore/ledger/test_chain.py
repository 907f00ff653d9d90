"""Ledgers that strangers made: refused with a LedgerError, at once, and never believed."""

from __future__ import annotations

import copy
import json
import random
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sparsam._errors import LedgerError, ParameterError, SparsamError
from sparsam.cli._main import cli
from sparsam.explore import Ledger, declared, gaussian_cost, laplace_cost
from sparsam.explore.ledger._chain import FIRST, digest
from sparsam.explore.ledger._store import _SCHEMA, APPLICATION, VERSION

Bodies = list[dict[str, Any]]


@pytest.fixture(scope="module")
def bodies(tmp_path_factory: pytest.TempPathFactory) -> Bodies:
    """The entries of a real ledger: a header, a binding, charges and answers, a training."""
    path = tmp_path_factory.mktemp("real") / "people.ledger"
    domains = declared({"age": (0, 99, "integer"), "sex": ["f", "m"]})
    with Ledger.create(path, epsilon=1, delta=1e-6, domains=domains) as ledger:
        for number in range(2):
            ledger.ask({"q": number}, gaussian_cost("0.0001"), lambda: [1, 2], fingerprint="t")
        ledger.ask({"q": "laplace"}, laplace_cost("0.001"), lambda: {"a": 1}, fingerprint="t")
        ledger.charge_training(2.0, 0.01, 10)
    connection = sqlite3.connect(path)
    entries = [json.loads(text) for (text,) in connection.execute("SELECT body FROM entries")]
    connection.close()
    return entries


def write(path: Path, texts: list[Any], columns: Callable[[int, dict[str, Any]], Any] | None = None,
          schema: tuple[str, ...] = _SCHEMA) -> Path:  # fmt: skip
    """Write entries as whoever may write the file can: with a chain of digests that fits."""
    connection = sqlite3.connect(path)
    connection.execute(schema[0])
    head, rows = FIRST, []
    for number, text in enumerate(texts):
        body = text if isinstance(text, dict) else {}
        written = json.dumps(text, sort_keys=True, separators=(",", ":")) if body else text
        head = digest(head, written if isinstance(written, str) else "no text")
        row = (number, body.get("kind", "answer"), body.get("amount", 0), body.get("spent", 0),
               body.get("key"), written, head)  # fmt: skip
        rows.append(row if columns is None else columns(number, row))
    connection.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    for statement in schema[1:]:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute(f"PRAGMA user_version={VERSION}")
    connection.commit()
    connection.close()
    return path


def use(path: Path) -> None:
    """Do with a ledger all that can be done."""
    with Ledger.open(path) as ledger:
        ledger.verify()
        ledger.entries()
        str(ledger.statement())
        assert ledger.remaining >= 0
        ledger.ask({"q": 0}, gaussian_cost("0.0001"), lambda: 1, fingerprint="t")


def refused(path: Path) -> None:
    """It is refused in words, soon, by all ways to open it."""
    start = time.monotonic()
    with pytest.raises(LedgerError):
        Ledger.open(path)
    for command in ("verify", "show", "statement"):
        result = CliRunner().invoke(cli, ["ledger", command, str(path)])
        assert result.exit_code != 0
        assert isinstance(result.exception, SystemExit), result.exc_info
    assert time.monotonic() - start < 2 * 4


def test_the_writer_of_forgeries_can_write_a_true_one(bodies: Bodies, tmp_path: Path) -> None:
    use(write(tmp_path / "same.ledger", bodies))


HEADERS: list[dict[str, Any]] = [
    {"budget": 1000 * 10**9},
    {"budget": 24355957 + 1000},
    {"budget": -5},
    {"budget": 0},
    {"budget": 24355957.0},
    {"budget": 10**30},
    {"budget": True},
    {"budget": "24355957"},
    {"budget": None},
    {"epsilon": 10**30},
    {"epsilon": -(10**9)},
    {"epsilon": 1.0},
    {"unit": "epsilon"},
    {"unit": "pounds"},
    {"unit": 3},
    {"order": 2},
    {"order": 23},
    {"order": None},
    {"order": 10**9},
    {"order": -22},
    {"delta": None},
    {"delta": 0.5},
    {"delta": 0},
    {"delta": -1e-6},
    {"delta": 1e-300},
    {"delta": "1e-6"},
    {"unit": "epsilon", "delta": None, "order": None},
    {"domains": [1, 2]},
    {"domains": {"domains": 3}},
    {"domains": {"domains": {}, "names": [1]}},
    {"note": None},
    {"note": 3},
    {"salt": None},
    {"fingerprint": ["x"]},
    {"analyst": None},
    {"time": 17},
    {"amount": -(10**9), "spent": -(10**9)},
]


@pytest.mark.parametrize("forged", HEADERS, ids=json.dumps)
def test_a_forged_header(bodies: Bodies, tmp_path: Path, forged: dict[str, Any]) -> None:
    refused(write(tmp_path / "f.ledger", [{**bodies[0], **forged}, *bodies[1:]]))


CHARGES: list[dict[str, Any]] = [
    {"amount": 1},
    {"amount": -100000},
    {"amount": 100000.0},
    {"cost": {"epsilon": None, "rho": 1}},
    {"cost": {"epsilon": None, "rho": 100000}},
    {"cost": {"epsilon": None, "rho": 100000, "events": [{"noise": "gaussian", "scale": 0.001}]}},
    {"cost": {"epsilon": None, "rho": 100000, "events": [{"noise": "gaussian", "scale": -1.0}]}},
    {"cost": {"epsilon": None, "rho": 100000, "events": [{"noise": "x", "scale": 99.0}]}},
    {"cost": {"epsilon": None, "rho": 100000,
              "events": [{"noise": "gaussian", "scale": 99.0, "times": 10**30}]}},
    {"cost": {"epsilon": None, "rho": 100000, "order": 22, "events": [
        {"noise": "dp-sgd", "noise_multiplier": 0.01, "sample_rate": 1.0, "steps": 10**9}]}},
    {"cost": None},
    {"cost": [1]},
    {"purpose": None},
    {"question": "what"},
    {"question": None},
    {"key": None},
    {"kind": "present"},
    {"sequence": 7},
]  # fmt: skip


@pytest.mark.parametrize("forged", CHARGES, ids=json.dumps)
def test_a_forged_charge(bodies: Bodies, tmp_path: Path, forged: dict[str, Any]) -> None:
    forgery = copy.deepcopy(bodies)
    place = next(n for n, body in enumerate(forgery) if body["kind"] == "reserve")
    forgery[place] |= forged
    if "cost" in forged and isinstance(forged["cost"], dict):
        forgery[place]["amount"] = forged["cost"]["rho"]
    spent = 0
    for body in forgery:  # the sums fit: only the forged entry itself is wrong
        spent += int(body["amount"])
        body["spent"] = spent
    refused(write(tmp_path / "f.ledger", forgery))


def nested(deep: int) -> str:
    return "[" * deep + "]" * deep


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3",
        "[]",
        "null",
        "{",
        nested(100_000),
        '{"sequence":' + "9" * 5000 + "}",
        '{"question":' + nested(100_000) + "}",
        '{"kind":"\\ud800"}',
        '{"amount":NaN}',
        "[" + "{}," * 1_000_000 + "{}]",
        b"\xff\xfe",
        3,
        2.5,
        None,
    ],
    ids=lambda text: str(text)[:12],
)
def test_texts_that_are_no_entries(bodies: Bodies, tmp_path: Path, text: Any) -> None:
    if text is None:
        with pytest.raises(sqlite3.IntegrityError):
            write(tmp_path / "f.ledger", [bodies[0], text])
        return
    refused(write(tmp_path / "f.ledger", [bodies[0], text]))
    refused(write(tmp_path / "g.ledger", [text]))


@pytest.mark.parametrize("place", range(7))
@pytest.mark.parametrize("value", [b"\x00\xff", 1.5, 9e999, -1, "text"], ids=str)
def test_columns_of_other_kinds(bodies: Bodies, tmp_path: Path, place: int, value: Any) -> None:
    def changed(number: int, row: Any) -> Any:
        return (*row[:place], value, *row[place + 1 :]) if number == 2 else row

    try:
        path = write(tmp_path / "f.ledger", bodies, changed)
    except sqlite3.IntegrityError:
        return  # not even SQLite takes it
    refused(path)


@pytest.mark.parametrize(
    "schema",
    [
        _SCHEMA[:-1],
        (*_SCHEMA, "CREATE TABLE more (a)"),
        (*_SCHEMA, "CREATE VIEW v AS SELECT * FROM entries"),
        (*_SCHEMA, "CREATE TRIGGER t AFTER INSERT ON entries BEGIN SELECT 1; END"),
        (_SCHEMA[0].replace("INTEGER NOT NULL", "INTEGER"), *_SCHEMA[1:]),
    ],
    ids=range(5),
)
def test_tables_and_triggers_of_others(bodies: Bodies, tmp_path: Path, schema: Any) -> None:
    refused(write(tmp_path / "f.ledger", bodies, schema=schema))


def test_a_view_that_never_ends(tmp_path: Path) -> None:
    path = tmp_path / "f.ledger"
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE VIEW entries AS WITH RECURSIVE n(sequence) AS (SELECT 0 UNION ALL SELECT "
        "sequence + 1 FROM n) SELECT sequence, 'x' AS kind, 0 AS amount, 0 AS spent, NULL AS key, "
        "'x' AS body, 'x' AS hash FROM n"
    )
    connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute(f"PRAGMA user_version={VERSION}")
    connection.commit()
    connection.close()
    refused(path)


@pytest.mark.parametrize("answer", ["", "{", "[1", nested(100_000), "nan?"])
def test_a_forged_answer(bodies: Bodies, tmp_path: Path, answer: str) -> None:
    forgery = copy.deepcopy(bodies)
    place = next(n for n, body in enumerate(forgery) if body["kind"] == "answer")
    forgery[place]["answer"] = answer
    path = write(tmp_path / "f.ledger", forgery)
    with Ledger.open(path) as ledger, pytest.raises(LedgerError, match="plain data"):
        ledger.ask({"q": 0}, gaussian_cost("0.0001"), lambda: 1, fingerprint="t")


def test_mutations_of_a_file(bodies: Bodies, tmp_path: Path) -> None:
    """Bytes at random places: a LedgerError, or a ledger that says what it said before."""
    raw = write(tmp_path / "real.ledger", bodies).read_bytes()
    rng = random.Random(0)
    path = tmp_path / "f.ledger"
    refusals = 0
    for _ in range(150):
        changed = bytearray(raw)
        for _ in range(rng.choice((1, 1, 2, 8))):
            changed[rng.randrange(len(raw))] = rng.randrange(256)
        if rng.random() < 0.2:
            del changed[rng.randrange(len(raw)) :]
        path.write_bytes(changed)
        try:
            with Ledger.open(path) as ledger:
                check = ledger.verify()
                assert check.spent == bodies[-1]["spent"]
        except LedgerError:
            refusals += 1
    assert refusals > 20


def test_mutations_of_entries(bodies: Bodies, tmp_path: Path) -> None:
    """Any value of any field becomes any other: refused, or nothing that counts has changed."""
    rng = random.Random(1)
    values = [None, True, 0, -1, 10**25, 1.5, "", "x", [], {}, [1], {"a": 1}, 1e308]
    for number in range(150):
        forgery = copy.deepcopy(bodies)
        body = rng.choice(forgery)
        name = rng.choice(sorted(body))
        value = rng.choice(values)
        if json.dumps(value) == json.dumps(body[name]):
            continue
        body[name] = value
        try:
            path = write(tmp_path / f"{number}.ledger", forgery)
        except (OverflowError, sqlite3.Error):
            continue  # SQLite has no such number
        try:
            with Ledger.open(path) as ledger:
                ledger.verify()
                ledger.entries()
                ledger.ask({"q": 0}, gaussian_cost("0.0001"), lambda: 1, fingerprint="t")
        except LedgerError:
            continue
        except SparsamError as error:  # pragma: no cover - says which
            pytest.fail(f"{name}: {error}")
        assert name not in ("amount", "spent", "budget", "cost", "unit", "sequence", "kind")


def test_an_index_that_lies_about_the_head(bodies: Bodies, tmp_path: Path) -> None:
    """The head that someone kept must be that of an entry, not only stand in an index."""
    path = write(tmp_path / "old.ledger", bodies[:4])
    with Ledger.open(write(tmp_path / "new.ledger", bodies)) as ledger:
        head = ledger.head
    with Ledger.open(path) as ledger:
        old = ledger.head
    raw = path.read_bytes()
    # The digest of the last entry stands in its row and in the index of digests.
    last = max(
        (raw.find(old.encode()), raw.rfind(old.encode())),
        key=lambda place: place,
    )
    assert raw.count(old.encode()) == 2
    first = raw.find(old.encode())
    for place in (first, last):
        path.write_bytes(raw[:place] + head.encode() + raw[place + len(head) :])
        with pytest.raises(LedgerError):
            Ledger.open(path, at_least=head)
        with pytest.raises(LedgerError), Ledger.open(path) as ledger:
            ledger.verify()


def test_nothing_is_written_that_cannot_be_read(tmp_path: Path) -> None:
    with Ledger.create(tmp_path / "p.ledger", epsilon=1, fingerprint="t") as ledger:
        with pytest.raises(ParameterError, match="half a sign"):
            ledger.ask({"q": 1}, laplace_cost("0.1"), lambda: 1, purpose="\ud800", fingerprint="t")
        assert ledger.spent == 0
        with pytest.raises(ParameterError, match="half a sign"):
            ledger.ask({"q": "\ud800"}, laplace_cost("0.1"), lambda: 1, fingerprint="t")
        assert ledger.spent == 0
        odd = ledger.ask({"q": 1}, laplace_cost("0.1"), lambda: "\ud800", fingerprint="t")
    with Ledger.open(tmp_path / "p.ledger") as ledger:
        again = ledger.ask({"q": 1}, laplace_cost("0.1"), lambda: 2, fingerprint="t")
        assert (again.answer, again.fresh, ledger.spent) == (odd.answer, False, 10**8)
