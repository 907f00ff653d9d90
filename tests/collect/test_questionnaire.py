"""A questionnaire asks what can still change the outcome, exactly that, in any order."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsam
from sparsam._errors import DataError, DocumentError, ParameterError
from sparsam.collect._questionnaire import Choice, Questionnaire
from sparsam.data import CategoricalDomain
from sparsam.generalization import Generalization, categorical_partition, numeric_partition
from sparsam.generalization.recoding._recoding import Recoding
from sparsam.generalization.recoding._tree import Branch, Leaf, Node

from .recodings import AGES, example, random_nodes, random_recoding


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(["fewest", "cost", "list"]))
def test_simulating_counts_what_interviews_ask(seed: int, order: str) -> None:
    recoding, rng = random_recoding(seed), random.Random(seed)
    g = recoding.generalization
    costs = {name: rng.choice([0.5, 1.0, 2.0]) for name in g.names}
    kind: Any = list(g.names) if order == "list" else order
    questionnaire = Questionnaire(recoding, order=kind, costs=costs)
    rows = np.array([[rng.randrange(part.n_buckets) for part in g] for _ in range(15)])
    asked = questionnaire.ask(rows)
    counts = dict.fromkeys(g.collected, 0)
    for row, questions in zip(rows.tolist(), asked.questions, strict=True):
        interview = questionnaire.start()
        while (name := interview.next) is not None:
            counts[name] += 1
            label = g[name].labels[row[g.names.index(name)]]
            interview = interview.answer(name, label)
        assert len(interview.answers) == questions <= len(g.collected)
    assert asked.per_attribute == pytest.approx({n: c / 15 for n, c in counts.items()})
    assert asked.mean == pytest.approx(sum(counts.values()) / 15)


def test_an_interview_step_by_step() -> None:
    start = Questionnaire(example()).start()
    assert start.needed == ("age", "sex", "town", "hours")
    assert start.next == "age"
    assert start.choices("age") == [Choice("under 17", (0,)), Choice("17 and over", (1, 2, 3))]
    assert start.choices("town") == [Choice("Bern or Genf", (0, 2)), Choice("Chur", (1,))]
    young = start.answer("age", 12)
    assert young.done
    assert young.next is None
    assert (young.needed, young.prediction) == ((), "no")
    assert young.record()["age"] == 9
    woman = start.answer("sex", "f")
    assert woman.needed == ("age", "town")
    assert woman.answer("town", "Genf").done  # too young or not, the answer is no
    assert woman.answer("town", "Genf").prediction == "no"
    man = start.answer("sex", "m").answer("hours", 33).answer("age", Choice("any", (2,)))
    assert man.done
    assert man.prediction is None
    assert man.record() == {
        "age": 9,
        "sex": "m",
        "town": "Bern",
        "hours": 30,
        "height": 1.7,
        "idle": "x",
    }
    assert man.answers["age"] == Choice("17 and over", (1, 2, 3))
    assert repr(man) == "<Interview: 3 answers, 0 needed>"
    assert start.answers == {}
    assert start.answer("age", 12) == young
    assert hash(start.answer("age", 12)) == hash(young)


def test_answers_as_labels_choices_and_values_are_the_same() -> None:
    start = Questionnaire(example()).start()
    for value in ("17 and over", "30–61", "62 and over", 33, 17.0, np.int64(80), 120):
        assert start.answer("age", value).answers["age"].buckets == (1, 2, 3)
    assert start.answer("age", start.choices("age")[1]).answers["age"].label == "17 and over"


def test_bad_answers_are_refused_and_not_shown() -> None:
    start = Questionnaire(example()).start()
    with pytest.raises(ParameterError, match="'idle' need not be asked"):
        start.answer("idle", "x")
    with pytest.raises(ParameterError, match="Needed now: nothing"):
        start.answer("age", 3).choices("sex")
    with pytest.raises(ParameterError, match="'nobody' need not"):
        start.choices("nobody")
    with pytest.raises(ParameterError, match="one of the 2 choices"):
        start.answer("town", Choice("both", (0, 1)))
    with pytest.raises(ParameterError, match="one of the 2 choices"):
        start.answer("town", Choice("none", ()))
    for name, value in (("town", "Davos"), ("age", "old"), ("age", None), ("age", object())):
        with pytest.raises(DataError) as caught:
            start.answer(name, value)
        assert "Davos" not in str(caught.value)
    with pytest.raises(ParameterError, match="must be done first"):
        start.record()
    with pytest.raises(ParameterError, match="must be done first"):
        _ = start.prediction


def test_a_label_that_is_another_buckets_category_is_refused() -> None:
    domain = CategoricalDomain(("x", "y"))
    part = categorical_partition("way", domain, [["x"], ["y"]], labels=["y", "x"])
    nodes: list[Node] = [Leaf(("way",), {})]
    start = Questionnaire(Recoding(Generalization([part]), {"way": ["x", "y"]}, nodes)).start()
    assert start.answer("way", start.choices("way")[0]).record() == {"way": "x"}
    with pytest.raises(ParameterError, match="a label of one bucket and a category of another"):
        start.answer("way", "x")
    other = categorical_partition(
        "way", CategoricalDomain(("x", "y", "z")), [["x"], ["y"], ["z"]], labels=["a", "x", "y"]
    )
    leaf = Leaf((), {"way": "x"}, "no")
    nodes = [Branch("way", (0,), 1, 2), leaf, Leaf((), {"way": "z"}, "yes")]
    recoding = Recoding(Generalization([other]), {"way": ["x", "y", "z"]}, nodes)
    with pytest.raises(ParameterError, match="a label of one bucket and a category of another"):
        Questionnaire(recoding).start().answer("way", "x")
    # both readings are the same choice
    assert Questionnaire(recoding).start().answer("way", "y").prediction == "yes"


def test_orders() -> None:
    costs = {"age": 5, "sex": 2}
    for order in ("cost", "sensitivity"):
        dear = Questionnaire(example(), order=order, costs=costs)  # type: ignore[arg-type]
        assert dear.start().needed == ("town", "hours", "sex", "age")
    listed = Questionnaire(example(), order=["idle", "hours", "sex"])
    assert listed.start().needed == ("hours", "sex", "age", "town")


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"order": "random"}, "'order' must be one of"),
        ({"order": ["age", "hat"]}, "'hat' is none"),
        ({"order": ["age", "age"]}, "'age' once"),
        ({"order": "cost"}, "needs 'costs'"),
        ({"costs": {"hat": 1}}, "'hat' is none"),
        ({"costs": {"age": -1}}, "cost of 'age'"),
        ({"costs": {"age": float("nan")}}, "cost of 'age'"),
        ({"costs": {"age": "dear"}}, "cost of 'age'"),
    ],
)
def test_bad_parameters(parameters: Any, match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        Questionnaire(example(), **parameters)


def test_it_is_saved_and_comes_back(tmp_path: Path) -> None:
    for parameters in ({}, {"order": ("sex", "age")}, {"order": "cost", "costs": {"sex": 0.5}}):
        questionnaire = Questionnaire(example(), **parameters)  # type: ignore[arg-type]
        again = Questionnaire.from_json(questionnaire.to_json())
        assert again == questionnaire
        assert hash(again) == hash(questionnaire)
        assert again.to_json() == questionnaire.to_json()
        questionnaire.save(tmp_path / "q.json")
        assert Questionnaire.load(tmp_path / "q.json").start() == questionnaire.start()
    assert Questionnaire(example()) != Questionnaire(example(), order=["sex"])
    assert Questionnaire(example()) != "q"
    assert repr(Questionnaire(example())) == "<Questionnaire: up to 4 questions>"


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("format",), "sparsam/recoding", "$.format"),
        (("version",), 2, "$.version"),
        (("surprise",), 1, "$"),
        (("order",), "random", "$.order"),
        (("order",), ["hat"], "$.order[0]"),
        (("order",), "cost", "$.costs"),
        (("costs",), {"age": True}, "$.costs.age"),
        (("costs",), {"hat": 1}, "$.costs"),
        (("recoding", "format"), "x", "$.recoding.format"),
        (("recoding", "attributes", 0, "cuts"), [3, 1], "$.recoding.attributes[0].cuts"),
        (("recoding", "attributes", 0, "name"), "sex", "$.recoding.attributes[1].name"),
        (("recoding", "nodes", 0, "then"), 9, "$.recoding.nodes[0].then"),
        (("recoding", "nodes", 0, "then"), "1", "$.recoding.nodes[0].then"),
    ],
)
def test_a_damaged_document_points_at_the_field(
    path: tuple[Any, ...], value: Any, field: str, tmp_path: Path
) -> None:
    document = json.loads(Questionnaire(example()).to_json())
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    (tmp_path / "bad.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(DocumentError) as caught:
        Questionnaire.load(tmp_path / "bad.json")
    assert caught.value.path == field
    assert "bad.json" in caught.value.__notes__[0]


def test_counting_questions_of_raw_records() -> None:
    frame = pd.DataFrame(
        {
            "age": [10, 40, 40, 40],
            "sex": ["f", "f", "m", "m"],
            "town": ["Bern"] * 4,
            "hours": [0, 0, 50, 0],
            "idle": ["x"] * 4,
        }
    )
    asked = Questionnaire(example()).ask(frame)
    assert asked.questions.tolist() == [1, 3, 3, 3]
    assert asked.form == 5
    assert asked.saved == pytest.approx(0.5)
    assert asked.per_attribute == {"age": 1, "sex": 0.75, "town": 0.25, "hours": 0.5, "idle": 0}
    assert repr(asked) == "<Asked: 2.50 of 5 questions on average, 50 % saved>"
    nobody = Questionnaire(example()).ask(frame.iloc[:0])
    assert (nobody.mean, nobody.saved) == (0, 0)
    with pytest.raises(DataError, match="6 columns"):
        Questionnaire(example()).ask(np.zeros((2, 2), int))


def test_a_recoding_that_asks_nothing() -> None:
    g = Generalization([numeric_partition("age", AGES, [])])
    recoding = Recoding(g, {"age": [40]}, [Leaf((), {"age": 40}, 1)])
    interview = Questionnaire(recoding).start()
    assert interview.done
    assert interview.record() == {"age": 40}
    asked = Questionnaire(recoding).ask({"age": np.array([1, 2])})
    assert asked.questions.tolist() == [0, 0]
    assert asked.saved == 0


def test_the_bundled_people() -> None:
    people = sparsam.load_example()
    tree = sparsam.PrivacyTree(sparsam.Roles("employed"), max_leaves=6, privacy=0.3).fit(people)
    g = tree.generalization_
    means: dict[str, list[Any]] = {}
    for part in g:
        buckets = part.lookup(people.attribute(part.name)).tolist()
        values = people.attribute(part.name).decode(np.arange(len(buckets))).tolist()
        means[part.name] = [values[buckets.index(b)] for b in range(part.n_buckets)]
    recoding = Recoding(g, means, random_nodes(random.Random(3), g, means))
    questionnaire = Questionnaire(recoding)
    asked = questionnaire.ask(people)
    assert asked.questions.size == people.n_rows
    assert 0 <= asked.saved <= 1
    row = g.apply_codes(people)[7]
    interview = questionnaire.start()
    while (name := interview.next) is not None:
        bucket = row[g.names.index(name)]
        interview = interview.answer(name, g[name].labels[bucket])
    assert len(interview.answers) == asked.questions[7]
    leaf = recoding.leaves[int(recoding.leaf_of(row[None])[0])]
    assert interview.prediction == leaf.prediction


def test_answers_of_a_page_are_an_interview() -> None:
    asks = Questionnaire(example())
    assert asks.names == ("age", "sex", "town", "hours")
    sent = asks.resume({"age": "1-3", "sex": "0", "town": "0.2"})
    asked = asks.start().answer("age", 40).answer("sex", "f").answer("town", "Genf")
    assert sent.region == asked.region
    assert sent.prediction == "no"
    # without JavaScript a page asks for everything; what need not be known is not kept
    plain = asks.resume({"age": "2", "sex": 0, "town": 2, "hours": 1})
    assert plain.region == asked.region
    assert plain.answers.keys() == {"age", "sex", "town"}
    assert not asks.resume({"sex": "0"}).done


@pytest.mark.parametrize(
    "answers",
    [
        {"age": ""},
        {"age": "-1"},
        {"age": "4"},
        {"age": "1-99999"},
        {"age": "2-1"},
        {"age": "1.1"},
        {"age": "0-1"},
        {"age": "²"},
        {"age": "1 "},
        {"age": True},
        {"age": 1.5},
        {"age": None},
        {"age": [1]},
        {"idle": "0"},
        {"nobody": "0"},
    ],
)
def test_answers_that_no_page_sends_are_refused_and_not_shown(answers: dict[str, Any]) -> None:
    with pytest.raises(ParameterError) as caught:
        Questionnaire(example()).resume(answers)
    assert "nobody" not in str(caught.value)
    assert "99999" not in str(caught.value)
