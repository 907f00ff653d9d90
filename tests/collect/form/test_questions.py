"""What is asked, and what each answer stands for."""

from __future__ import annotations

from typing import Any

import pytest

from sparsam._errors import ParameterError
from sparsam.collect._runs import runs
from sparsam.collect.form._labels import AttributeLabels
from sparsam.collect.form._language import Language
from sparsam.collect.form._questions import Wording, asked
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import Partition, categorical_partition, numeric_partition

AGES = NumericDomain(0, 99, integer=True)
WAYS = CategoricalDomain(("car", "bus", "train", "tram", "bike", "foot"))
GRADES = CategoricalDomain(("first", "second", "third", "fourth", "fifth"), ordered=True)


def wording(part: Partition, code: str = "en", **labels: Any) -> Wording:
    return Wording(part, Language.of(code), AttributeLabels(**labels))


def labels(part: Partition, code: str = "en", **own: Any) -> list[str]:
    return [option.label for option in wording(part, code, **own).question().options]


def test_numbers() -> None:
    part = numeric_partition("age", AGES, [17, 62], missing=3)
    question = wording(part).question()
    assert [option.value for option in question.options] == ["0", "1", "2", "3"]
    assert labels(part) == ["under 17", "17–61", "62 and over", "no answer"]
    assert labels(part, "de") == ["unter 17", "17–61", "62 und mehr", "keine Angabe"]
    assert question.kind == "number"
    assert question.numbers == {"cuts": [17, 62]}
    assert not question.picks
    shared = numeric_partition("age", AGES, [17, 62], missing=1)
    assert labels(shared, "fr")[1] == "17–61, ou sans réponse"


def test_dates_times_and_ages() -> None:
    births = NumericDomain("1931-01-01", "2009-12-31", unit="date")
    part = numeric_partition("born", births, ["1960-01-01", "1970-03-01"], beyond="error")
    question = wording(part).question()
    assert question.kind == "date"
    assert question.numbers == {
        "cuts": [-3653, 59],
        "range": [-14245, 14609],
        "unit": "date",
    }
    assert labels(part, "it")[1] == "gennaio 1960 – febbraio 1970"
    old = numeric_partition("age", NumericDomain(0, 99, age_on="2024-12-31"), [18])
    numbers = wording(old).question().numbers
    assert numbers is not None
    assert numbers["age_on"] == "2024-12-31"
    assert wording(old).question().kind == "number"


def test_groups_list_their_members() -> None:
    groups = [["car"], ["bus", "train"], ["tram", "bike", "foot"]]
    assert labels(categorical_partition("way", WAYS, groups)) == [
        "car",
        "bus or train",
        "tram, bike or foot",
    ]
    pair = wording(categorical_partition("way", WAYS, groups)).question()
    assert not pair.findable
    assert [option.members for option in pair.options] == [(), *map(tuple, groups[1:])]
    wide = categorical_partition("way", WAYS, [["car"], list(WAYS.categories[1:])])
    first, second = wording(wide).question().options
    assert first.members == ()
    assert second.label == "bus, train and 3 more"
    assert second.members == ("bus", "train", "tram", "bike", "foot")
    assert second.listed
    assert wording(wide).question().findable
    ordered = categorical_partition("grade", GRADES, [["first"], list(GRADES.categories[1:])])
    assert wording(ordered).question().options[1].label == "second – fifth"
    assert wording(ordered).question().options[1].members == GRADES.categories[1:]
    gaps = [["first", "third", "fourth", "fifth"], ["second"]]
    scattered = categorical_partition("grade", GRADES, gaps)
    assert labels(scattered)[0] == "first, third and 2 more"


def test_other_and_missing_answers() -> None:
    groups = [["car"], list(WAYS.categories[1:])]
    own = categorical_partition("way", WAYS, groups, missing=2, unseen=3)
    assert labels(own)[2:] == ["no answer", "something else"]
    both = categorical_partition("way", WAYS, groups, missing=2, unseen=2)
    assert labels(both)[2:] == ["something else, or no answer"]
    shared = categorical_partition("way", WAYS, groups, missing=0, unseen=0)
    assert labels(shared)[0] == "car, or something else, or no answer"
    unlisted = categorical_partition("way", CategoricalDomain(()), [], missing=1)
    assert labels(unlisted) == ["any value", "no answer"]


def test_categories_that_are_no_text() -> None:
    domain = CategoricalDomain((True, False))
    assert labels(categorical_partition("x", domain, [[True], [False]]), "de") == ["ja", "nein"]
    domain = CategoricalDomain((1.5, "", "a"))
    part = categorical_partition("x", domain, [[1.5], [""], ["a"]])
    assert labels(part, "fr") == ["1,5", "(vide)", "a"]


