"""The ledger: charges, refusals, repeated questions, binding to a table, and bad input."""

from __future__ import annotations

import copy
import math
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsam
from sparsam._errors import BudgetError, LedgerError, ParameterError, SparsamError
from sparsam.explore import Cost, Declared, Ledger, declared, gaussian_cost, laplace_cost
from sparsam.explore._private_table import PrivateTable
from sparsam.explore.ledger._accounts import epsilon_from_rho
from sparsam.explore.ledger._amounts import NANO
from sparsam.explore.ledger._chain import canonical, digest
from sparsam.explore.ledger._costs import Event, choice_cost, sequential, training_cost


class Table:
    """Stands for a table that knows its fingerprint."""

    def __init__(self, rows: str) -> None:
        self.rows = rows

    def fingerprint(self, salt: str) -> str:
        return digest(salt, self.rows)


class Counter:
    """A computation that can say how often it ran."""

    def __init__(self, answer: Any = 7) -> None:
        self.answer = answer
        self.calls = 0

    def __call__(self) -> Any:
        self.calls += 1
        return self.answer


@pytest.fixture
def pure(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.create(
        tmp_path / "pure.ledger", fingerprint="rows", epsilon=1, analyst="ada"
    ) as ledger:
        yield ledger


@pytest.fixture
def approximate(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.create(
        tmp_path / "two.ledger", fingerprint="rows", epsilon=2, delta=1e-6
    ) as ledger:
        yield ledger


def test_ten_times_a_tenth_is_one(pure: Ledger) -> None:
    for i in range(10):
        pure.ask({"i": i}, laplace_cost(0.1), Counter(), fingerprint="rows")
    assert pure.spent == pure.budget == NANO
    assert pure.remaining == 0
    counter = Counter()
    with pytest.raises(BudgetError, match="nothing is left"):
        pure.ask({"i": 10}, laplace_cost("1e-9"), counter, fingerprint="rows")
    assert counter.calls == 0


def test_a_refusal_says_all_and_costs_nothing(pure: Ledger) -> None:
    pure.ask({"i": 0}, laplace_cost("0.9"), Counter(), fingerprint="rows")
    counter = Counter()
    head = pure.head
    with pytest.raises(BudgetError) as caught:
        pure.ask({"i": 1}, laplace_cost("0.3"), counter, fingerprint="rows")
    error = caught.value
    assert (error.requested, error.remaining, error.missing) == (3 * 10**8, 10**8, 2 * 10**8)
    assert error.fits == {"laplace": 10**8, "choice": 10**8} == pure.largest()
    for text in ("costs 0.3", "0.1 of 1 is left", "0.2 too little", "laplace epsilon 0.1"):
        assert text in str(error)
    assert counter.calls == 0
    assert pure.head == head
    # What would fit does fit, and the rest stays usable.
    assert pure.affords(laplace_cost("0.1"))
    assert not pure.affords(laplace_cost("0.100000001"))
    pure.ask({"i": 1}, laplace_cost("0.1"), counter, fingerprint="rows")
    assert pure.remaining == 0


def test_what_fits_under_rho(approximate: Ledger) -> None:
    for kind, priced in (
        ("laplace", laplace_cost),
        ("choice", choice_cost),
        ("gaussian", gaussian_cost),
    ):
        most = approximate.largest()[kind]
        assert approximate.affords(priced(f"{most}e-9"))
        assert not approximate.affords(priced(f"{most + 1}e-9"))


def test_the_order_of_things(pure: Ledger) -> None:
    seen: list[tuple[int, str]] = []

    def compute() -> int:
        # The charge is on the disk before anything is computed: another connection sees it.
        with Ledger.open(pure.path) as other:
            seen.append((other.spent, other.entries()[-1]["kind"]))
        return 5

    entry = pure.ask({"q": 1}, laplace_cost(0.25), compute, fingerprint="rows", purpose="why")
    assert seen == [(250_000_000, "reserve")]
    kinds = [body["kind"] for body in pure.entries()]
    assert kinds == ["create", "reserve", "answer"]
    assert (entry.answer, entry.sequence, entry.fresh, entry.amount) == (5, 1, True, 250_000_000)
    assert entry.head == pure.head == pure.entries()[-1]["hash"]
    assert pure.entries()[1]["analyst"] == "ada"
    assert pure.entries()[1]["purpose"] == "why"


def test_the_same_question_is_free_and_gets_the_same_answer(pure: Ledger) -> None:
    counter = Counter({"cells": [1, 2.5, None], "name": "é"})
    first = pure.ask({"a": 1, "b": [1, 2]}, laplace_cost(0.5), counter, fingerprint="rows")
    again = pure.ask({"b": (1, 2), "a": 1}, laplace_cost("0.5"), counter, fingerprint="rows")
    assert again.answer == first.answer == {"cells": [1, 2.5, None], "name": "é"}
    assert (again.fresh, again.amount, again.sequence) == (False, 0, first.sequence)
    pure.close()
    with Ledger.open(pure.path) as reopened:
        once_more = reopened.ask(
            {"a": 1, "b": [1, 2]}, laplace_cost(0.5), counter, fingerprint="rows"
        )
        assert once_more.answer == first.answer
        assert not once_more.fresh
        assert reopened.spent == 500_000_000
    assert counter.calls == 1


def test_more_accuracy_is_another_question(pure: Ledger) -> None:
    counter = Counter()
    for epsilon in ("0.1", "0.2"):
        assert pure.ask({"a": 1}, laplace_cost(epsilon), counter, fingerprint="rows").fresh
    assert pure.ask({"a": 1}, choice_cost("0.2"), counter, fingerprint="rows").fresh
    assert counter.calls == 3
    assert pure.spent == 500_000_000


def test_an_answer_is_the_same_the_first_time_and_later(pure: Ledger) -> None:
    given_out = pure.ask({}, laplace_cost(0.1), lambda: {1: (2, 3)}, fingerprint="rows").answer
    later = pure.ask({}, laplace_cost(0.1), lambda: None, fingerprint="rows").answer
    assert given_out == later == {"1": [2, 3]}


def failing_count() -> int:
    secret = "Grace Hopper, 1906"
    raise ValueError(secret)


@pytest.mark.parametrize("compute", [failing_count, lambda: math.nan, object, lambda: [math.inf]])
def test_a_failure_stays_charged_and_says_nothing(pure: Ledger, compute: Any) -> None:
    with pytest.raises(LedgerError, match="was charged") as caught:
        pure.ask({"q": 1}, laplace_cost(0.4), compute, fingerprint="rows")
    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None
    shown = "".join(traceback.format_exception(error)) + repr(pure.entries())
    assert "Hopper" not in shown
    assert "ValueError" not in shown
    assert pure.spent == 400_000_000
    assert pure.entries()[-1]["kind"] == "failed"
    assert pure.verify().unanswered == 0
    # A question that got no answer is charged again.
    entry = pure.ask({"q": 1}, laplace_cost(0.4), Counter(), fingerprint="rows")
    assert (entry.answer, entry.fresh) == (7, True)
    assert pure.spent == 800_000_000


def test_an_interrupt_stays_charged(pure: Ledger) -> None:
    def compute() -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pure.ask({"q": 1}, laplace_cost(0.4), compute, fingerprint="rows")
    assert pure.spent == 400_000_000
    assert pure.verify().unanswered == 1
    assert pure.ask({"q": 1}, laplace_cost(0.4), Counter(), fingerprint="rows").fresh


def test_a_question_must_cost_something(pure: Ledger) -> None:
    with pytest.raises(LedgerError, match="must cost something"):
        pure.ask({"q": 1}, sequential([]), Counter(), fingerprint="rows")
    assert pure.spent == 0


def test_a_pure_ledger_refuses_what_has_no_epsilon(pure: Ledger) -> None:
    counter = Counter()
    with pytest.raises(LedgerError, match="create the ledger with a delta"):
        pure.ask({"q": 1}, gaussian_cost(0.01), counter, fingerprint="rows")
    with pytest.raises(LedgerError, match="only from a ledger with a delta"):
        pure.charge_training(1.0, 0.01, 10)
    assert counter.calls == 0
    assert pure.spent == 0
    assert (pure.delta, pure.order, pure.unit, pure.epsilon) == (None, None, "epsilon", 1.0)


def test_an_account_of_rho(approximate: Ledger) -> None:
    assert (approximate.unit, approximate.order, approximate.delta) == ("rho", 12, 1e-6)
    assert epsilon_from_rho(approximate.budget / NANO, 1e-6, 12) <= approximate.epsilon == 2
    approximate.ask({"q": 1}, laplace_cost(0.1), Counter(), fingerprint="rows")
    approximate.ask({"q": 2}, gaussian_cost(0.01), Counter(), fingerprint="rows")
    approximate.ask({"q": 3}, choice_cost(0.2), Counter(), fingerprint="rows")
    assert approximate.spent == 5_000_000 + 10_000_000 + 5_000_000


def test_training_and_exploring_share_the_account(approximate: Ledger) -> None:
    for i in range(102):
        approximate.ask({"q": i}, laplace_cost(0.01), Counter(), fingerprint="rows")
    entry = approximate.charge_training(1.2, 0.01, 1028, purpose="classifier")
    assert entry.answer is None
    assert entry.amount == training_cost(1.2, 0.01, 1028, order=12).rho
    assert approximate.spent == 102 * 50_000 + entry.amount
    with pytest.raises(BudgetError, match="too little"):
        approximate.charge_training(1.2, 0.01, 1028)  # a second run is not free
    assert approximate.verify().spent == approximate.spent


def test_training_is_priced_at_the_order_of_the_ledger(approximate: Ledger) -> None:
    with pytest.raises(LedgerError, match="the ledger's order, 12"):
        approximate.ask({}, training_cost(2.0, 0.01, 10, order=11), Counter(), fingerprint="rows")
    with pytest.raises(LedgerError, match="another one"):
        approximate.charge_training(2.0, 0.01, 10, fingerprint="other rows")
    assert approximate.spent == 0


def test_an_order_can_be_chosen(tmp_path: Path) -> None:
    with Ledger.create(tmp_path / "a", epsilon=2, delta=1e-6, order=9) as ledger:
        assert ledger.order == 9
        assert epsilon_from_rho(ledger.budget / NANO, 1e-6, 9) <= 2
        assert ledger.budget == pytest.approx(73_900_000, rel=0.01)


def test_another_table_is_refused(tmp_path: Path) -> None:
    path, counter = tmp_path / "a.ledger", Counter()
    with Ledger.create(path, Table("one"), epsilon=1) as ledger:
        ledger.ask({"q": 1}, laplace_cost(0.1), counter, fingerprint=Table("one"))
        for other in (Table("two"), "one"):
            with pytest.raises(LedgerError, match="this is another one"):
                ledger.ask({"q": 1}, laplace_cost(0.1), counter, fingerprint=other)
        # The fingerprint can be handed over as a text as well.
        text = Table("one").fingerprint(ledger.salt)
        assert not ledger.ask({"q": 1}, laplace_cost(0.1), counter, fingerprint=text).fresh
        assert ledger.fingerprint not in (None, text)
        assert ledger.spent == 100_000_000
    assert counter.calls == 1


def test_a_ledger_without_a_table_takes_the_first(tmp_path: Path) -> None:
    path = tmp_path / "a.ledger"
    with Ledger.create(path, epsilon=1) as ledger:
        assert ledger.fingerprint is None
        with pytest.raises(BudgetError):
            ledger.ask({"q": 1}, laplace_cost(2), Counter(), fingerprint=Table("two"))
        assert ledger.fingerprint is None
        ledger.ask({"q": 1}, laplace_cost(0.1), Counter(), fingerprint=Table("one"))
        assert ledger.fingerprint is not None
        assert [body["kind"] for body in ledger.entries()][1:] == ["bind", "reserve", "answer"]
    with Ledger.open(path) as ledger, pytest.raises(LedgerError, match="another one"):
        ledger.ask({"q": 2}, laplace_cost(0.1), Counter(), fingerprint=Table("two"))


def test_a_copy_is_the_same_budget(pure: Ledger) -> None:
    assert copy.deepcopy({"ledger": pure})["ledger"] is pure


def test_salts_differ(tmp_path: Path) -> None:
    with (
        Ledger.create(tmp_path / "a", Table("one"), epsilon=1) as first,
        Ledger.create(tmp_path / "b", Table("one"), epsilon=1) as second,
    ):
        assert first.salt != second.salt
        assert first.fingerprint != second.fingerprint


def test_domains_and_note_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.ledger"
    given = {"sex": ["f", "m"], "age": (0, 99, "integer")}
    Ledger.create(path, epsilon=1, domains=given, note="study").close()
    with Ledger.open(path) as ledger:
        assert Declared.from_dict(ledger.domains) == declared(given)
        assert Declared.from_dict(ledger.domains).names == ("sex", "age")
        assert ledger.note == "study"
    with pytest.raises(SparsamError):
        Ledger.create(tmp_path / "b.ledger", epsilon=1, domains={"a": (0, math.nan)})
    assert not (tmp_path / "b.ledger").exists()


def test_a_ledger_is_bound_to_any_table(tmp_path: Path) -> None:
    people = {"age": [30, 41, 52], "sex": ["f", "m", "m"]}
    other = {**people, "age": [30, 41, 53]}
    (tmp_path / "people.csv").write_text("age,sex\n30,f\n")
    known = declared({"sex": ["f", "m"]})
    tables = [(people, other), (pd.DataFrame(people), pd.DataFrame(other))]
    tables += [(sparsam.read(people), sparsam.read(other)), (tmp_path / "people.csv", people)]
    tables += [(str(tmp_path / "people.csv"), people), (PrivateTable(people, known), other)]
    for place, (data, another) in enumerate(tables):
        with Ledger.create(tmp_path / f"{place}", data, epsilon=1) as ledger:
            asked = data if isinstance(data, PrivateTable) else PrivateTable(data, known)
            ledger.ask({"q": 1}, laplace_cost(0.1), Counter(), fingerprint=asked)
            wrong = PrivateTable(another, known)
            with pytest.raises(LedgerError, match="another one"):
                ledger.ask({"q": 2}, laplace_cost(0.1), Counter(), fingerprint=wrong)
    with pytest.raises(ParameterError, match="not both"):
        Ledger.create(tmp_path / "x", people, fingerprint="rows", epsilon=1)
    with pytest.raises(SparsamError, match="Found none"):
        Ledger.create(tmp_path / "x", "no.csv", epsilon=1)
    with pytest.raises(SparsamError, match="height"):
        Ledger.create(tmp_path / "x", people, epsilon=1, domains={"height": (0, 250)})
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, "x", None, "1e-10"])
def test_a_budget_must_be_above_zero(tmp_path: Path, epsilon: Any) -> None:
    for delta in (None, 1e-6):
        with pytest.raises(ParameterError, match="'epsilon' must be"):
            Ledger.create(tmp_path / "a.ledger", epsilon=epsilon, delta=delta)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("delta", [0, 1, -1e-6, 1.1, math.nan, math.inf, "x"])
