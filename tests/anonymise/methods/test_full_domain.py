"""Full-domain generalization beside a look at every combination of levels."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, ReleaseError, RoleError, SparsamWarning
from sparsam.anonymise import Anonymiser
from sparsam.anonymise._classes import Division
from sparsam.anonymise._privacy_models import (
    KAnonymity,
)
from sparsam.anonymise.methods._full_domain import FullDomain, Halves
from sparsam.anonymise.methods._lattice import MOST_NODES, Ladder
from sparsam.data import Attribute, CategoricalDomain, NumericDomain, read
from sparsam.generalization import Hierarchy


@settings(max_examples=80)
@given(seed=st.integers(0, 100_000), n_rows=st.integers(1, 60))
def test_own_hierarchies_become_coarser_up_to_one_label(
    random_codes: Callable[..., Any], seed: int, n_rows: int
) -> None:
    codes, attributes = random_codes(seed, n_rows)
    for attribute, column in zip(attributes, codes.T, strict=True):
        counts = np.bincount(column, minlength=attribute.size)
        ladder = Ladder(attribute, Halves.of(attribute, counts).levels(attribute))
        distinct = [len(np.unique(groups)) for groups in ladder.groups]
        assert distinct[0] == attribute.size
        assert distinct[-1] == 1
        assert all(a > b for a, b in pairwise(distinct))
        means = [float(losses @ counts) for losses in ladder.losses]
        assert all(a <= b + 1e-12 for a, b in pairwise(means))


def test_own_hierarchies_in_words() -> None:
    size = Attribute("size", CategoricalDomain(("S", "M", "L", "XL"), ordered=True), missing=True)
    halves = Halves.of(size, np.array([1, 1, 1, 1, 9]))
    assert halves.levels(size) == [
        ["S", "M", "L", "XL", None],
        ["S – M", "S – M", "L – XL", "L – XL", None],
        ["*"] * 5,
    ]
    age = Attribute("age", NumericDomain(0, 9, integer=True), [0.0, 4.0, 7.0], [3.0, 6.0, 9.0])
    assert Halves.of(age, np.array([5, 5, 1])).levels(age) == [
        ["0–3", "4–6", "7–9"],
        ["under 4", "4 and over", "4 and over"],
        ["*"] * 3,
    ]
    city = Attribute("city", CategoricalDomain(("Bonn", "Ulm")))
    assert Halves.of(city, np.array([1, 1])).levels(city) == [["Bonn", "Ulm"], ["*", "*"]]


def people_of(n_rows: int, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "age": rng.integers(20, 60, n_rows),
        "place": rng.choice(["Bonn", "Ulm", "Wien", "Graz"], n_rows),
    }


PLACES = Hierarchy(
    (
        ("Bonn", "D", "*"),
        ("Ulm", "D", "*"),
        ("Wien", "A", "*"),
        ("Graz", "A", "*"),
        ("Lima", "P", "*"),
    )
)


def test_labels_of_one_level_are_published_for_all() -> None:
    people = people_of(300)
    full = Anonymiser(FullDomain(), k=12, publish="hierarchy", hierarchies={"place": PLACES})
    released = full.fit_transform(people)
    level = full.partition_.levels["place"]
    names = {row[0]: row[level] for row in PLACES.rows}
    assert list(released["place"]) == [names[place] for place in people["place"]]
    assert len(set(released["age"])) > 1
    assert full.certificate_.smallest >= 12
    assert full.certificate_.parameters["level of place"] == level
    assert full.n_suppressed_ == 0
    assert full.partition_.loss >= full.loss_.overall - 1e-12


def test_the_budget_allows_finer_levels() -> None:
    people = {"age": np.array([20] * 10 + [30] * 10 + [90])}
    none = Anonymiser(FullDomain(), k=10).fit(people)
    some = Anonymiser(FullDomain(), k=10, max_suppressed=0.05).fit(people)
    assert (none.partition_.levels["age"], none.n_suppressed_) == (1, 0)
    assert (some.partition_.levels["age"], some.n_suppressed_) == (0, 1)
    assert some.partition_.loss == pytest.approx(1 / 21)
    assert none.partition_.loss == pytest.approx(11 / 21 * 60 / 70)


def test_levels_may_be_given_as_labels_and_from_files(tmp_path: Path) -> None:
    people = people_of(200)
    PLACES.save(tmp_path / "places.csv")
    place = read(people).attribute("place")
    ways: list[Any] = [PLACES, PLACES.levels(place), Hierarchy.load(tmp_path / "places.csv")]
    anonymiser = [
        Anonymiser(
            FullDomain(), k=9, publish="hierarchy", hierarchies={"place": way}
        ).fit_transform(people)
        for way in ways
    ]
    for name in people:
        assert (
            anonymiser[0][name].tolist()
            == anonymiser[1][name].tolist()
            == anonymiser[2][name].tolist()
        )


def test_new_people_with_a_record_never_seen_are_suppressed() -> None:
    people = {"age": np.repeat([20, 30, 40], 4), "job": np.repeat(["a", "b", "a"], 4)}
    full = Anonymiser(FullDomain(), k=4, max_suppressed=0.2, publish="hierarchy").fit(people)
    assert full.partition_.levels == {"age": 0, "job": 0}
    table = read(people)
    other = np.array([[0, 1]], dtype=np.uint16)  # 20 and b
    routed = full.partition_.route(np.concatenate([table.codes, other]))
    assert routed.tolist() == [*full.classes_.of_row.tolist(), -1]
    new = {"age": np.append(people["age"], 20), "job": np.append(people["job"], "b")}
    with pytest.warns(SparsamWarning, match="1 of 13 new rows are suppressed"):
        released = full.transform(new)
    assert released["age"].tolist() == people["age"].tolist()
    assert full.certificate_.smallest == 4
    strict = Anonymiser(FullDomain(), k=4).fit(people)
    with pytest.raises(ReleaseError, match=r"At most 0.0% of the 13 rows"):
        strict.transform(new)


def test_new_numbers_find_their_interval() -> None:
    people = {"age": np.array([20, 22, 40, 42]), "job": np.array(["a", "b", "c", "d"])}
    full = Anonymiser(FullDomain(), k=2, publish="hierarchy").fit(people)
    assert full.partition_.levels == {"age": 1, "job": 1}
    released = full.transform({"age": np.array([10, 30, 70, 31]), "job": np.array(list("abcd"))})
    assert released["age"].tolist() == ["under 31", "under 31", "31 and over", "31 and over"]


@given(st.data())
def test_intervals_agree_with_the_codes_of_new_numbers(data: Any) -> None:
    integer = data.draw(st.booleans())
    number = st.integers(-50, 50) if integer else st.floats(-9, 9, allow_subnormal=False)
    fitted = sorted(set(data.draw(st.lists(number, min_size=2, max_size=12))))
    ends = np.array(fitted, dtype=float)
    age = Attribute("age", NumericDomain(ends[0], ends[-1], integer=integer), ends, ends)
    halves = Halves.of(age, np.ones(len(ends), np.int64))
    new = np.array(data.draw(st.lists(number, min_size=1)), dtype=float)
    for cuts in halves.cuts:
        by_code = np.searchsorted(cuts, ends[age.encode(new)], side="right")
        assert np.searchsorted(cuts, new, side="right").tolist() == by_code.tolist()


def test_bins_that_lie_in_two_intervals_are_refused() -> None:
    wide = Attribute("age", NumericDomain(0, 9), [0.0, 5.0], [4.0, 9.0])
    with pytest.raises(DataError, match="Some lie in two"):
        Halves(((3.0,),)).levels(wide)


def test_labels_of_bins_are_not_taken_for_other_bins() -> None:
    people = {"job": np.array(["a", "b", "c", "c"])}
    levels = [["a", "b", "c"], ["*"] * 3]
    full = Anonymiser(FullDomain(), k=2, publish="hierarchy", hierarchies={"job": levels}).fit(
        people
    )
    with pytest.raises(DataError, match="New rows have other ones"):
        full.transform({"job": np.array(["a", "b", "b", "b"])})


def test_more_attributes_than_a_key_has_room_for() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 60_000, (50, 6)).astype(np.uint16)
    codes[25:] = codes[:25]
    ends = np.arange(60_000.0)
    attributes = [Attribute(f"x{j}", NumericDomain(0, 59_999), ends, ends) for j in range(6)]
    hierarchies = {a.name: [list(range(60_000))] for a in attributes}
    partition = FullDomain().part(
        Division(codes, attributes, KAnonymity(2), hierarchies=hierarchies)
    )
    assert partition.classes.sizes().tolist() == [2] * 25
    assert partition.route(codes).tolist() == partition.classes.of_row.tolist()
    assert partition.route(codes[::-1] ^ np.uint16(1)).tolist() == [-1] * 50


def test_requests_that_cannot_be_met_say_so() -> None:
    people = {"place": np.array(["Bonn", "Ulm", "Ulm"])}
    with pytest.raises(DataError, match="None of 1 does"):
        Anonymiser(FullDomain(), k=2, hierarchies={"place": [["Bonn", "Ulm"]]}).fit(people)
    with pytest.raises(DataError, match="must have a label for each of its 2 values"):
        Anonymiser(FullDomain(), k=2, hierarchies={"place": [["Bonn"]]}).fit(people)
    with pytest.raises(DataError, match="on level 0 of its hierarchy must have one label"):
        Anonymiser(FullDomain(), k=2, hierarchies={"place": [["x", "x"], ["y", "z"]]}).fit(people)
    with pytest.raises(DataError, match="at least one level"):
        Anonymiser(FullDomain(), k=2, hierarchies={"place": []}).fit(people)
    with pytest.raises(RoleError, match="Did you mean 'place'"):
        Anonymiser(FullDomain(), k=2, hierarchies={"plase": PLACES}).fit(people)
    with pytest.raises(DataError, match="rows together"):
        Anonymiser(FullDomain(), k=4).fit(people)
    wide = {f"x{j}": np.arange(40) for j in range(12)}
    with pytest.raises(DataError, match=f"At most {MOST_NODES:,} combinations"):
        Anonymiser(FullDomain(), k=2).fit(wide)


def test_days_are_published_in_words_on_every_level() -> None:
    days = [datetime.date(2020, 5, 1 + i % 30) for i in range(90)]
    attribute = read({"day": days}).attribute("day")
    levels = Halves.of(attribute, np.full(30, 3)).levels(attribute)
    assert levels[0][:2] == ["1 May 2020", "2 May 2020"]
    assert levels[-2][0] == "before 16 May 2020"
    assert levels[-2][-1] == "16 May 2020 and after"
