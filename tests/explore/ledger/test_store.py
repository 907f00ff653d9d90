"""Faults: crashes, races, forks, full disks, and files that are not what they were."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparsam._errors import BudgetError, LedgerError
from sparsam.explore import Ledger, laplace_cost
from sparsam.explore.ledger._amounts import NANO

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:This process.*multi-threaded:DeprecationWarning"),
]
HUNDREDTH = laplace_cost("0.01")


def new(folder: Path, **budget: Any) -> Path:
    path = folder / "people.ledger"
    Ledger.create(path, fingerprint="rows", **({"epsilon": 1} | budget)).close()
    return path


def ask(ledger: Ledger, question: Any, answer: Any = 1) -> Any:
    return ledger.ask({"q": question}, HUNDREDTH, lambda: answer, fingerprint="rows")


def ask_much(ledger: Ledger) -> None:
    for i in range(1000):
        ask(ledger, ["much", i])


def child(work: Callable[[], None]) -> int:
    """Run something in a process of its own; its exit code is 0 if it went well."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:  # noqa: BLE001 - a child must never return into pytest
            traceback.print_exc()
        finally:
            os._exit(code)
    return pid


def wait(*pids: int) -> None:
    """Wait for children; one that hangs is a failure, not a test that never ends."""
    until = time.monotonic() + 60
    for pid in pids:
        ended, status = os.waitpid(pid, os.WNOHANG)
        while not ended and time.monotonic() < until:
            time.sleep(0.005)
            ended, status = os.waitpid(pid, os.WNOHANG)
        if not ended:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        assert ended, "a child hangs"
        assert os.waitstatus_to_exitcode(status) == 0


def charges(path: Path) -> list[dict[str, Any]]:
    with Ledger.open(path) as ledger:
        return [body for body in ledger.entries() if body["kind"] == "reserve"]


def test_eight_processes_are_granted_exactly_the_budget(tmp_path: Path) -> None:
    path = new(tmp_path)

    def hammer(me: int) -> None:
        granted = 0
        with Ledger.open(path, analyst=str(me)) as ledger:
            for i in range(20):
                try:
                    ask(ledger, [me, i])
                    granted += 1
                except BudgetError as error:
                    assert error.remaining == 0  # noqa: PT017 - in a child
        (tmp_path / f"granted.{me}").write_text(str(granted))

    wait(*[child(lambda me=me: hammer(me)) for me in range(8)])  # type: ignore[misc]
    assert sum(int(file.read_text()) for file in tmp_path.glob("granted.*")) == 100
    with Ledger.open(path) as ledger:
        assert ledger.spent == ledger.budget == NANO
        assert ledger.verify().unanswered == 0


def asker(path: Path, run: int, seed: int, pipe: int) -> None:
    """Ask until killed; say what is being computed, and what was answered."""
    rng = random.Random(seed)
    with Ledger.open(path) as ledger:
        for i in range(1000):
            name = f"{run}.{i}"

            def compute(name: str = name) -> int:
                os.write(pipe, f"computed {name}\n".encode())
                time.sleep(rng.random() * 0.002)
                return 1

            ledger.ask({"q": name}, HUNDREDTH, compute, fingerprint="rows")
            os.write(pipe, f"answered {name}\n".encode())


def kill_at_random(path: Path, runs: int, rng: random.Random) -> dict[str, set[str]]:
    """Kill askers at random moments; give the names of questions computed and answered."""
    seen: dict[str, set[str]] = {"computed": set(), "answered": set()}
    for run in range(runs):
        out, into = os.pipe()
        pid = child(lambda run=run, into=into: asker(path, run, run, into))  # type: ignore[misc]
        os.close(into)
        with os.fdopen(out) as lines:
            reports = [lines.readline() for _ in range(rng.randrange(6))]
            time.sleep(rng.random() * 0.006)
            os.kill(pid, signal.SIGKILL)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
            reports += lines
        for line in reports:
            what, name = line.split()
            seen[what].add(name)
    return seen


def test_a_kill_at_any_moment_leaves_no_answer_without_its_charge(tmp_path: Path) -> None:
    rng = random.Random(1)
    n_answered = n_unanswered = 0
    # benchmarks/ledger_faults.py kills 200; short ledgers open faster.
    for part in range(3):
        folder = tmp_path / str(part)
        folder.mkdir()
        path = new(folder, epsilon=1000)
        seen = kill_at_random(path, 20, rng)
        charged = [body["question"]["q"] for body in charges(path)]
        assert seen["answered"] <= seen["computed"] <= set(charged)
        assert len(charged) == len(set(charged))
        with Ledger.open(path) as ledger:
            checked = ledger.verify()
            assert checked.spent == len(charged) * 10_000_000
            for name in sorted(seen["answered"])[:2]:
                assert not ask(ledger, name, "another").fresh
        n_answered += len(seen["answered"])
        n_unanswered += checked.unanswered
    assert n_answered > 30  # the kills came in the midst of work
    # Some came between the charge and the answer: the case that matters.
    assert n_unanswered > 5


