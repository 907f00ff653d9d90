"""Charges are neither lost nor doubled, whatever the data or the file do."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparsam._errors import LedgerError, SparsamError
from sparsam.explore import Explorer, Ledger, explore_table, laplace_cost
from sparsam.explore._private_table import PrivateTable
from sparsam.explore.ledger import _ledger as ledger_module

pytest.importorskip("opendp")
PEOPLE = {"age": [20, 30, 41, 52] * 50, "sex": ["f", "m"] * 100}
DOMAINS = {"age": (0, 99, "integer"), "sex": ["f", "m"]}


@pytest.fixture
def ledger(tmp_path: Path):
    with Ledger.create(tmp_path / "l.ledger", PEOPLE, epsilon=90, domains=DOMAINS) as opened:
        yield opened


@pytest.mark.parametrize("fault", [ValueError, MemoryError, RecursionError, KeyboardInterrupt])
def test_a_failure_of_the_data_is_charged_once(ledger, monkeypatch, fault) -> None:
    explorer = Explorer(PEOPLE, ledger)

    def broken(*_: Any) -> Any:
        raise fault("the row of Mrs Jones")

    with monkeypatch.context() as patched:
        patched.setattr(PrivateTable, "tables", broken)
        with pytest.raises((LedgerError, KeyboardInterrupt)) as error:
            explorer.value_counts("sex", epsilon=1)
        if fault is not KeyboardInterrupt:
            assert "Jones" not in str(error.value)
            assert error.value.__cause__ is None
            assert error.value.__context__ is None
    assert ledger.spent == 10**9
    assert ledger.verify().unanswered == (1 if fault is KeyboardInterrupt else 0)
    explorer.value_counts("sex", epsilon=1)  # no answer was stored, so that this one is paid for
    assert ledger.spent == 2 * 10**9
    explorer.value_counts("sex", epsilon=1)
    assert ledger.spent == 2 * 10**9


def test_an_exploration_that_fails_half_way_goes_on_where_it_was(ledger, monkeypatch) -> None:
    whole, calls = PrivateTable.counts, []

    def second_fails(self: PrivateTable, *arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise OSError("the disk is gone")
        return whole(self, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(PrivateTable, "counts", second_fails)
        with pytest.raises(LedgerError, match="was charged"):
            explore_table(PEOPLE, ledger, epsilon=9)
    spent = [entry for entry in ledger.entries() if entry["kind"] == "reserve"]
    assert ledger.spent == sum(entry["amount"] for entry in spent)
    first = explore_table(PEOPLE, ledger, epsilon=9)
    paid = ledger.spent
    again = explore_table(PEOPLE, ledger, epsilon=9)
    assert ledger.spent == paid
    assert [a.to_dict()["values"] for a in first.answers] == [
        a.to_dict()["values"] for a in again.answers
    ]


def test_stored_answers_of_other_shapes(ledger, monkeypatch) -> None:
    """Whatever someone put into the place of an answer: a LedgerError, or an answer."""
    explore_table(PEOPLE, ledger, epsilon=9)
    explorer = Explorer(PEOPLE, ledger)
    explorer.quantiles("age", epsilon=1)
    spent, rng = ledger.spent, random.Random(0)
    values = [None, 0, -1, 1e308, "x", [], {}, [1, "a"], {"a": []}, [[1], [2, 3]]]

    def spoiled(value: Any) -> Any:
        if isinstance(value, dict) and value and rng.random() < 0.7:
            name = rng.choice(sorted(value))
            return {**value, name: spoiled(value[name])}
        if isinstance(value, list) and value and rng.random() < 0.7:
            place = rng.randrange(len(value))
            return [*value[:place], spoiled(value[place]), *value[place + 1 :]]
        return rng.choice(values)

    true = ledger_module._stored
    refusals = 0
    with monkeypatch.context() as patched, np.errstate(all="ignore"):
        patched.setattr(
            ledger_module,
            "_stored",
            lambda row, cost: type(e := true(row, cost))(
                json.loads(json.dumps(spoiled(e.answer))), e.sequence, e.head, e.cost, False, 0
            ),
        )
        for number in range(60):
            try:
                if number % 2:
                    explore_table(PEOPLE, ledger, epsilon=9)
                else:
                    explorer.quantiles("age", epsilon=1)
            except SparsamError:
                refusals += 1
    assert refusals > 5
    assert ledger.spent >= spent


def test_a_question_is_never_charged_twice_by_one_call(ledger) -> None:
    before = ledger.spent
    for number in range(5):
        ledger.ask({"q": number}, laplace_cost("0.1"), lambda: 1, fingerprint=PrivateTable(
            PEOPLE, Explorer(PEOPLE, ledger).declared))  # fmt: skip
        assert ledger.spent == before + (number + 1) * 10**8