def test_own_words_come_first() -> None:
    part = numeric_partition("age", AGES, [17, 62])
    own = {"buckets": {"17–61": "neither"}, "question": "How old are you?", "help": "Today."}
    question = wording(part, **own).question()
    assert (question.text, question.help) == ("How old are you?", "Today.")
    assert [option.label for option in question.options] == ["under 17", "neither", "62 and over"]
    named = numeric_partition("age", AGES, [17], labels=["minor", "of age"])
    assert labels(named, "de") == ["minor", "of age"]
    groups = [["car"], list(WAYS.categories[1:])]
    way = categorical_partition("way", WAYS, groups, labels=["car", "other ways"])
    options = wording(way, members={"bus": "coach"}).question().options
    assert options[0].members == ()
    assert options[1].label == "other ways"
    assert options[1].members == ("coach", "train", "tram", "bike", "foot")


def test_several_buckets_are_one_answer() -> None:
    part = wording(numeric_partition("age", AGES, [17, 30, 62], missing=4), "de")
    options = part.options([(0, 3), (1, 2), (4,)])
    assert [option.value for option in options] == ["0.3", "1-2", "4"]
    assert [option.label for option in options] == [
        "unter 17 oder 62 und mehr",
        "17–61",
        "keine Angabe",
    ]
    singles = [[category] for category in WAYS.categories]
    ways = wording(categorical_partition("way", WAYS, singles, unseen=1))
    all_but_car = ways.options([(0,), (1, 2, 3, 4, 5)])[1]
    assert all_but_car.label == "bus, train and 3 more, or something else"
    assert all_but_car.members == ("bus", "train", "tram", "bike", "foot")


def test_many_answers_become_a_list_of_categories() -> None:
    letters = CategoricalDomain(tuple("abcdefghijklmnop"))
    groups = [["a", "p"], *([sign] for sign in "bcdefghijklmno")]
    question = wording(categorical_partition("x", letters, groups, missing=15)).question()
    assert [(pick.label, pick.value) for pick in question.picks[:2]] == [("a", "0"), ("b", "1")]
    assert [(pick.label, pick.value) for pick in question.picks[-2:]] == [
        ("p", "0"),
        ("no answer", "15"),
    ]
    shared = categorical_partition("x", letters, groups, missing=3, unseen=4)
    assert [(pick.label, pick.value) for pick in wording(shared).question().picks[-2:]] == [
        ("something else", "4"),
        ("no answer", "3"),
    ]
    numbers = wording(numeric_partition("age", AGES, list(range(5, 75, 5)))).question()
    assert [pick.label for pick in numbers.picks] == [option.label for option in numbers.options]


def test_thousands_of_categories() -> None:
    many = CategoricalDomain(tuple(f"place {i}" for i in range(6_000)))
    part = categorical_partition("x", many, [[category] for category in many.categories])
    assert len(wording(part).question().picks) == 6_000


def test_names() -> None:
    assert asked("a") == "A"
    assert asked("_") == "_"
    part = numeric_partition("two\nlines", AGES, [17])
    with pytest.raises(ParameterError, match="line break"):
        wording(part).question()
    assert runs([0, 1, 4]) == "0-1.4"


def test_a_menu_names_only_what_its_categories_do_not() -> None:
    part = categorical_partition("way", WAYS, [["car"], ["bus", "train"], ["tram", "bike", "foot"]])
    assert wording(part).labels([[(0,), (1, 2)], [(0, 1), (2,)]]) == {}
    own = wording(part, buckets={"bus, train": "public"})
    assert own.labels([[(0,), (1, 2)], [(0, 1), (2,)]]) == {
        "1-2": "tram, bike, foot or public",
        "0-1": "car or public",
    }
    grades = categorical_partition("grade", GRADES, [[each] for each in GRADES.categories])
    assert wording(grades).labels([[(0, 1, 2, 3), (4,)], [(0,), (1, 3), (2, 4)]]) == {
        "0-3": "first – fourth"
    }
    ages = numeric_partition("age", AGES, [17, 62], missing=3)
    assert wording(ages).labels([[(0, 2), (1,), (3,)]]) == {
        "0.2": "under 17 or 62 and over",
        "1": "17–61",
        "3": "no answer",
    }


def test_no_two_lines_of_a_menu_are_called_the_same() -> None:
    ways = categorical_partition("way", WAYS, [[each] for each in WAYS.categories])
    named = wording(ways, buckets={"car": "bus", "bus": "bus or train", "foot": "walk"})
    assert named.labels([[(0,), (1,), (2,), (5,)]]) == {
        "0": "bus",
        "1": "bus or train",
        "5": "walk",
    }
    assert named.labels([[(0, 2), (1,)]]) == {
        "0.2": "train or bus",
        "1": "bus or train",
    }
    part = numeric_partition("age", AGES, [17, 62], labels=["a", "b", "a or b"])
    own = wording(part)
    assert own.labels([[(0, 1), (2,)], [(0,), (1, 2)], [(0, 1, 2)]]) == {
        "0-1": "a or b (0-1)",
        "2": "a or b (2)",
        "0": "a",
        "1-2": "b or a or b",
        "0-2": "a, b or a or b",
    }
