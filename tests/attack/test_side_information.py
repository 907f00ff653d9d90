"""A3, A4 and A5 on people whose joint distribution is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError
from sparsam.attack import (
    GeneralizedRecords,
    LeaveOneOut,
    MultiBreach,
    NonPersonalKnowledge,
    PartialPersonalKnowledge,
    Reconstruction,
    run_attacks,
)
from sparsam.attack._guesses import Guesses
from sparsam.attack._records import lookups_of
from sparsam.attack._side_information import intersected, knowing, non_personal
from sparsam.data import Attribute, CategoricalDomain, NumericDomain, Roles, Split, resolve, split
from sparsam.generalization import (
    CategoricalPartition,
    Generalization,
    NumericPartition,
    categorical_partition,
    numeric_partition,
)
from sparsam.minimise import PrivacyTree

Make = Callable[..., Any]

SIZES = {"x": 3, "a": 3, "b": 4, "y": 2, "c": 2}
PERSONAL = ("a", "b", "c")
BUCKETS = {"x": [0, 0, 1], "b": [0, 0, 1, 1], "c": [0, 1]}
EVERYTHING = frozenset(SIZES)


def _least_error(
    joint: np.ndarray, secret: str, known: frozenset[str], buckets: Any = BUCKETS
) -> float:
    """Error of the best possible guess of one attribute from the buckets and what is known."""
    names = list(SIZES)
    right: dict[tuple[int, ...], np.ndarray] = {}
    for cell in np.ndindex(*joint.shape):
        seen = tuple(
            code if name in known else buckets.get(name, [0] * SIZES[name])[code]
            for name, code in zip(names, cell, strict=True)
        )
        chances = right.setdefault(seen, np.zeros(SIZES[secret]))
        chances[cell[names.index(secret)]] += joint[cell]
    return max(0.0, 1 - sum(chances.max() for chances in right.values()))


@pytest.fixture(scope="module", params=[0, 1])
def population(request: Any, make_split: Make, make_generalization: Make) -> Any:
    rng = np.random.default_rng(request.param)
    joint = rng.dirichlet(np.full(int(np.prod([*SIZES.values()])), 0.3)).reshape(*SIZES.values())
    cells = rng.choice(joint.size, 30_000, p=joint.ravel())
    codes = np.unravel_index(cells, joint.shape)
    data = make_split(dict(zip(SIZES, codes, strict=True)), PERSONAL)
    generalization = make_generalization(data, **BUCKETS)
    return joint, data, run_attacks(generalization, data, ["A1", "A3", "A5", "A4"])


def _known(adversary: str, secret: str) -> frozenset[str]:
    before = PERSONAL[: PERSONAL.index(secret)]
    return {
        "A1": frozenset(),
        "A3": frozenset({"x", "y"}),
        "A5": frozenset({"x", "y", *before}),
        "A4": EVERYTHING - {secret},
    }[adversary]


@pytest.mark.parametrize("adversary", ["A1", "A3", "A5", "A4"])
def test_reaches_the_least_possible_error(adversary: str, population: Any) -> None:
    joint, data, attacks = population
    for risk in attacks[adversary].parts:
        least = _least_error(joint, risk.attribute, _known(adversary, risk.attribute))
        noise = 3.5 * np.sqrt(least * (1 - least) / data.test.n_rows)
        assert least - noise - 1e-9 <= risk.value <= least + noise + 0.006


def test_more_knowledge_more_success(population: Any) -> None:
    _, _, attacks = population
    for stronger, weaker in (("A4", "A5"), ("A5", "A3"), ("A3", "A1")):
        assert attacks[stronger].value <= attacks[weaker].value + 0.005
        for one, other in zip(attacks[stronger].parts, attacks[weaker].parts, strict=True):
            assert one.value <= other.value + 0.01
        assert attacks[stronger].baseline <= attacks[weaker].baseline + 0.005
        assert attacks[stronger].details["naive"] == attacks["A1"].baseline


@pytest.mark.parametrize("adversary", ["A3", "A5", "A4"])
def test_the_baseline_knows_the_same_without_the_records(adversary: str, population: Any) -> None:
    joint, data, attacks = population
    for risk in attacks[adversary].parts:
        known = _known(adversary, risk.attribute)
        least = _least_error(joint, risk.attribute, known, buckets={})
        noise = 3.5 * np.sqrt(least * (1 - least) / data.test.n_rows)
        assert least - noise - 1e-9 <= risk.baseline <= least + noise + 0.006
        assert risk.details["naive"] >= risk.baseline
        low, high = risk.details["advantage_interval"]
        assert low <= risk.advantage <= high
    # c is collected as it is: all that was not known of it before is recovered.
    assert attacks[adversary].parts[-1].recovered == 1.0


def test_the_chain_is_in_the_order_of_the_table(population: Any) -> None:
    _, _, attacks = population
    assert [part.attribute for part in attacks["A5"].parts] == [*PERSONAL]
    # The first knows what A3 knows, the last what A4 knows.
    assert attacks["A5"].parts[0].value == pytest.approx(attacks["A3"].parts[0].value, abs=0.005)
    assert attacks["A5"].parts[-1].value == pytest.approx(attacks["A4"].parts[-1].value, abs=0.005)
    assert attacks["A5"].value == pytest.approx(np.mean([p.value for p in attacks["A5"].parts]))


class _Watched(Reconstruction):
    """Keeps what each attribute was guessed from."""

    def answers(self, records: GeneralizedRecords, data: Split, attributes: Any) -> Any:
        self.seen.append((records.lookups, tuple(attributes)))  # type: ignore[attr-defined]
        return super().answers(records, data, attributes)


def _watched() -> _Watched:
    watched = _Watched(models=("look-up",))
    object.__setattr__(watched, "seen", [])
    return watched


def test_who_knows_what(make_split: Make, make_generalization: Make) -> None:
    rng = np.random.default_rng(0)
    data = make_split({name: rng.integers(0, size, 200) for name, size in SIZES.items()}, PERSONAL)
    generalization = make_generalization(data, **BUCKETS)
    names = list(SIZES)

    def exact(lookups: Any) -> set[str]:
        return {n for n, at in zip(names, lookups, strict=True) if at.tolist() == [*range(len(at))]}

    weaker = Reconstruction(models=("look-up",)).guess(
        GeneralizedRecords.of(generalization, data), data
    )
    # c is collected as it is, so that everybody knows it. What the next weaker adversary knows as
    # well is not asked again (a of A5, c of A4), nor what the records add nothing to (a of A4).
    expected = {
        NonPersonalKnowledge: [({"x", "y", "c"}, ("a", "b", "c"))],
        PartialPersonalKnowledge: [
            ({"x", "y", "c", "a"}, ("b",)),
            ({"x", "y", "c", "a", "b"}, ("c",)),
        ],
        LeaveOneOut: [({"x", "y", "c", "a"}, ("b",))],
    }
    for adversary, known in expected.items():
        watched = _watched()
        without = adversary(Reconstruction(models=("look-up",))).guess_without(data)
        adversary(watched).guess(generalization, data, weaker, without)
        exact_by_question = [
            (exact(lookups), tuple(names[a] for a in attributes))
            for lookups, attributes in watched.seen  # type: ignore[attr-defined]
        ]
        assert exact_by_question == known


@pytest.mark.parametrize(
    ("personal", "first_to_know"),
    [(("secret",), NonPersonalKnowledge), (("copy", "secret"), PartialPersonalKnowledge)],
)
def test_who_knows_a_copy_knows_the_secret(
    personal: tuple[str, ...], first_to_know: Any, make_split: Make
) -> None:
    copy = np.random.default_rng(0).integers(0, 6, 900)
    data = make_split({"copy": copy, "secret": copy}, personal)
    nothing = Generalization.nothing(data.train.table)
    assert Reconstruction().attack(nothing, data).value > 0.5
    for adversary in (first_to_know, LeaveOneOut):
        assert adversary().attack(nothing, data).parts[-1].value == 0.0


def test_nothing_but_personal_attributes(make_split: Make, make_generalization: Make) -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 600)
    data = make_split({"a": a, "b": (a + rng.integers(0, 2, 600)) % 4}, ["a", "b"])
    generalization = make_generalization(data, a=[0, 0, 1, 1])
    assert non_personal(data) == set()
    plain = Reconstruction().attack(generalization, data)
    informed = NonPersonalKnowledge().attack(generalization, data)
    assert [p.value for p in informed.parts] == [p.value for p in plain.parts]


def test_one_personal_attribute_makes_three_adversaries_one(
    make_split: Make, make_generalization: Make
) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 5, 600)
    data = make_split({"x": x, "secret": (x + rng.integers(0, 2, 600)) % 5}, ["secret"])
    generalization = make_generalization(data, x=[0, 0, 1, 1, 1])
    errors = {
        adversary().attack(generalization, data).value
        for adversary in (NonPersonalKnowledge, PartialPersonalKnowledge, LeaveOneOut)
    }
    assert len(errors) == 1


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("adversary", [NonPersonalKnowledge, PartialPersonalKnowledge, LeaveOneOut])
def test_falls_back_on_the_weaker(
    seed: int, adversary: Any, make_split: Make, make_generalization: Make
) -> None:
    # Sixty people with useless knowledge that is unique to each: learning from it misleads.
    rng = np.random.default_rng(seed)
    columns = {"noise": np.arange(60), "z": rng.integers(0, 2, 60)}
    columns |= {"a": columns["z"] ^ (rng.random(60) < 0.1), "b": rng.integers(0, 3, 60)}
    data = make_split(columns, ["a", "b"])
    generalization = make_generalization(data, z=[0, 1])
    weaker = Reconstruction().guess(GeneralizedRecords.of(generalization, data), data)
    guesses = adversary().guess(generalization, data, weaker)
    for one, other in zip(guesses.answers, weaker.answers, strict=True):
        assert one.wrong("validation").sum() <= other.wrong("validation").sum()


def test_a_perfect_weaker_adversary_is_kept(make_split: Make, make_generalization: Make) -> None:
    rng = np.random.default_rng(0)
    data = make_split({"x": rng.integers(0, 2, 400), "a": rng.integers(0, 5, 400)}, ["a"])
    whole = Reconstruction().guess(
        GeneralizedRecords.of(Generalization.identity(data.train.table), data), data
    )
    for adversary in (NonPersonalKnowledge(), PartialPersonalKnowledge(), LeaveOneOut()):
        guesses = adversary.guess(make_generalization(data, x=[0, 1]), data, whole)
        assert isinstance(guesses, Guesses)
        assert guesses.answers == whole.answers
        assert guesses.risk("test").value == 0.0


def test_everything_and_nothing_collected(make_split: Make) -> None:
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(0, size, 300) for name, size in (("x", 3), ("a", 3), ("n", 30))}
    data = make_split(columns, ["a", "n"], numeric=["n"])
    table = data.train.table
    for adversary in (NonPersonalKnowledge(), PartialPersonalKnowledge(), LeaveOneOut()):
        assert adversary.attack(Generalization.identity(table), data).value == 0.0
        risk = adversary.attack(Generalization.nothing(table), data)
        assert np.isfinite([risk.value, *risk.interval, risk.recovered]).all()
        assert risk.split == "test"


def test_who_knows_much_gains_nothing_from_nothing(make_split: Make) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, 900)
    columns = {"x": x, "a": (x + rng.integers(0, 2, 900)) % 4, "b": (x * 2 + 1) % 5}
    data = make_split(columns, ["a", "b"])
    for name in ("A3", "A5", "A4"):
        risk = run_attacks(Generalization.nothing(data.train.table), data, name)[name]
        assert risk.value < risk.details["naive"] - 0.2  # knows much, but not from the records
        assert [part.recovered for part in (risk, *risk.parts)] == [0.0] * 3
        assert risk.details["advantage_interval"] == [0.0, 0.0]
        assert "without the records" in str(risk)


def test_the_gain_is_told_on_the_same_people(make_split: Make, make_generalization: Make) -> None:
    # Who knows x is right about a half; the record of a tells which half it is.
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, 4000)
    data = make_split({"x": x, "a": 2 * x + rng.integers(0, 2, 4000)}, ["a"])
    risk = LeaveOneOut().attack(make_generalization(data, a=np.arange(8) % 2), data)
    assert (risk.value, risk.recovered) == (0.0, 1.0)
    low, high = risk.details["advantage_interval"]
    assert low < risk.baseline == risk.advantage < high
    assert 0.4 < low < 0.5 < high < 0.6
    assert risk.details["naive"] > 0.8


def test_risk_on_validation_and_seed(make_split: Make) -> None:
    rng = np.random.default_rng(0)
    data = make_split({"x": rng.integers(0, 3, 90), "a": rng.integers(0, 3, 90)}, ["a"])
    nothing = Generalization.nothing(data.train.table)
    for adversary, name in (
        (NonPersonalKnowledge, "A3 non-personal knowledge"),
        (PartialPersonalKnowledge, "A5 partial personal knowledge"),
        (LeaveOneOut, "A4 leave one out"),
    ):
        chosen = adversary(Reconstruction(random_state=3))
        risk = chosen.attack(nothing, data, "validation")
        assert (risk.adversary, risk.random_state, risk.split) == (name, 3, "validation")
        assert risk == chosen.attack(nothing, data, "validation")


def test_knowing_replaces_buckets(make_split: Make, make_generalization: Make) -> None:
    rng = np.random.default_rng(0)
    data = make_split({"x": rng.integers(0, 4, 90), "a": rng.integers(0, 3, 90)}, ["a"])
    lookups = lookups_of(make_generalization(data, x=[0, 0, 1, 1], a=[0, 0, 1]), data)
    assert [lookup.tolist() for lookup in knowing(lookups, {1})] == [[0, 0, 1, 1], [0, 1, 2]]


def test_nobody_personal(make_split: Make) -> None:
    data = make_split({"a": np.arange(30) % 3}, [])
    nothing = Generalization.nothing(data.train.table)
    for adversary in (NonPersonalKnowledge(), PartialPersonalKnowledge(), LeaveOneOut()):
        with pytest.raises(DataError, match="at least one personal attribute"):
            adversary.attack(nothing, data)


def test_massachusetts(shared_data: Path) -> None:
    path = shared_data / "acs_employment_MA_2015_2018.parquet"
    query = "select * exclude (year) from read_parquet(?) where year = 2018"
    columns = duckdb.connect().execute(query, [str(path)]).fetchnumpy()
    rows = np.random.default_rng(0).permutation(len(columns["SEX"]))[:15_000]
    columns = {name: values[rows] for name, values in columns.items()}
    numeric = ("AGEP", "SCHL")
    categorical = [name for name in columns if name not in numeric]
    roles = Roles(
        "employed", numeric=numeric, categorical=categorical, personal=["SEX", "MAR", "RAC1P"]
    )
    data = split(resolve(columns, roles), random_state=0)
    [generalization] = PrivacyTree(privacy=0.7).path(data.train, [20])
    attacks = run_attacks(generalization, data, ["A1", "A3", "A4", "A5"])
    for stronger, weaker in (("A4", "A5"), ("A5", "A3"), ("A3", "A1")):
        assert attacks[stronger].value <= attacks[weaker].value + 0.005
    assert attacks["A4"].value < attacks["A1"].value


Make = Callable[..., Any]

N_VALUES = 8


def _renumbered(buckets: Any) -> list[int]:
    """Numbers in the order of first occurrence."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(int(bucket), len(numbers)) for bucket in buckets]


