"""The statement: all that a data-protection officer needs, and nothing of a person."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sparsam._errors import LedgerError
from sparsam.explore import Ledger, Statement, gaussian_cost, laplace_cost
from sparsam.explore.ledger._costs import choice_cost
from sparsam.explore.ledger._statement import question_words

ANSWER = 987_654_321


def asked(path: Path, times: int = 3, **budget: object) -> Ledger:
    """Some questions of .01 each; 102 of them are the analysis of the paper."""
    ledger = Ledger.create(path, fingerprint="rows", analyst="ada", note="Census | study", **budget)  # type: ignore[arg-type]
    for i in range(times):
        question = {"count": "age", "cell": i}
        ledger.ask(question, laplace_cost(0.01), lambda: ANSWER, fingerprint="rows", purpose="look")
    return ledger


def test_a_statement_says_who_what_when_why_and_what_is_left(tmp_path: Path) -> None:
    with asked(tmp_path / "people.ledger", 102, epsilon="1.02") as ledger:
        statement = ledger.statement(delta=1e-6)
        assert isinstance(statement, Statement)
        assert (statement.budget, statement.spent, statement.remaining) == ("1.02", "1.02", "0")
        first = statement.charges[0]
        assert (first.analyst, first.purpose, first.amount) == ("ada", "look", "0.01")
        assert first.question == {"count": "age", "cell": 0}
        assert first.outcome == "answered"
        when = datetime.fromisoformat(first.time)
        assert when.tzinfo is not None
        assert abs((datetime.now(UTC) - when).total_seconds()) < 600
        assert statement.head == ledger.head
        assert len(statement.charges) == 102
        text = str(statement)
        assert first.noise == "Laplace, scale 100"
        assert text.splitlines()[1] == "budget 1.02 epsilon, spent 1.02, left 0"
        assert text.count("ada  {") == 102
        assert ledger.head in text


def test_epsilon_under_each_account(tmp_path: Path) -> None:
    pytest.importorskip("dp_accounting")
    with asked(tmp_path / "people.ledger", 102, epsilon="1.02") as ledger:
        pure, concentrated, whole = ledger.statement(delta=1e-6).accounts
    assert pure.epsilon == 1.02
    assert concentrated.epsilon == pytest.approx(0.4345, abs=5e-5)
    assert whole.epsilon == pytest.approx(0.396, abs=5e-4)


def test_training_has_its_place(tmp_path: Path) -> None:
    with asked(tmp_path / "people.ledger", epsilon=2, delta=1e-6) as ledger:
        ledger.charge_training(1.2, 0.01, 1028, purpose="classifier")
        statement = ledger.statement()
    pure, renyi, _ = statement.accounts
    assert pure.epsilon is None
    assert renyi.epsilon is not None
    assert 1.6 < renyi.epsilon < 2
    last = statement.charges[-1]
    assert (last.outcome, last.purpose) == ("charged", "classifier")
    assert last.noise == "DP-SGD"  # sampling rate and steps would give the number of rows
    assert "order 12" in str(statement)


def test_without_the_extra_the_statement_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "dp_accounting.pld", None)
    with asked(tmp_path / "people.ledger", epsilon=2) as ledger:
        account = ledger.statement().accounts[-1]
    assert account.epsilon is None
    assert "sparsam[accounting]" in account.note
    assert account.delta == 1e-6


def test_no_answer_and_no_fingerprint_in_it(tmp_path: Path) -> None:
    with asked(tmp_path / "people.ledger", epsilon=2) as ledger:
        statement = ledger.statement()
        for shown in (str(statement), json.dumps(statement.to_dict())):
            assert str(ANSWER) not in shown
            assert ledger.salt not in shown
            assert str(ledger.fingerprint) not in shown
            assert str(tmp_path) not in shown


def test_every_outcome(tmp_path: Path) -> None:
    def fail() -> int:
        raise ValueError

    def leave() -> int:
        raise KeyboardInterrupt

    with Ledger.create(tmp_path / "a", epsilon=1, delta=1e-6) as ledger:
        ledger.ask({"q": 1}, gaussian_cost(0.001), lambda: 1, fingerprint="rows")
        with pytest.raises(LedgerError):
            ledger.ask({"q": 2}, choice_cost(0.01), fail, fingerprint="rows")
        with pytest.raises(KeyboardInterrupt):
            ledger.ask({"q": 3}, choice_cost(0.01), leave, fingerprint="rows")
        statement = ledger.statement()
    assert [charge.outcome for charge in statement.charges] == ["answered", "failed", "no answer"]
    assert statement.unanswered == 1


def test_an_empty_ledger_has_a_statement(tmp_path: Path) -> None:
    with Ledger.create(tmp_path / "a", epsilon=1) as ledger:
        statement = ledger.statement()
    assert statement.charges == ()
    assert [account.epsilon for account in statement.accounts][:2] == [0, 0]
    assert str(statement).splitlines()[1] == "budget 1 epsilon, spent 0, left 1"


def test_a_text_of_an_analyst_stays_on_its_line(tmp_path: Path) -> None:
    purpose = "look\nbudget 9999 epsilon\x1b[2J"
    with Ledger.create(tmp_path / "a", epsilon=1, analyst="x\ny") as ledger:
        ledger.ask({"q": "\n"}, laplace_cost(0.1), lambda: 1, fingerprint="rows", purpose=purpose)
        lines = str(ledger.statement()).splitlines()
    assert not [line for line in lines if line.startswith("budget 9999")]
    assert not [line for line in lines if "\x1b" in line]
    (charge,) = [line for line in lines if "look" in line]
    assert r"x\u000ay" in charge
    shown = r"(look\u000abudget 9999 epsilon\u001b[2J)  0.1 epsilon, answered"
    assert charge.endswith(shown)


def test_questions_in_words() -> None:
    assert question_words({"ask": "count", "of": []}) == "number of rows"
    assert question_words({"ask": "own", "of": ["a"]}) == "own of a"
    long = question_words({"q": "x" * 500})
    assert len(long) == 160
    assert long.endswith("…")


def test_plain_data(tmp_path: Path) -> None:
    with Ledger.create(tmp_path / "a", epsilon=1) as ledger:
        ledger.ask({"q": 1}, laplace_cost(0.1), lambda: 1, fingerprint="rows")
        data = ledger.statement().to_dict()
    json.dumps(data)
    assert data["charges"][0]["question"] == {"q": 1}
    assert any("old copy" in limit for limit in data["limits"])