def test_delta_must_lie_between_0_and_1(tmp_path: Path, delta: Any) -> None:
    with pytest.raises(ParameterError, match="'delta' must"):
        Ledger.create(tmp_path / "a.ledger", epsilon=1, delta=delta)
    assert list(tmp_path.iterdir()) == []


def test_other_bad_input(pure: Ledger, tmp_path: Path) -> None:
    ask: Any = pure.ask
    with pytest.raises(ParameterError, match="'question' must be a dict"):
        ask("count", laplace_cost(0.1), Counter(), fingerprint="rows")
    with pytest.raises(ParameterError, match="'question' must be plain data"):
        ask({"q": math.nan}, laplace_cost(0.1), Counter(), fingerprint="rows")
    with pytest.raises(ParameterError, match="'purpose' must be a text"):
        ask({}, laplace_cost(0.1), Counter(), fingerprint="rows", purpose=3)
    with pytest.raises(ParameterError, match="'order' must be left out"):
        Ledger.create(tmp_path / "b.ledger", epsilon=1, order=8)
    with pytest.raises(ParameterError, match=r"'order' .* must be an int"):
        Ledger.create(tmp_path / "b.ledger", epsilon=1, delta=1e-6, order=1)
    assert pure.spent == 0
    assert issubclass(BudgetError, LedgerError)
    assert issubclass(LedgerError, SparsamError)