@st.composite
def numeric_partitions(draw: st.DrawFn) -> NumericPartition:
    cuts = sorted(draw(st.sets(st.integers(1, N_VALUES - 1), max_size=4)))
    missing = draw(st.integers(0, len(cuts) + 1))
    return numeric_partition("n", NumericDomain(0, N_VALUES - 1, True), cuts, missing=missing)


@st.composite
def categorical_partitions(draw: st.DrawFn) -> CategoricalPartition:
    marks = draw(st.lists(st.integers(0, 3), min_size=N_VALUES, max_size=N_VALUES))
    groups = [[c for c in range(N_VALUES) if marks[c] == mark] for mark in sorted(set(marks))]
    missing = draw(st.integers(0, len(groups)))
    domain = CategoricalDomain(tuple(range(N_VALUES)))
    return categorical_partition("c", domain, groups, missing=missing)


def _attributes() -> tuple[Attribute, Attribute]:
    values = np.arange(N_VALUES, dtype=float)
    return (
        Attribute("n", NumericDomain(0, N_VALUES - 1, True), values, values, missing=True),
        Attribute("c", CategoricalDomain(tuple(range(N_VALUES))), missing=True),
    )


@given(st.lists(st.tuples(numeric_partitions(), categorical_partitions()), min_size=2, max_size=4))
def test_intersected_is_the_intersection(
    partitions: list[tuple[NumericPartition, CategoricalPartition]],
) -> None:
    generalizations = [Generalization(pair) for pair in partitions]
    together = generalizations[0]
    for other in generalizations[1:]:
        together = together.intersect(other)
    for attribute in _attributes():
        name = attribute.name
        cells = intersected([g[name].lookup(attribute) for g in generalizations])
        expected = together[name].lookup(attribute)
        assert _renumbered(cells) == _renumbered(expected)
        assert sorted(set(cells.tolist())) == list(range(int(cells.max()) + 1))


