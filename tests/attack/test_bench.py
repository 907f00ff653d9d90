"""All adversaries in one call."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sparsam as sp
from sparsam._errors import DataError, ParameterError, RoleError
from sparsam.attack import (
    Attacks,
    Control,
    LeaveOneOut,
    Linkage,
    MultiBreach,
    NonPersonalKnowledge,
    PartialPersonalKnowledge,
    Reconstruction,
    Risk,
    SinglingOut,
    bound,
    run_attacks,
    task_for,
)
from sparsam.attack._bench import ADVERSARIES, SHARES
from sparsam.attack._statistics import wilson_interval
from sparsam.data import Split
from sparsam.generalization import Generalization

Make = Callable[..., Any]

NAMES = {
    "A1": "A1 reconstruction",
    "A3": "A3 non-personal knowledge",
    "A4": "A4 leave one out",
    "A5": "A5 partial personal knowledge",
    "A6": "A6 multi-breach",
    "A7": "A7 linkability",
    "A8": "A8 singling out",
    "control": "control (A1 on the sample)",
}
QUICK = Reconstruction(models=("look-up",), random_state=4)


@pytest.fixture(scope="module")
def people(make_split: Make) -> Split:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 6, 600)
    a = (x + rng.integers(0, 2, 600)) % 6
    columns = {"x": x, "a": a, "b": rng.integers(0, 3, 600), "n": 5 * x + rng.integers(0, 9, 600)}
    data: Split = make_split(columns, ["a", "b", "n"], numeric=["n"])
    return data


@pytest.fixture(scope="module")
def generalization(people: Split, make_generalization: Make) -> Generalization:
    artifact: Generalization = make_generalization(people, x=[0, 0, 1, 1, 2, 2], b=[0, 0, 1])
    return artifact


@pytest.fixture(scope="module")
def other(people: Split, make_generalization: Make) -> Generalization:
    artifact: Generalization = make_generalization(people, x=[0, 1, 0, 1, 0, 1])
    return artifact


@pytest.fixture(scope="module")
def everything(people: Split, generalization: Generalization, other: Generalization) -> Attacks:
    return run_attacks(generalization, people, others=[other], reconstruction=QUICK)


def _assert_finite(plain: Any) -> None:
    """Refuse NaN, infinities and everything that JSON does not know."""
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain


def test_all_in_order(everything: Attacks) -> None:
    surest = [f"A2 high-certainty reconstruction (surest {share:.0%})" for share in SHARES]
    expected = [NAMES["A1"], *surest, *(NAMES[f"A{i}"] for i in range(3, 9)), NAMES["control"]]
    adversaries = [risk.adversary for risk in everything.risks]
    assert [name for name in adversaries if name in expected] == expected
    assert tuple(dict.fromkeys(risk.id for risk in everything.risks)) == ADVERSARIES
    assert everything.complete
    assert {risk.random_state for risk in everything.risks} == {4}


def test_found_by_name(everything: Attacks) -> None:
    for name, adversary in NAMES.items():
        assert everything[name].adversary == adversary
        assert everything[adversary] is everything[name]
    assert everything["A2"].details["share"] == SHARES[0]
    for name in ("A0", "A", "", "reconstruction"):
        with pytest.raises(KeyError):
            everything[name]


def test_each_is_what_it_is_alone(
    everything: Attacks, people: Split, generalization: Generalization, other: Generalization
) -> None:
    guesses: dict[str, Any] = {
        "A1": QUICK,
        "A3": NonPersonalKnowledge(QUICK),
        "A4": LeaveOneOut(QUICK),
        "A5": PartialPersonalKnowledge(QUICK),
        "A6": MultiBreach([other], QUICK),
        "A7": Linkage(random_state=4),
        "A8": SinglingOut(random_state=4),
        "control": Control(QUICK),
    }
    for name, adversary in guesses.items():
        assert everything[name] == adversary.attack(generalization, people)
    assert everything.bounds == bound(generalization, people)


def test_chosen_ones_in_the_order_asked_for(
    everything: Attacks, people: Split, generalization: Generalization
) -> None:
    attacks = run_attacks(generalization, people, ["A8", "A4", "A1"], reconstruction=QUICK)
    assert [risk.adversary[:2] for risk in attacks.risks] == ["A8", "A4", "A1"]
    for name in ("A8", "A4", "A1"):
        assert attacks[name] == everything[name]
    [alone] = run_attacks(generalization, people, "A5", reconstruction=QUICK).risks
    assert alone == everything["A5"]
    assert run_attacks(generalization, people, []).risks == ()


def test_all_of_one_attribute_leaves_a7_out() -> None:
    """Who links needs something on each side."""
    people = sp.load_example().select(["disability", "employed"]).take(range(1000))
    data = sp.split(sp.resolve(people, sp.Roles("employed")))
    attacks = run_attacks(Generalization.nothing(data.train.table), data, reconstruction=QUICK)
    assert {risk.id for risk in attacks.risks} == {"A1", "A2", "A3", "A4", "A5", "A8", "control"}
    with pytest.raises(DataError, match="at least one attribute on each side"):
        run_attacks(Generalization.nothing(data.train.table), data, "A7")


def test_all_without_other_breaches_leaves_a6_out(
    people: Split, generalization: Generalization, other: Generalization
) -> None:
    asked: list[str] = []
    run_attacks(
        generalization,
        people,
        reconstruction=QUICK,
        progress=lambda done, total, name: asked.append(name),
    )
    assert asked == [*(name for name in ADVERSARIES if name != "A6"), "done"]
    with pytest.raises(ParameterError, match="A6 needs what else was published"):
        run_attacks(generalization, people, ["A1", "A6"])
    single, several = (
        run_attacks(generalization, people, "A6", others=others, reconstruction=QUICK)
        for others in (other, [other])
    )
    assert single == several


def test_progress(people: Split, generalization: Generalization) -> None:
    calls: list[tuple[int, int, str]] = []
    run_attacks(
        generalization,
        people,
        ["A8", "A1", SinglingOut()],
        reconstruction=QUICK,
        progress=lambda *call: calls.append(call),
    )
    assert calls == [(0, 3, "A8"), (1, 3, "A1"), (2, 3, "SinglingOut"), (3, 3, "done")]


def test_plain_data_and_words(everything: Attacks) -> None:
    plain = everything.to_dict()
    _assert_finite(plain)
    assert plain["complete"] is True
    assert len(plain["risks"]) == len(everything.risks)
    assert [bound["attribute"] for bound in plain["bounds"]] == ["a", "b", "n"]
    words = str(everything).splitlines()
    assert len(words) == len(everything.risks) + 3
    assert words[0].startswith("A1 reconstruction on all personal attributes: error")
    assert words[-3].startswith("No attack on these records")


@dataclass
class Mode:
    """Guess everybody's value of one attribute to be the most common one."""

    attribute: str

    def attack(self, generalization: Generalization, data: Split) -> Risk:
        column = data.train.names.index(self.attribute)
        mode = np.bincount(data.train.codes[:, column]).argmax()
        wrong = data.test.codes[:, column] != mode
        return Risk(
            adversary="mode",
            measure="error",
            attribute=self.attribute,
            value=float(wrong.mean()),
            baseline=float(wrong.mean()),
            interval=wilson_interval(int(wrong.sum()), len(wrong)),
            n=len(wrong),
            split="test",
            random_state=0,
        )