def test_creating_over_a_file_is_refused(pure: Ledger, tmp_path: Path) -> None:
    pure.ask({}, laplace_cost(0.5), Counter(), fingerprint="rows")
    with pytest.raises(LedgerError, match="exists already"):
        Ledger.create(pure.path, epsilon=100)
    assert pure.spent == 500_000_000
    (tmp_path / "text.csv").write_text("a,b\n")
    with pytest.raises(LedgerError, match="exists already"):
        Ledger.create(tmp_path / "text.csv", epsilon=1)
    assert (tmp_path / "text.csv").read_text() == "a,b\n"


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="cannot be created"):
        Ledger.create(tmp_path / "no folder" / "a.ledger", epsilon=1)
    with pytest.raises(LedgerError, match="no ledger at"):
        Ledger.open(tmp_path / "no folder" / "a.ledger")
    with pytest.raises(LedgerError, match="no ledger at"):
        Ledger.open(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_odd_names_of_files(tmp_path: Path) -> None:
    path = tmp_path / "a?mode=memory#é %41.ledger"
    with Ledger.create(path, epsilon=1) as ledger:
        ledger.ask({}, laplace_cost(0.5), Counter(), fingerprint="rows")
    assert path.is_file()
    with Ledger.open(path) as ledger:
        assert ledger.spent == 500_000_000


def test_a_closed_ledger_says_so(pure: Ledger) -> None:
    pure.close()
    pure.close()
    with pytest.raises(LedgerError, match="is closed"):
        _ = pure.spent
    with pytest.raises(LedgerError, match="is closed"):
        pure.ask({}, laplace_cost(0.1), Counter(), fingerprint="rows")


def test_repr_tells_the_budget(pure: Ledger) -> None:
    assert repr(pure) == "<Ledger 'pure.ledger' of 1 epsilon>"


def test_entries_hide_the_fingerprint(pure: Ledger) -> None:
    shown = repr(pure.entries())
    assert pure.salt not in shown
    assert str(pure.fingerprint) not in shown


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
).filter(lambda value: "inf" not in repr(value))


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_a_question_has_one_text(question: dict[str, Any]) -> None:
    turned = dict(reversed(question.items()))
    assert canonical(question, "question") == canonical(turned, "question")


