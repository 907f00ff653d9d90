"""What a new version collects otherwise: buckets split and joined, and what both reveal."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import (
    Generalization,
    Partition,
    categorical_partition,
    changes,
    numeric_partition,
)

AGES = NumericDomain(0, 99, integer=True)
DAYS = NumericDomain("1931-01-01", "2009-12-31", unit="date")
ORDERED = CategoricalDomain(("red", "green"), ordered=True)
COLOURS = CategoricalDomain(("red", "green", "blue"))


def age(*cuts: float, **policies: Any) -> Partition:
    return numeric_partition("age", policies.pop("domain", AGES), list(cuts), **policies)


def colour(*groups: str, **policies: Any) -> Partition:
    listed = [group.split() for group in groups]
    domain = CategoricalDomain(tuple(c for c in (*COLOURS.categories, "pink", "grey")
                                     if any(c in group for group in listed)))  # fmt: skip
    return categorical_partition("colour", policies.pop("domain", domain), listed, **policies)


def compared(before: Partition | None, after: Partition | None) -> Any:
    other = numeric_partition("other", AGES, [])
    old, new = (Generalization([part, other] if part else [other]) for part in (before, after))
    named = [c for c in changes(old, new).attributes if c.attribute != "other"]
    return named[0] if named else None


@pytest.mark.parametrize(
    ("before", "after", "relation", "words"),
    [
        (age(30, 40, 50), age(30, 50), "coarser", ["30–39 and 40–49 are one now: 30–49"]),
        (age(30, 50), age(30, 40, 50), "finer", ["30–49 is told apart now: 30–39 and 40–49"]),
        (
            age(30, 50),
            age(20, 30, 40),
            "regrouped",
            [
                "under 30 is told apart now: under 20 and 20–29",
                "30–49 | 50 and over are cut otherwise now: 30–39 | 40 and over",
            ],
        ),
        (
            colour("red", "green", "blue"),
            colour("red blue", "green"),
            "coarser",
            ["red and blue are one now: red, blue"],
        ),
        (age(), age(30), "gained", ["collected now, in 2 buckets (under 30 | 30 and over)"]),
        (None, age(30), "gained", ["collected now, in 2 buckets (under 30 | 30 and over)"]),
        (age(30), age(), "lost", ["no longer collected; before in 2 buckets"]),
        (
            age(30),
            None,
            "lost",
            ["no longer collected, and no longer in the document; before in 2 buckets"],
        ),
        (age(30), age(30), "same", []),
        (age(), None, "same", []),
    ],
)
def test_buckets_by_the_labels_that_people_know(before, after, relation, words):
    change = compared(before, after)
    assert change.relation == relation
    assert list(change.sentences) == words
    assert change.finer == (relation in ("gained", "finer", "regrouped"))
    assert change.coarser == (relation in ("lost", "coarser", "regrouped"))


def test_a_range_that_grew_is_no_finer_bucket():
    change = compared(age(30), age(30, domain=NumericDomain(-5, 120, integer=True)))
    assert change.relation == "reworded"
    assert change.sentences == ("whole numbers -5 to 120 now, whole numbers 0 to 99 before",)
    assert change.together.domain == NumericDomain(-5, 120, integer=True)


def test_what_lies_beyond_an_old_range_was_in_its_last_bucket_unless_refused():
    wide = NumericDomain(0, 150, integer=True)
    assert compared(age(30), age(30, 120, domain=wide)).relation == "finer"
    refused = compared(age(30, beyond="error"), age(30, 120, domain=wide))
    assert "numbers beyond the range are accepted now" in refused.sentences
    assert refused.relation == "reworded"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (age(30), age(30, missing=2), "missing values are accepted now"),
        (age(30, missing=1), age(30), "missing values are refused now"),
        (age(30), age(30, labels=["young", "old"]), "“under 30” is called “young” now"),
        (colour("red", "green"), colour("red", "green", unseen=1),
         "categories never seen are accepted now"),
        (colour("red", "green"), colour("red", "green", "pink"), "new: pink"),
        (colour("red", "green", "pink"), colour("red", "green"), "no longer listed: pink"),
        (colour("red", "green"), colour("red", "green", domain=ORDERED),
         "the categories are ordered now"),
    ],
)  # fmt: skip
def test_what_is_accepted_and_what_it_is_called_are_remarks(before, after, words):
    change = compared(before, after)
    assert change.relation == "reworded"
    assert words in change.sentences


def test_missing_values_that_leave_a_shared_bucket_are_told_apart():
    change = compared(age(30, missing=1), age(30, missing=2))
    assert change.relation == "finer"
    assert change.steps[0].before == ("30 and over, or missing",)
    assert change.steps[0].after == ("30 and over", "missing")


@pytest.mark.parametrize(
    "after",
    [
        numeric_partition("age", DAYS, ["1960-01-01"]),
        numeric_partition("age", NumericDomain(0, 99, age_on="2024-12-31"), [30]),
        categorical_partition("age", CategoricalDomain(("a", "b")), [["a"], ["b"]]),
    ],
)
def test_other_kinds_of_values_cannot_be_compared_and_may_be_finer(after):
    change = compared(age(30), after)
    assert change.relation == "not comparable"
    assert change.finer
    assert "cannot be told" in change.sentences[0]
    assert "numbers before" in change.sentences[0]


def test_ranges_of_days_are_joined_too():
    births = [
        numeric_partition("age", domain, ["1960-01-01"])
        for domain in (DAYS, NumericDomain("1940-01-01", "2015-12-31", unit="date"))
    ]
    change = compared(*births)
    assert change.relation == "reworded"
    assert str(change.together.domain.high) == "2015-12-31"


def test_both_versions_together_tell_more_than_either():
    old, new = Generalization([age(30), colour("red", "green")]), Generalization([age(40)])
    both = changes(old, new)
    assert both.together["age"].labels == ("under 30", "30–39", "40 and over")
    assert both.together["colour"] == old["colour"]
    assert [change.only_together for change in both.attributes] == [1, 0]
    assert [version.names for version in both.versions()] == [("age", "colour")] * 2
    assert both.versions()[1]["colour"].collected is False


def test_who_is_protected_by_either_is_protected_of_both():
    old, new = (
        Generalization([age(30)], {"target": target, "personal": [who], "minimiser": "PrivacyTree"})
        for target, who in (("y", "sex"), ("z", "race"))
    )
    about = changes(old, new.with_about({**new.about, "evidence": 1})).together.about
    assert "evidence" not in about  # it is that of the new version alone
    assert about["target"] == "z"
    assert about["personal"] == ["race", "sex"]
    assert about["declared"] == []


def test_many_labels_are_not_all_named():
    change = compared(age(*range(10, 90, 2)), age(10, 88))
    assert "… and 34 more buckets" in change.sentences[0]


def test_of_very_many_changes_the_first_are_told_in_words():
    change = compared(age(*range(2, 90, 2)), age(*range(4, 90, 4)))
    assert len(change.steps) == 22
    assert change.sentences[-1] == "2 more such changes of buckets"


cuts = st.lists(st.integers(1, 9), max_size=4, unique=True).map(sorted)


@given(cuts, cuts)
def test_finer_is_what_does_not_refine(before, after):
    small = NumericDomain(0, 9, integer=True)
    old, new = (Generalization([numeric_partition("n", small, cuts)]) for cuts in (before, after))
    change = changes(old, new).attributes[0]
    assert change.finer != old.refines(new)
    assert change.coarser != new.refines(old)
    assert changes(old, new).together.refines(new)
    assert change.together.n_buckets == old.intersect(new)["n"].n_buckets


def test_plain_data():
    told = changes(Generalization([age(30, 40)]), Generalization([age(30)])).to_dict()
    assert told["finer"] is False
    assert told["before"] == {"attributes": 1, "collected": 1, "buckets": 3}
    assert told["attributes"][0]["steps"] == [
        {"what": "joined", "before": ["30–39", "40 and over"], "after": ["30 and over"]}
    ]