def test_an_adversary_of_ones_own(people: Split, generalization: Generalization) -> None:
    attacks = run_attacks(generalization, people, ["A1", Mode("a")], reconstruction=QUICK)
    assert attacks["mode"].attribute == "a"
    assert attacks["mode"].value == attacks["A1"].parts[0].baseline
    _assert_finite(attacks.to_dict())


class _Silent:
    def attack(self, generalization: Generalization, data: Split) -> Any:
        return 0.3


class _Idle:
    attack = "later"


@pytest.mark.parametrize(
    ("adversaries", "message"),
    [
        ("A0", r"must be one of .*'A8'.*'control'.* Got 'A0' instead"),
        (["A1", "all"], "Got 'all' instead"),
        ([object()], "object with an 'attack' method. object is not"),
        ([_Idle()], "_Idle is not"),
        ([Mode], "Mode is not"),
        ([None], "NoneType is not"),
        ([_Silent()], "'attack' method of _Silent must return a Risk. Got float"),
    ],
)
def test_bad_adversaries(
    adversaries: Any, message: str, people: Split, generalization: Generalization
) -> None:
    with pytest.raises(ParameterError, match=message):
        run_attacks(generalization, people, adversaries)


class _Interrupted:
    def attack(self, generalization: Generalization, data: Split) -> Risk:
        raise KeyboardInterrupt


def test_interrupted_work_keeps_what_is_finished(
    everything: Attacks, people: Split, generalization: Generalization
) -> None:
    attacks = run_attacks(
        generalization, people, ["A8", "A1", _Interrupted(), "A7"], reconstruction=QUICK
    )
    assert not attacks.complete
    assert attacks.risks == (everything["A8"], everything["A1"])
    assert attacks.bounds == ()
    assert attacks.to_dict()["complete"] is False


def test_interrupted_in_progress_and_at_the_end(
    monkeypatch: pytest.MonkeyPatch, people: Split, generalization: Generalization
) -> None:
    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    bench = importlib.import_module("sparsam.attack._bench")
    monkeypatch.setattr(bench, "bound", interrupt)
    attacks = run_attacks(generalization, people, ["A8"])
    assert (len(attacks.risks), attacks.complete) == (1, False)
    first = run_attacks(generalization, people, ["A8", "A1"], progress=_stop_at(1))
    assert ([risk.adversary for risk in first.risks], first.complete) == ([NAMES["A8"]], False)


def _stop_at(number: int) -> Callable[[int, int, str], None]:
    def show(done: int, total: int, name: str) -> None:
        if done == number:
            raise KeyboardInterrupt

    return show