def test_costs_that_differ_in_noise_only_differ(pure: Ledger) -> None:
    """A cost that was made by hand cannot fetch the answer of another one."""
    pure.ask({}, laplace_cost(0.1), Counter(1), fingerprint="rows")
    other_noise = Cost(10**8, 5 * 10**6, (Event(noise="laplace", scale=11.0),))
    assert pure.ask({}, other_noise, Counter(2), fingerprint="rows").answer == 2


def test_a_ledger_that_an_earlier_version_bound_still_pays(tmp_path: Path) -> None:
    """It holds the digest of the values in their order, and not that of the rows in any order."""
    frame = pd.DataFrame({"age": [30, 41, 52], "sex": ["f", "m", "f"]})
    domains = declared({"age": (0, 99, "integer")})
    table, place = PrivateTable(frame, domains), tmp_path / "old.ledger"
    with Ledger.create(place, epsilon=3, domains=domains) as ledger:
        former = table.former_fingerprint(ledger.salt)
        ledger.ask({"n": 1}, laplace_cost(1), Counter(), fingerprint=former)
        bound = ledger.fingerprint
        assert bound is not None
        assert not bound.startswith("rows:")
        for same in (frame, frame.iloc[:, ::-1], duckdb.from_df(frame)):
            opened = PrivateTable(same, domains)
            assert ledger.ask({"n": 1}, laplace_cost(1), Counter(), fingerprint=opened).amount == 0
        for other in (frame.iloc[::-1], frame.assign(age=1), tmp_path / "people.csv"):
            frame.to_csv(tmp_path / "people.csv", index=False)
            with pytest.raises(LedgerError, match="this is another one"):
                ledger.ask(
                    {"n": 1}, laplace_cost(1), Counter(), fingerprint=PrivateTable(other, domains)
                )


def test_rows_are_one_table_in_any_order_and_in_any_engine(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [30, 41, 52], "sex": ["f", "m", "f"]})
    domains = declared({"age": (0, 99, "integer")})
    with Ledger.create(tmp_path / "new.ledger", frame, epsilon=3, domains=domains) as ledger:
        bound = ledger.fingerprint
        assert bound is not None
        assert bound.startswith("rows:")
        for same in (frame.iloc[::-1], pl.from_pandas(frame).lazy(), duckdb.from_df(frame)):
            opened = PrivateTable(same, domains)
            ledger.ask({"n": 1}, laplace_cost(1), Counter(), fingerprint=opened)
        assert ledger.spent == NANO
        twice = pd.concat([frame, frame.iloc[:1]])
        with pytest.raises(LedgerError, match="this is another one"):
            ledger.ask(
                {"n": 2}, laplace_cost(1), Counter(), fingerprint=PrivateTable(twice, domains)
            )
        assert ledger.spent == NANO
