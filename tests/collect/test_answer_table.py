"""A table of answers: equal to the model in every cell, and to what it was asked about."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline

from sparsam import GeneralizationStep
from sparsam._errors import DataError, ParameterError
from sparsam.collect import _answer_table
from sparsam.collect._answer_table import AnswerTable
from sparsam.data import CategoricalDomain, NumericDomain, Roles
from sparsam.generalization import Generalization, categorical_partition, numeric_partition
from sparsam.minimise import Uniform

from .recodings import example, random_recoding

AGES = NumericDomain(0, 99, integer=True)
AGE = numeric_partition("age", AGES, [17, 62], missing=3)
SEX = categorical_partition("sex", CategoricalDomain(("f", "m")), [["f"], ["m"]])
RACE = categorical_partition("race", CategoricalDomain(("x", "y")), [["x", "y"]])
TOWN = categorical_partition(
    "town", CategoricalDomain(("a", "b", "c")), [["a"], ["b", "c"]], unseen=2
)
G = Generalization([AGE, SEX, RACE, TOWN])
CELLS = list(itertools.product(range(4), range(2), range(3)))


def by_codes(people: Any) -> Any:
    return np.where(people["age"] * 2 + people["town"] > 3 * people["sex"], "yes", "no")


def test_a_function_of_codes_in_every_cell() -> None:
    table = AnswerTable.of(by_codes, G, takes="codes")
    assert table.names == ("age", "sex", "town")
    assert table.shape == (4, 2, 3)
    assert len(table.answers) == 24
    for cell in CELLS:
        one = dict(zip(table.names, (np.array([code]) for code in cell), strict=True))
        assert table.answer(cell) == by_codes(one)[0]


def test_the_flat_order_is_that_of_c() -> None:
    table = AnswerTable.of(by_codes, G, takes="codes")
    cube = table.answers.reshape(table.shape)
    for cell in CELLS:
        assert table.classes[cube[cell]] == table.answer(cell)


def test_labels_reach_a_model_that_takes_them() -> None:
    seen = []

    def model(people: Any) -> Any:
        seen.extend(zip(*people.values(), strict=True))
        return np.zeros(len(people["age"]), int)

    table = AnswerTable.of(model, G, takes="labels")
    names = (AGE.labels, SEX.labels, TOWN.labels)
    assert seen == list(itertools.product(*names))
    assert table.classes == (0,)


def test_a_pipeline_with_a_step_says_itself_what_it_takes(make_people: Any) -> None:
    people = make_people(200)
    g = Uniform(Roles("works"), buckets=3).fit(people).generalization_
    for accept in ("either", "generalized"):
        raw = people.drop(columns="works")
        rows = raw if accept == "either" else g.apply(raw)
        step = GeneralizationStep(g, accept=accept)
        pipeline = make_pipeline(step, LogisticRegression()).fit(rows, people["works"])
        table = AnswerTable.of(pipeline, g)
        codes = g.apply(raw, output="codes")[list(g.collected)].to_numpy()
        assert [table.answer(row) for row in codes] == pipeline.predict(rows).tolist()
        cells = np.column_stack(np.unravel_index(np.arange(len(table.answers)), table.shape))
        labels = [
            {name: g[name].labels[code] for name, code in zip(table.names, cell, strict=True)}
            for cell in cells
        ]
        assert [table.answer(cell) for cell in cells] == pipeline.predict(labels).tolist()


def test_a_step_for_other_buckets_or_for_raw_records_is_refused(make_people: Any) -> None:
    people = make_people(200)
    raw, works = people.drop(columns="works"), people["works"]
    g = Uniform(Roles("works"), buckets=3).fit(people).generalization_
    other = Uniform(Roles("works"), buckets=2).fit(people).generalization_
    model = make_pipeline(GeneralizationStep(other), LogisticRegression()).fit(raw, works)
    with pytest.raises(ParameterError, match="made for this generalization"):
        AnswerTable.of(model, g)
    model = make_pipeline(GeneralizationStep(g, accept="raw"), LogisticRegression())
    with pytest.raises(ParameterError, match="must take labels"):
        AnswerTable.of(model.fit(raw, works), g)
    model = make_pipeline(GeneralizationStep(g), LogisticRegression()).fit(raw, works)
    with pytest.raises(ParameterError, match="must take labels"):
        AnswerTable.of(model, g, takes="codes")


def test_an_estimator_of_codes() -> None:
    rng = np.random.default_rng(0)
    codes = np.array(CELLS)
    forest = RandomForestClassifier(5, random_state=0).fit(codes, rng.integers(0, 3, len(codes)))
    table = AnswerTable.of(forest, G, takes="codes")
    assert [table.answer(cell) for cell in CELLS] == forest.predict(codes).tolist()


def test_numbers_are_answers_too() -> None:
    codes = np.array(CELLS)
    line = LinearRegression().fit(codes, codes @ [1.5, -2.25, 0.125])
    table = AnswerTable.of(line, G, takes="codes")
    assert [table.answer(cell) for cell in CELLS] == line.predict(codes).tolist()


@pytest.mark.parametrize("recoding", [example(), *(random_recoding(seed) for seed in range(20))])
def test_an_unchanged_model_is_fed_through_its_recoding(recoding: Any) -> None:
    g = recoding.generalization

    def model(people: Any) -> Any:
        rows = zip(*(values.tolist() for values in people.values()), strict=True)
        return np.array(["|".join(map(str, row)) for row in rows], object)

    if not g.collected:
        with pytest.raises(ParameterError, match="collects none"):
            AnswerTable.of(model, g, takes=recoding)
        return
    table = AnswerTable.of(model, g, takes=recoding)
    for cell in itertools.product(*map(range, table.shape)):
        record = dict(zip(table.names, cell, strict=True))
        fed = recoding.represent_record(record, input="codes")
        assert table.answer(cell) == "|".join(map(str, fed.values()))


def test_a_recoding_of_another_generalization_is_refused() -> None:
    with pytest.raises(ParameterError, match="of another one"):
        AnswerTable.of(by_codes, G, takes=example())


def test_what_a_model_takes_is_never_guessed() -> None:
    with pytest.raises(ParameterError, match="must be said what the model takes"):
        AnswerTable.of(by_codes, G)
    with pytest.raises(ParameterError, match="'takes' parameter"):
        AnswerTable.of(by_codes, G, takes="raw")  # type: ignore[arg-type]


def test_truth_values_are_no_numbers() -> None:
    table = AnswerTable.of(lambda people: people["sex"] == 1, G, takes="codes")
    assert table.classes == (False, True)
    assert json.loads(table.to_json())["classes"] == [False, True]
    mixed = AnswerTable.of(
        lambda people: np.array([True, 1] * (len(people["age"]) // 2), object), G, takes="codes"
    )
    assert mixed.classes == (True, 1)
    assert mixed.answer([0, 0, 0]) is True


def test_json_holds_the_whole_table() -> None:
    table = AnswerTable.of(by_codes, G, takes="codes")
    plain = json.loads(table.to_json())
    assert plain == table.to_dict()
    cube = np.array(plain["answers"]).reshape(plain["shape"])
    assert [plain["classes"][cube[cell]] for cell in CELLS] == [table.answer(c) for c in CELLS]
    assert len(table.to_json()) < 500


def test_asked_in_parts_it_is_the_same_table(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = AnswerTable.of(by_codes, G, takes="codes")
    monkeypatch.setattr(_answer_table, "_AT_ONCE", 5)
    parts = AnswerTable.of(by_codes, G, takes="codes")
    assert parts.to_dict() == whole.to_dict()


def test_above_a_million_cells_there_is_no_table() -> None:
    cuts = list(range(1, 90))
    wide = Generalization([numeric_partition(name, AGES, cuts) for name in "abcd"])
    with pytest.raises(ParameterError, match=r"at most 1,000,000 records.*65,610,000"):
        AnswerTable.of(by_codes, wide, takes="codes")


def test_one_plain_answer_to_each_record() -> None:
    with pytest.raises(DataError, match="one answer to each"):
        AnswerTable.of(lambda people: np.zeros((len(people["age"]), 2), int), G, takes="codes")
    with pytest.raises(DataError, match="Got a date"):
        AnswerTable.of(
            lambda people: np.full(len(people["age"]), np.datetime64("2026-01-01")),
            G,
            takes="codes",
        )


@pytest.mark.parametrize("codes", [(0, 0), (0, 0, 0, 0), (4, 0, 0), (-1, 0, 0), (0, 0, 3)])
def test_a_record_that_is_none_has_no_answer(codes: tuple[int, ...]) -> None:
    with pytest.raises(DataError, match="numbers of buckets"):
        AnswerTable.of(by_codes, G, takes="codes").answer(codes)