def test_errors_are_not_swallowed(people: Split, generalization: Generalization) -> None:
    class Broken:
        def attack(self, generalization: Generalization, data: Split) -> Risk:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_attacks(generalization, people, ["A8", Broken()])


def test_the_top_level_offers_it(people: Split, generalization: Generalization) -> None:
    assert sp.run_attacks is run_attacks
    assert sp.attack.Linkage is Linkage
    assessed = sp.assess_generalization(generalization, people)
    assert assessed.risk.adversary == NAMES["A1"]
    with pytest.raises(TypeError, match="generalization"):
        sp.run_attacks()  # type: ignore[call-arg]


# Bad input.


def test_attributes_that_the_generalization_does_not_know(
    people: Split, generalization: Generalization
) -> None:
    partial = Generalization([p for p in generalization if p.name in ("a", "n")])
    for adversaries in ("all", ["A4"], ["A7"], ["A8"], ["control"], []):
        with pytest.raises(DataError, match=r"does not know \['x', 'b'\]\.\n\nHint"):
            run_attacks(partial, people, adversaries)
    with pytest.raises(DataError, match=r"does not know \['x', 'b'\]"):
        bound(partial, people)


def test_attributes_that_the_table_lacks_are_not_used(
    people: Split, generalization: Generalization, make_split: Make
) -> None:
    columns = {"x": np.arange(90) % 6, "b": np.arange(90) % 3}
    few = make_split(columns, ["b"])
    assert run_attacks(generalization, few, "A1", reconstruction=QUICK)["A1"].n > 0


def _frame(n_rows: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": np.arange(n_rows) % 40,
            "sex": np.where(np.arange(n_rows) % 3, "m", "f"),
            "works": np.where(np.arange(n_rows) % 2, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def saved() -> Generalization:
    table = sp.read(_frame(120)).select(["age", "sex"])
    about = {"target": "works", "personal": ["sex"]}
    return Generalization.identity(table).with_about(about)


def test_a_table_without_the_personal_attributes(saved: Generalization) -> None:
    with pytest.raises(DataError, match=r"\['sex'\] are absent"):
        task_for(saved, _frame(120).drop(columns="sex"))
    with pytest.raises(RoleError, match="'sexx' is not"):
        task_for(saved, _frame(120), sp.Roles(personal=["sexx"]))
    nobody = sp.split(task_for(saved, _frame(120), sp.Roles(personal=[])))
    with pytest.raises(DataError, match="at least one personal attribute"):
        sp.run_attacks(saved, nobody)
    alone = sp.run_attacks(saved, nobody, ["A7", "A8"])
    assert alone.bounds == ()
    _assert_finite(alone.to_dict())


@pytest.mark.parametrize("n_rows", [1, 2])
def test_one_record(n_rows: int, saved: Generalization) -> None:
    frame = _frame(120).iloc[[0, 1][:n_rows]]
    with pytest.raises(DataError):
        sp.split(task_for(saved, frame))


@pytest.mark.parametrize("n_rows", [3, 4, 7, 20])
def test_a_handful_of_records(n_rows: int, saved: Generalization) -> None:
    data = sp.split(task_for(saved, _frame(120).head(n_rows)))
    attacks = sp.run_attacks(saved, data, ["A1", "A2", "A3", "A4", "A5", "A6", "A8"], others=saved)
    _assert_finite(attacks.to_dict())
    with pytest.raises(DataError, match="at least 20 people"):
        sp.run_attacks(saved, data, ["control"])
    if data.test.n_rows > 1:
        _assert_finite(sp.run_attacks(saved, data, ["A7"]).to_dict())
    else:
        with pytest.raises(DataError, match="at least two people"):
            sp.run_attacks(saved, data, ["A7"])


def test_one_class(saved: Generalization) -> None:
    with pytest.raises(DataError, match="class"):
        task_for(saved, _frame(120).assign(works="yes"))


def test_everything_suppressed(people: Split) -> None:
    nothing = Generalization.nothing(people.train.table)
    attacks = run_attacks(nothing, people, others=nothing, reconstruction=QUICK)
    _assert_finite(attacks.to_dict())
    for name in ("A1", "A2", "A6"):
        assert attacks[name].advantage == pytest.approx(0.0, abs=1e-9)
    assert attacks["A8"].advantage == pytest.approx(0.0, abs=1e-9)
    assert attacks["A4"].value <= attacks["A1"].value


def test_everything_collected(people: Split) -> None:
    whole = Generalization.identity(people.train.table)
    attacks = run_attacks(whole, people, others=[whole], reconstruction=QUICK)
    _assert_finite(attacks.to_dict())
    for name in ("A1", "A2", "A3", "A4", "A5", "A6", "control"):
        assert attacks[name].value == 0.0
    assert all(bound.accuracy == 1.0 for bound in attacks.bounds)


def test_one_value_only(make_split: Make) -> None:
    data = make_split({"x": np.zeros(120), "a": np.zeros(120)}, ["a"])
    for generalization in (
        Generalization.identity(data.train.table),
        Generalization.nothing(data.train.table),
    ):
        _assert_finite(run_attacks(generalization, data, others=generalization).to_dict())
