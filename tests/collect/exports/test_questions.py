"""What is asked, in words that a person can answer."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.collect.exports.asked import AGE, PEOPLE, SPARED, WAY, WAYS

from sparsam._errors import ParameterError
from sparsam.collect import Form
from sparsam.collect._target import Target
from sparsam.collect.exports._questions import Question, Questions, field_names, fingerprint
from sparsam.generalization import Generalization, categorical_partition

NAMES = re.compile("[A-Za-z][A-Za-z0-9_]*")


def questions(*facts: Any, **words: Any) -> tuple[Question, ...]:
    return Questions.of(*facts, **words).asked


def test_only_what_is_collected_is_asked_and_groups_list_their_members() -> None:
    age, way = questions(PEOPLE)
    assert (age.name, age.words) == ("age", "Age")
    assert age.choices == ("under 17", "17–61", "62 and over", "no answer")
    assert (way.name, way.words) == ("way_to_work", "Way to work")
    members = "(bus, foot, tram, train)"
    assert way.choices[:2] == ("car", f"bus, foot and 2 more, or something else {members}")
    assert way.choices[2] == "boat, or no answer"


def test_labels_of_a_user_stay_and_members_are_told() -> None:
    labels = ["mine", "others", "boat"]
    own = categorical_partition("way", WAYS, WAY.groups, missing=2, unseen=1, labels=labels)
    members = "others (bus, foot, tram, train)"
    assert questions(Generalization([own]))[0].choices == ("mine", members, "boat")


def test_words_are_those_of_the_form() -> None:
    labels = {
        "title": "About you",
        "age": {"question": "How old?", "help": "In years.", "buckets": {"17–61": "grown up"}},
        "works": {"buckets": ["non", "oui"]},
    }
    target = Target("works", ("no", "yes"))
    asked = Questions.of(PEOPLE, target, language="fr", labels=labels)
    assert (asked.title, asked.language) == ("About you", "fr")
    age, way, works = asked.asked
    assert (age.words, age.help, age.choices[1]) == ("How old?", "In years.", "grown up")
    assert works.choices == ("non", "oui")
    assert way.choices != questions(PEOPLE)[1].choices
    with pytest.raises(ParameterError, match="'agee' is none"):
        questions(PEOPLE, labels={"agee": {"question": "?"}})
    form = Form(PEOPLE, target=target, language="fr", labels=labels)
    pairs = zip(asked.asked, form.questions, strict=True)
    assert all(mine.words == theirs.text for mine, theirs in pairs)


def test_the_target_is_asked_last() -> None:
    asked = questions(PEOPLE, Target("works", ("no", "yes")))
    assert [question.name for question in asked] == ["age", "way_to_work", "works"]
    assert asked[-1].choices == ("no", "yes")
    with pytest.raises(ParameterError, match="also a collected attribute"):
        questions(PEOPLE, Target("age", ("no", "yes")))


def test_nothing_to_ask() -> None:
    with pytest.raises(ParameterError, match="nothing to ask for"):
        questions(Generalization([SPARED]))


@given(st.lists(st.text(min_size=1), min_size=1, max_size=8, unique=True))
def test_every_name_fits_and_none_comes_twice(names: list[str]) -> None:
    given = field_names([Question(name, "", ()) for name in names], NAMES, ("meta", "field"))
    assert all(map(NAMES.fullmatch, given))
    assert len({name.lower() for name in given}) == len(names)
    assert not {"meta", "field"} & {name.lower() for name in given}
    kept = [
        name for name in names if NAMES.fullmatch(name) and name.lower() not in ("meta", "field")
    ]
    first = {name.lower(): name for name in reversed(kept)}
    assert all(given[names.index(name)] == name for name in first.values())


def test_the_fingerprint_is_of_what_is_collected_alone() -> None:
    assert fingerprint(PEOPLE) == fingerprint(PEOPLE.with_about({}))
    assert fingerprint(PEOPLE) != fingerprint(Generalization([AGE, SPARED]))
    assert re.fullmatch("[0-9a-f]{12}", fingerprint(PEOPLE))
