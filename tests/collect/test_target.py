"""The target of a collection: what the artifact says of it, and what it must be."""

from __future__ import annotations

import pytest

from sparsam._errors import DocumentError, ParameterError
from sparsam.collect import Questionnaire
from sparsam.collect._target import Target, record_sizes
from sparsam.data import NumericDomain
from sparsam.generalization import Generalization, Leaf, Recoding, numeric_partition

from .recodings import example

AGES = numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62])
IDLE = numeric_partition("income", NumericDomain(0, 10**6), [])


def carrying(**target):
    evidence = {"people": 12_000, "tested": 4_000, "shares": {}, "target": target}
    return Generalization([AGES, IDLE], {"evidence": evidence})


def test_the_artifact_says_what_it_was_learned_for() -> None:
    carried = carrying(name="employed", classes=["no", "yes"], shares=[0.54, 0.46])
    assert Target.of(carried) == Target("employed", ("no", "yes"))


def test_a_number_has_two_classes() -> None:
    classes = ["under 50000", "50000 and over"]
    carried = carrying(name="income", classes=classes, threshold=50000.0, shares=[0.501, 0.4985])
    assert Target.of(carried).classes == tuple(classes)


@pytest.mark.parametrize(
    ("classes", "last"), [(["a", "b", "c"], "other"), (["a", "b", "other"], "any other")]
)
def test_people_of_rarer_classes_have_an_answer(classes, last) -> None:
    carried = carrying(name="job", classes=classes, shares=[0.4, 0.3, 0.1])
    assert Target.of(carried).classes == (*classes, last)


def test_rounded_shares_are_no_other_class() -> None:
    carried = carrying(name="job", classes=["a", "b", "c"], shares=[0.3336, 0.3328, 0.3328])
    assert Target.of(carried).classes == ("a", "b", "c")


@pytest.mark.parametrize("about", [{}, {"evidence": {"people": 9, "target": None}}])
def test_an_artifact_that_says_nothing(about) -> None:
    with pytest.raises(ParameterError, match="does not say which target"):
        Target.of(Generalization([AGES], about))


def test_a_questionnaire_has_the_classes_of_its_model() -> None:
    asks = Questionnaire(example().with_about({"target": "works"}))
    assert Target.of(asks) == Target("works", ("no", "yes"))
    evidence = {"people": 100, "target": {"name": "rich", "classes": ["a", "b"]}}
    told = Questionnaire(example().with_about({"target": "works", "evidence": evidence}))
    assert Target.of(told) == Target("rich", ("a", "b"))
    g, means = example().generalization, example().representatives
    leaf = Leaf((), {name: values[0] for name, values in means.items()}, "no")
    one_answer = Recoding(g, means, [leaf], {"target": "works"})
    for silent in (example(), one_answer):
        with pytest.raises(ParameterError, match="does not say which target"):
            Target.of(Questionnaire(silent))


def test_damaged_evidence_is_named() -> None:
    with pytest.raises(DocumentError, match=r"about\.evidence"):
        Target.of(Generalization([AGES], {"evidence": {"people": "many"}}))


def test_a_record_has_one_answer_of_each_name() -> None:
    with pytest.raises(ParameterError, match="also a collected attribute"):
        record_sizes(Generalization([AGES]), Target("age", ("young", "old")))
    with pytest.raises(ParameterError, match="also a collected attribute"):
        Target.of(carrying(name="age", classes=["young", "old"], shares=[0.5, 0.5]))
    # what is not collected is not in the record
    assert record_sizes(Generalization([AGES, IDLE]), Target("income", ("low", "high"))) == {
        "age": 3,
        "income": 2,
    }


@pytest.mark.parametrize(
    ("name", "classes"),
    [("", ("a", "b")), ("y", ("a",)), ("y", ("a", "a")), ("y", ("a", "")), ("y", ("a", 1))],
)
def test_bad_targets(name, classes) -> None:
    with pytest.raises(ParameterError):
        Target(name, classes)
