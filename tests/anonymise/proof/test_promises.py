"""A promise is judged as a slow loop judges it, and as the models do."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sparsam.anonymise._privacy_models import (
    Closeness,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    PrivacyModel,
    RecursiveDiversity,
)
from sparsam.anonymise.proof._cells import shared_records
from sparsam.anonymise.proof._certificate import (
    ClosenessTerms,
    DistinctDiversityTerms,
    EntropyDiversityTerms,
    KAnonymityTerms,
    OneValue,
    RecursiveDiversityTerms,
    Terms,
    WholeRows,
)
from sparsam.anonymise.proof._verify import ReleaseError, certify, verify
from sparsam.data import Roles, read
from sparsam.data.source import stored_cells

K2 = [KAnonymityTerms(k=2)]


def shared_sizes(release: Any, names: list[str]) -> NDArray[np.int64]:
    """The rows that share each published record."""
    cells = stored_cells(release)
    return np.bincount(shared_records([cells[name] for name in names]))


def groups(release: dict[str, Sequence[Any]], names: Sequence[str]) -> list[list[int]]:
    lists = defaultdict(list)
    for row, key in enumerate(zip(*(release[name] for name in names), strict=True)):
        lists[key].append(row)
    return list(lists.values())


def slow_distance(inside: list[Any], whole: list[Any], order: Sequence[Any] | None) -> float:
    if order is None:
        values = set(whole)
        return (
            sum(abs(inside.count(v) / len(inside) - whole.count(v) / len(whole)) for v in values)
            / 2
        )
    steps = [v for v in order if v in whole]
    p = [inside.count(v) / len(inside) for v in steps]
    q = [whole.count(v) / len(whole) for v in steps]
    moved = [abs(sum(p[: i + 1]) - sum(q[: i + 1])) for i in range(len(steps))]
    return sum(moved) / max(len(steps) - 1, 1)


def slow_holds(terms: Terms, inside: list[Any], whole: list[Any]) -> bool:
    counts = sorted(Counter(inside).values(), reverse=True)
    if isinstance(terms, KAnonymityTerms):
        return len(inside) >= terms.k
    if isinstance(terms, DistinctDiversityTerms):
        return len(counts) >= terms.l
    if isinstance(terms, EntropyDiversityTerms):
        shares = [count / len(inside) for count in counts]
        return -sum(p * math.log(p) for p in shares) >= math.log(terms.l) - 1e-9
    if isinstance(terms, RecursiveDiversityTerms):
        return counts[0] < terms.c * sum(counts[terms.l - 1 :])
    order = range(9) if terms.distance == "ordered" else None
    return slow_distance(inside, whole, order) <= terms.t + 1e-9


ALL_TERMS: list[Terms] = [
    KAnonymityTerms(k=3),
    DistinctDiversityTerms(l=2, sensitive="s"),
    EntropyDiversityTerms(l=1.9, sensitive="s"),
    RecursiveDiversityTerms(c=1.5, l=2, sensitive="s"),
    ClosenessTerms(t=0.3, sensitive="s"),
    ClosenessTerms(t=0.2, sensitive="s", distance="ordered"),
]


@pytest.mark.parametrize("terms", ALL_TERMS, ids=lambda terms: type(terms).__name__)
@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.integers(0, 4)), min_size=1))
@settings(max_examples=60)
def test_promises_are_judged_as_a_slow_loop_judges_them(terms: Terms, rows: Any) -> None:
    release = {"a": [r[0] for r in rows], "b": [r[1] for r in rows], "s": [r[2] for r in rows]}
    whole = release["s"]
    kept = groups(release, ["a", "b"])
    holds = all(slow_holds(terms, [whole[row] for row in rows], whole) for rows in kept)
    try:
        paper = certify(release, ["a", "b"], [terms])
    except ReleaseError:
        assert not holds
    else:
        assert holds
        assert paper.classes == len(kept)
        assert paper.smallest == min(map(len, kept))
    assert sorted(shared_sizes(release, ["a", "b"]).tolist()) == sorted(map(len, kept))


LEVELS = ("low", "middle", "high")


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.sampled_from([*LEVELS, None]),
            st.one_of(st.none(), st.integers(0, 9)),
        ),
        min_size=6,
        max_size=30,
    ).filter(lambda rows: any(r[1] for r in rows) and any(r[2] for r in rows))
)
@settings(max_examples=80)
def test_models_and_the_check_agree_on_every_release(rows: Any) -> None:
    """Written twice, from codes and from cells; missing sensitive values included."""
    release = {"q": [r[0] for r in rows], "s": [r[1] for r in rows], "n": [r[2] for r in rows]}
    table = read(release, roles=Roles(ordered={"s": LEVELS}, numeric=["n"]), max_codes=4)
    models: list[PrivacyModel] = [
        KAnonymity(2),
        DistinctDiversity(2, "s"),
        EntropyDiversity(1.7, "s"),
        RecursiveDiversity(2, 2, "s"),
        Closeness(0.3, "s"),
        Closeness(0.3, "s", "ordered"),
        Closeness(0.3, "n", "ordered"),
        Closeness(0.3, "n"),
    ]
    for model in models:
        bound = model.bound(table)
        held = all(bound.holds(np.array(rows)) for rows in groups(release, ["q"]))
        try:
            certify(release, ["q"], [part.terms for part in bound.parts])
        except ReleaseError:
            assert not held
        else:
            assert held


def test_an_order_that_the_release_does_not_have_holds_nowhere() -> None:
    release = {"q": [1, 1, 1], "s": ["low", "high", "huge"]}
    terms = ClosenessTerms(t=1, sensitive="s", distance="ordered", order=("low", "high"))
    with pytest.raises(ReleaseError):
        certify(release, ["q"], [terms])
    words = ClosenessTerms(t=1, sensitive="s", distance="ordered")
    with pytest.raises(ReleaseError):
        certify(release, ["q"], [words])


def test_too_few_rows_refute_a_promise_about_people() -> None:
    release = {"age": np.array([1, 1, 1, 2, 2, 2])}
    who = {"who": np.array(list("abcdef")), "ill": np.array(list("xyzxyz"))}
    terms: list[Terms] = [
        KAnonymityTerms(k=3, entity="who"),
        DistinctDiversityTerms(l=3, sensitive="ill"),
        EntropyDiversityTerms(l=2.9, sensitive="ill"),
        RecursiveDiversityTerms(c=2, l=3, sensitive="ill"),
        ClosenessTerms(t=0.5, sensitive="ill"),
    ]
    paper = certify(release, ["age"], terms, unpublished=who)
    assert [one.held for one in verify(release, paper).findings[-5:]] == [None] * 5
    fewer = verify({"age": np.array([1, 1, 1, 1, 2, 2])}, paper)
    assert [one.held for one in fewer.findings[-5:]] == [False] * 4 + [None]


def test_whole_rows_are_counted_too() -> None:
    release = {"age": [1, 1, 1, 2, 2, 2], "ill": list("xxyzzz"), "pay": [1, 1, 3, 4, 4, 5]}
    paper = certify(release, ["age"], [KAnonymityTerms(k=3)])
    assert paper.kept == ("ill", "pay")
    assert paper.whole_rows == WholeRows(different=4, unique=2, few=6, kept_different=4, kept_few=6)
    assert paper.one_value == (OneValue("ill", 1, 3), OneValue("pay", 0, 0))
    bare = certify({"age": [1, 1, 1]}, ["age"], [KAnonymityTerms(k=3)])
    assert bare.whole_rows == WholeRows(different=1, unique=0, few=0, kept_different=0, kept_few=0)
    lying = msgspec.structs.replace(paper, whole_rows=bare.whole_rows)
    wrong = [one.words for one in verify(release, lying).findings if one.held is False]
    assert wrong == ["as many whole rows are unique as it says"]
    lying = msgspec.structs.replace(paper, one_value=(OneValue("ill", 0, 0),))
    assert not verify(release, lying).ok