def test_threads_are_granted_exactly_the_budget(tmp_path: Path) -> None:
    granted: list[int] = []
    with Ledger.open(new(tmp_path, epsilon="0.3")) as ledger:

        def hammer(me: int) -> None:
            for i in range(8):
                try:
                    granted.append(ask(ledger, [me, i]).sequence)
                except BudgetError:
                    continue

        threads = [threading.Thread(target=hammer, args=(me,)) for me in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(granted) == len(set(granted)) == 30
        assert ledger.remaining == 0
        assert ledger.verify().unanswered == 0


def test_the_same_question_at_the_same_moment_is_paid_twice(tmp_path: Path) -> None:
    with Ledger.open(new(tmp_path)) as ledger:
        second: list[Any] = []

        def compute() -> str:
            # While the first is computed, another asks the same.
            thread = threading.Thread(target=lambda: second.append(ask(ledger, "same", "second")))
            thread.start()
            thread.join()
            return "first"

        first = ledger.ask({"q": "same"}, HUNDREDTH, compute, fingerprint="rows")
        assert first.fresh
        assert second[0].fresh
        assert first.answer == second[0].answer == "second"  # one question, one answer
        assert ledger.spent == 20_000_000
        assert ask(ledger, "same", "third").answer == "second"
        assert [body["kind"] for body in ledger.entries()][-1] == "dropped"
        outcomes = [charge.outcome for charge in ledger.statement().charges]
        assert outcomes == ["answered by an equal question", "answered"]


def test_processes_that_ask_the_same_at_once(tmp_path: Path) -> None:
    path = new(tmp_path)
    out, into = os.pipe()
    start = time.time() + 0.2

    def work(me: int) -> None:
        with Ledger.open(path) as ledger:
            time.sleep(max(0.0, start - time.time()))
            entry = ask(ledger, "same", me)
            os.write(into, f"{entry.answer} {entry.amount}\n".encode())

    wait(*[child(lambda me=me: work(me)) for me in range(4)])  # type: ignore[misc]
    os.close(into)
    with os.fdopen(out) as lines:
        got = [line.split() for line in lines]
    assert len({answer for answer, _ in got}) == 1
    with Ledger.open(path) as ledger:
        assert ledger.spent == sum(int(amount) for _, amount in got)


def test_a_fork_does_not_multiply_the_budget(tmp_path: Path) -> None:
    with Ledger.open(new(tmp_path, epsilon="0.1")) as ledger:
        ask(ledger, "before")

        def work(me: int) -> None:
            granted = 0
            for i in range(5):
                try:
                    ask(ledger, [me, i])
                    granted += 1
                except BudgetError:
                    continue
            (tmp_path / f"granted.{me}").write_text(str(granted))

        pids = [child(lambda me=me: work(me)) for me in range(4)]  # type: ignore[misc]
        work(4)
        wait(*pids)
        assert sum(int(file.read_text()) for file in tmp_path.glob("granted.*")) == 9
        assert ledger.remaining == 0
        assert not ask(ledger, "before", "again").fresh
        ledger.verify()


def test_a_fork_in_the_midst_of_other_threads(tmp_path: Path) -> None:
    with Ledger.open(new(tmp_path, epsilon=100)) as ledger:
        stop = threading.Event()
        asked: list[int] = []

        def hammer() -> None:
            while not stop.is_set():
                asked.append(ask(ledger, len(asked)).sequence)

        thread = threading.Thread(target=hammer)
        thread.start()
        try:
            for run in range(10):
                wait(child(lambda run=run: ask(ledger, ["child", run])))  # type: ignore[misc]
        finally:
            stop.set()
            thread.join()
        assert ledger.spent == (len(asked) + 10) * 10_000_000
        assert ledger.verify().unanswered == 0


def test_a_full_disk_grants_nothing(tmp_path: Path) -> None:
    path = new(tmp_path)
    with Ledger.open(path) as ledger:
        ask(ledger, 0)
        with ledger._store.reading() as connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count={pages}")
        # A long answer does not fit: charged, but not given.
        with pytest.raises(LedgerError, match=r"was charged.*disk is full"):
            ask(ledger, "long", "x" * 100_000)
        # Then even charges do not fit: refused before anything is computed.
        with pytest.raises(LedgerError, match="disk is full"):
            ask_much(ledger)
        ran: list[int] = []
        with pytest.raises(LedgerError, match="disk is full"):
            ledger.ask({"q": "x" * 9000}, HUNDREDTH, lambda: ran.append(1), fingerprint="rows")
        assert ran == []
    with Ledger.open(path) as ledger:
        assert ledger.verify().unanswered >= 1
        assert ask(ledger, "room again").fresh


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = new(tmp_path, epsilon=1000)
    out, into = os.pipe()

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
        with Ledger.open(path) as ledger:
            for i in range(1000):
                try:
                    ask(ledger, i, "x" * 2000)
                except LedgerError as error:
                    assert "disk" in str(error)  # noqa: PT017 - in a child
                    return
                os.write(into, f"{i}\n".encode())
        raise AssertionError

    wait(child(work))
    os.close(into)
    with os.fdopen(out) as lines:
        answered = {int(line) for line in lines}
    charged = {body["question"]["q"] for body in charges(path)}
    assert answered
    assert answered <= charged
    with Ledger.open(path) as ledger:
        assert ask(ledger, 0, "other").answer == "x" * 2000
        assert ask(ledger, "more").fresh


def test_a_file_that_can_only_be_read() -> None:
    # Not tmp_path: others must be able to read it when root gives up its rights.
    with tempfile.TemporaryDirectory() as folder:
        path = new(Path(folder))
        with Ledger.open(path) as ledger:
            ask(ledger, 0)
        path.chmod(0o444)
        Path(folder).chmod(0o555)

        def work() -> None:
            if os.getuid() == 0:
                os.setuid(65534)
            with Ledger.open(path, analyst="reader") as ledger:
                assert ledger.read_only
                assert ledger.verify().spent == 10_000_000
                assert len(ledger.statement().charges) == 1
                assert not ask(ledger, 0).fresh  # what was paid for can be read
                ran: list[int] = []
                with pytest.raises(LedgerError, match="can only be read"):
                    ledger.ask({}, HUNDREDTH, lambda: ran.append(1), fingerprint="rows")
                assert ran == []

        wait(child(work))
        Path(folder).chmod(0o755)


def change(path: Path, *statements: str) -> None:
    """Change a ledger by hand, as someone who may write the file can."""
    connection = sqlite3.connect(path, isolation_level=None)
    for name in ("no_update", "no_delete", "in_order"):
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    connection.close()


def with_triggers(path: Path, good: Path) -> None:
    """Put the triggers back, so that only the entries tell."""
    connection = sqlite3.connect(path, isolation_level=None)
    source = sqlite3.connect(good)
    for (text,) in source.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'"):
        connection.execute(text)
    source.close()
    connection.close()


CHANGES = {
    "amount": "UPDATE entries SET amount = 1 WHERE sequence = 3",
    "spent": "UPDATE entries SET spent = 0 WHERE sequence = 6",
    "body": "UPDATE entries SET body = replace(body, '\"amount\":10000000', '\"amount\":1')",
    "budget": "UPDATE entries SET body = replace(body, '\"budget\":1', '\"budget\":9')",
    "answer": 'UPDATE entries SET body = replace(body, \'"answer":"1"\', \'"answer":"2"\')',
    "deleted": "DELETE FROM entries WHERE sequence = 3",
    "first": "DELETE FROM entries WHERE sequence = 0",
    "all": "DELETE FROM entries",
    "kind": "UPDATE entries SET kind = 'bind' WHERE sequence = 3",
    "key": "UPDATE entries SET key = 'x' WHERE sequence = 4",
    "hash": "UPDATE entries SET hash = 'x' WHERE sequence = 4",
    "blob": "UPDATE entries SET body = CAST(body AS BLOB) WHERE sequence = 4",
    "added": "INSERT INTO entries VALUES (7, 'answer', 0, 30000000, 'k', '{}', 'h')",
}


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = new(tmp_path_factory.mktemp("three"))
    with Ledger.open(path) as ledger:
        for i in range(3):
            ask(ledger, i)
    return path


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_by_hand_is_found(three: Path, tmp_path: Path, what: str) -> None:
    path = tmp_path / "changed.ledger"
    shutil.copy(three, path)
    change(path, CHANGES[what])
    with_triggers(path, three)
    with pytest.raises(LedgerError, match=r"damaged or was tampered with|has no entries"):
        Ledger.open(path)


def test_missing_triggers_are_found(three: Path, tmp_path: Path) -> None:
    path = tmp_path / "changed.ledger"
    shutil.copy(three, path)
    change(path)
    with pytest.raises(LedgerError, match="triggers"):
        Ledger.open(path)


def test_triggers_forbid_changes(three: Path) -> None:
    connection = sqlite3.connect(three, isolation_level=None)
    for statement in (
        "UPDATE entries SET amount = 0",
        "DELETE FROM entries",
        "INSERT INTO entries VALUES (0, 'create', 0, 0, NULL, '{}', 'h')",
        "INSERT OR REPLACE INTO entries VALUES (0, 'create', 0, 0, NULL, '{}', 'h')",
        "INSERT INTO entries VALUES (99, 'answer', 0, 0, NULL, '{}', 'h')",
    ):
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(statement)
    connection.close()
    Ledger.open(three).close()


def test_a_change_while_the_ledger_is_open_is_found(three: Path, tmp_path: Path) -> None:
    path = tmp_path / "changed.ledger"
    shutil.copy(three, path)
    with Ledger.open(path) as ledger:
        change(path, CHANGES["answer"])
        with pytest.raises(LedgerError, match="entry 2 was changed"):
            ask(ledger, 0)
        with pytest.raises(LedgerError, match="triggers"):
            ledger.verify()


def test_a_rollback_while_the_ledger_is_open_is_found(three: Path, tmp_path: Path) -> None:
    path, ran = tmp_path / "changed.ledger", list[int]()
    shutil.copy(three, path)
    with Ledger.open(path) as ledger:
        change(path, "DELETE FROM entries WHERE sequence > 2")
        with pytest.raises(LedgerError, match="entry 6 is gone"):
            ledger.ask({}, HUNDREDTH, lambda: ran.append(1), fingerprint="rows")
    assert ran == []


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_truncated_file_is_found(three: Path, tmp_path: Path, share: float) -> None:
    path = tmp_path / "cut.ledger"
    data = three.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(LedgerError, match=r"damaged|not a ledger|failed"), Ledger.open(path) as cut:
        cut.verify()


def test_overwritten_bytes_are_found(three: Path, tmp_path: Path) -> None:
    data = bytearray(three.read_bytes())
    rng = random.Random(0)
    refusals = 0
    for run in range(30):
        damaged = data.copy()
        place = rng.randrange(100, len(data) - 64)
        damaged[place : place + 64] = bytes(rng.randrange(256) for _ in range(64))
        path = tmp_path / f"{run}.ledger"
        path.write_bytes(damaged)
        try:
            with Ledger.open(path) as ledger:
                checked = ledger.verify()
        except LedgerError:
            refusals += 1
        else:
            # The bytes hit a part of the file that holds nothing.
            assert (checked.entries, checked.spent) == (7, 30_000_000)
    assert refusals > 3


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0", b"a,b\n1,2\n" * 500])
def test_a_file_that_is_no_ledger(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.ledger"
    path.write_bytes(content)
    with pytest.raises(LedgerError, match="not a ledger"):
        Ledger.open(path)
    assert path.read_bytes() == content


def test_another_database_is_no_ledger(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE entries (a)")
    connection.close()
    with pytest.raises(LedgerError, match="not a ledger"):
        Ledger.open(path)


def test_a_newer_ledger_is_refused(three: Path, tmp_path: Path) -> None:
    path = tmp_path / "newer.ledger"
    shutil.copy(three, path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=2")
    connection.close()
    with pytest.raises(LedgerError, match="version 2"):
        Ledger.open(path)


def test_an_old_copy_is_found_by_a_head_that_was_kept(tmp_path: Path) -> None:
    path, old = new(tmp_path), tmp_path / "old.ledger"
    with Ledger.open(path) as ledger:
        first = ask(ledger, 0)
    shutil.copy(path, old)
    with Ledger.open(path) as ledger:
        entry = ask(ledger, 1)
        head = ledger.statement().head
    assert head == entry.head
    Ledger.open(path, at_least=head).close()
    shutil.copy(old, path)
    # In itself the old copy is whole: the file alone cannot tell.
    with Ledger.open(path, at_least=first.head) as ledger:
        assert ledger.spent == 10_000_000
    with pytest.raises(LedgerError, match="put back to an older copy"):
        Ledger.open(path, at_least=head)


def test_a_witness_finds_an_old_copy(tmp_path: Path) -> None:
    path, old, witness = tmp_path / "a.ledger", tmp_path / "old", tmp_path / "far" / "witness"
    witness.parent.mkdir()
    Ledger.create(path, fingerprint="rows", epsilon=1, witness=witness).close()
    shutil.copy(path, old)
    with Ledger.open(path, witness=witness) as ledger:
        entry = ask(ledger, 1)
    assert entry.head in witness.read_text()
    Ledger.open(path, witness=witness).close()
    shutil.copy(old, path)
    with pytest.raises(LedgerError, match="put back to an older copy"):
        Ledger.open(path, witness=witness)
    with pytest.raises(LedgerError, match="remembers another ledger"):
        Ledger.create(tmp_path / "b.ledger", epsilon=1, witness=witness)
    witness.write_text("no witness")
    with pytest.raises(LedgerError, match="cannot be read"):
        Ledger.open(path, witness=witness)


def test_a_witness_that_cannot_be_written_stops_the_answer(tmp_path: Path) -> None:
    path, ran = new(tmp_path), list[int]()
    with Ledger.open(path, witness=tmp_path / "no folder" / "witness") as ledger:
        with pytest.raises(LedgerError, match="witness"):
            ledger.ask({}, HUNDREDTH, lambda: ran.append(1), fingerprint="rows")
        assert ledger.spent == 10_000_000
    assert ran == []


def test_a_ledger_that_is_replaced_or_removed_while_open(tmp_path: Path) -> None:
    path, other = new(tmp_path), tmp_path / "other"
    with Ledger.open(path) as ledger:
        ask(ledger, 0)
        shutil.copy(path, other)
        os.replace(other, path)
        with pytest.raises(LedgerError, match="was replaced"):
            ask(ledger, 1)
        path.unlink()
        with pytest.raises(LedgerError, match="no longer there"):
            ask(ledger, 1)


def test_a_lock_that_is_never_released(tmp_path: Path) -> None:
    path, ran = new(tmp_path), list[int]()
    other = sqlite3.connect(path, isolation_level=None)
    with Ledger.open(path, timeout=0.1) as ledger:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="locked for too long"):
            ledger.ask({}, HUNDREDTH, lambda: ran.append(1), fingerprint="rows")
        other.execute("ROLLBACK")
        assert ran == []
        assert ledger.spent == 0
        assert ask(ledger, 0).fresh
    other.close()


def test_the_file_alone_holds_every_charge_that_was_answered(tmp_path: Path) -> None:
    """After kill -9, whoever copies the one file copies the whole account."""
    rng = random.Random(2)
    path = new(tmp_path, epsilon=1000)
    copied = tmp_path / "copy" / "people.ledger"
    copied.parent.mkdir()
    for run in range(10):
        seen = _killed(path, run, rng)
        shutil.copyfile(path, copied)
        try:
            charged = {body["question"]["q"] for body in charges(copied)}
        except LedgerError:
            # Killed in the midst of writing: the copy is refused, never believed.
            assert Path(f"{path}-journal").exists()
            continue
        assert seen["computed"] <= charged
        assert not Path(f"{path}-wal").exists()


def _killed(path: Path, run: int, rng: random.Random) -> dict[str, set[str]]:
    seen: dict[str, set[str]] = {"computed": set(), "answered": set()}
    out, into = os.pipe()
    pid = child(lambda: asker(path, run, run, into))
    os.close(into)
    with os.fdopen(out) as lines:
        reports = [lines.readline() for _ in range(1 + rng.randrange(4))]
        time.sleep(rng.random() * 0.02)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        reports += lines
    for line in reports:
        what, name = line.split()
        seen[what].add(name)
    return seen


def test_an_earlier_ledger_becomes_one_file(tmp_path: Path) -> None:
    path = new(tmp_path)
    connection = sqlite3.connect(path, isolation_level=None)
    assert connection.execute("PRAGMA journal_mode=WAL").fetchone()[0] == "wal"
    connection.execute("PRAGMA user_version=1")  # stays in the log alone
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM entries").fetchall()
    with pytest.raises(LedgerError, match="made one file"):
        Ledger.open(path, timeout=0.05)
    connection.execute("COMMIT")
    connection.close()
    with Ledger.open(path) as ledger:
        ask(ledger, 1)
        assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes()[18:20] == b"\x01\x01"
    copied = tmp_path / "copy.ledger"
    shutil.copyfile(path, copied)
    assert len(charges(copied)) == 1


def test_an_earlier_ledger_can_be_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    path = new(tmp_path)
    with Ledger.open(path) as ledger:
        ask(ledger, 1)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.close()
    path.chmod(0o400)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "access", lambda *_: False)  # as root everything can be written
        with Ledger.open(path) as ledger:
            assert ledger.read_only
            assert ledger.spent == NANO // 100