@pytest.fixture(scope="module")
def people(make_split: Make) -> Split:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 8, 6000)
    a = (x + rng.integers(0, 3, 6000)) % 8
    data: Split = make_split({"x": x, "a": a, "b": x // 2 ^ (rng.random(6000) < 0.1)}, ["a", "b"])
    return data


@pytest.fixture(scope="module")
def breaches(people: Split, make_generalization: Make) -> list[Generalization]:
    return [
        make_generalization(people, x=[0, 0, 0, 0, 1, 1, 1, 1], a=[0, 0, 1, 1, 2, 2, 3, 3]),
        make_generalization(people, x=[0, 0, 1, 1, 0, 0, 1, 1], b=[0, 0, 1, 1]),
        make_generalization(people, x=[0, 1, 0, 1, 0, 1, 0, 1], a=[0, 1, 1, 1, 1, 1, 1, 1]),
    ]


def test_attacks_what_the_breaches_reveal_together(
    people: Split, breaches: list[Generalization]
) -> None:
    first, second, _ = breaches
    alone = Reconstruction().attack(first.intersect(second), people)
    together = MultiBreach([second]).attack(first, people)
    assert together.adversary == "A6 multi-breach"
    for one, other in zip(together.parts, alone.parts, strict=True):
        assert one.attribute == other.attribute
        assert one.value == pytest.approx(other.value, abs=0.01)


@pytest.mark.parametrize("n_breaches", [2, 3])
def test_weaker_than_no_single_breach(
    n_breaches: int, people: Split, breaches: list[Generalization]
) -> None:
    first, *others = breaches[:n_breaches]
    single = [Reconstruction().attack(g, people, "validation") for g in (first, *others)]
    together = MultiBreach(others).attack(first, people, "validation")
    for number, part in enumerate(together.parts):
        assert part.value <= min(risk.parts[number].value for risk in single)
    assert together.details["single_breaches"] == [risk.value for risk in single]
    test = MultiBreach(others).attack(first, people)
    assert test.value < min(test.details["single_breaches"])


def test_a_third_breach_completes_the_picture(
    people: Split, breaches: list[Generalization]
) -> None:
    first, second, third = breaches
    two = MultiBreach([second]).attack(first, people)
    three = MultiBreach([second, third]).attack(first, people)
    assert three.value < two.value - 0.02
    assert len(three.details["single_breaches"]) == 3


def test_identical_breaches_add_nothing(people: Split, breaches: list[Generalization]) -> None:
    first = breaches[0]
    alone = Reconstruction().attack(first, people)
    twice = MultiBreach([first, first]).attack(first, people)
    assert [part.value for part in twice.parts] == [part.value for part in alone.parts]
    assert twice.details["single_breaches"] == [alone.value] * 3


def test_a_coarser_breach_adds_nothing(people: Split, breaches: list[Generalization]) -> None:
    nothing = Generalization.nothing(people.train.table)
    alone = Reconstruction().attack(breaches[0], people)
    assert MultiBreach([nothing]).attack(breaches[0], people).value == alone.value
    assert MultiBreach([breaches[0]]).attack(nothing, people).value == alone.value
    naive = MultiBreach([nothing]).attack(nothing, people)
    assert (naive.value, naive.advantage) == (naive.baseline, 0.0)


def test_no_other_breach(people: Split, breaches: list[Generalization]) -> None:
    with pytest.raises(ParameterError, match="at least one other generalization"):
        MultiBreach([]).attack(breaches[0], people)


def test_unknown_attributes_are_named(people: Split, breaches: list[Generalization]) -> None:
    partial = Generalization([p for p in breaches[0] if p.name != "a"])
    with pytest.raises(DataError, match=r"does not know \['a'\]"):
        MultiBreach([partial]).attack(breaches[0], people)
    with pytest.raises(DataError, match=r"does not know \['a'\]"):
        GeneralizedRecords.of(partial, people)
