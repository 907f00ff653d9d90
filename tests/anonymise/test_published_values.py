"""What is published for a class is what a loop finds, and nothing finer."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, RoleError, SparsamWarning
from sparsam.anonymise._classes import Classes
from sparsam.anonymise._publish import Form, publish, published_values
from sparsam.anonymise._published_values import ReleasedRows, interval_label, values_of
from sparsam.data import Roles, read

LEVELS = ("low", "middle", "high")


ROLES = Roles(ordered={"level": LEVELS}, numeric=["age", "size"])


NAMES = ("age", "size", "level", "job")


@st.composite
def people(draw: st.DrawFn) -> tuple[dict[str, list[Any]], Classes]:
    n = draw(st.integers(1, 14))

    def column(values: Any) -> list[Any]:
        cells = draw(st.lists(st.one_of(st.none(), values), min_size=n, max_size=n))
        if all(value is None for value in cells):
            cells[0] = draw(values)
        return cells

    columns = {
        "age": column(st.integers(0, 9)),
        "size": column(st.sampled_from([0.25, 1.5, 2.75, 9.0])),
        "level": column(st.sampled_from(LEVELS)),
        "job": column(st.sampled_from(["cook", "nurse", "smith"])),
    }
    of_row = draw(
        st.lists(st.integers(-1, 3), min_size=n, max_size=n).filter(lambda c: max(c) > -1)
    )
    return columns, Classes(np.array(of_row), 4)


def members(values: list[Any], classes: Classes, number: int) -> list[Any]:
    return [value for value, c in zip(values, classes.of_row, strict=True) if c == number]


def slow_mode(values: list[Any], order: tuple[Any, ...]) -> Any:
    counts = Counter(values)
    most = max(counts.values())
    return next(v for v in (*order, None) if counts.get(v) == most)


def slow_average(name: str, values: list[Any], how: str) -> Any:
    known = sorted(
        (v for v in values if v is not None), key=LEVELS.index if name == "level" else None
    )
    order = {"age": range(10), "size": (0.25, 1.5, 2.75, 9.0), "level": LEVELS}.get(
        name, ("cook", "nurse", "smith")
    )
    if how == "mode" or name == "job":
        return slow_mode(values, tuple(order))
    if len(values) - len(known) > len(known):
        return None
    if how == "mean" and name in ("age", "size"):
        mean = statistics.fmean(known)
        return round(mean) if name == "age" else mean
    return known[(len(known) - 1) // 2]


@pytest.mark.parametrize("how", ["mean", "median", "mode"])
@given(people())
@settings(max_examples=60)
def test_averages_are_what_a_loop_finds(how: Form, case: Any) -> None:
    columns, classes = case
    release = publish(columns, read(columns, roles=ROLES), classes, how)
    kept = [c for c in classes.of_row if c >= 0]
    for name in NAMES:
        expected = [slow_average(name, members(columns[name], classes, c), how) for c in kept]
        published = [None if pd.isna(value) else value for value in release[name]]
        assert published == pytest.approx(expected) if name == "size" else published == expected


@given(st.floats(-1e6, 1e6), st.integers(1, 40))
def test_the_mean_of_equal_numbers_is_that_number(value: float, n: int) -> None:
    columns = {"x": [value] * n + [value + 1.5]}
    classes = Classes(np.append(np.zeros(n, np.int64), 1), 2)
    release = publish(columns, read(columns, roles=Roles(numeric=["x"])), classes)
    assert set(release["x"].tolist()[:-1]) == {columns["x"][0]}


@given(people(), st.integers(0, 5))
@settings(max_examples=60)
def test_a_draw_is_one_record_of_values_that_the_class_has(case: Any, seed: int) -> None:
    columns, classes = case
    table = read(columns, roles=ROLES)
    for missing in ("own", "known"):
        release = publish(columns, table, classes, "draw", missing=missing, random_state=seed)
        again = publish(columns, table, classes, "draw", missing=missing, random_state=seed)
        for name in NAMES:
            cells = [None if pd.isna(value) else value for value in release[name]]
            assert cells == [None if pd.isna(value) else value for value in again[name]]
            kept = [c for c in classes.of_row if c >= 0]
            for number in set(kept):
                inside = members(columns[name], classes, number)
                published = {cell for cell, c in zip(cells, kept, strict=True) if c == number}
                assert len(published) == 1
                assert published <= set(inside)
                if missing == "known" and set(inside) != {None}:
                    assert published != {None}


def test_a_draw_follows_the_class() -> None:
    table = read({"x": ["a"] * 900 + ["b"] * 100})
    drawn = []
    for seed in range(300):
        released = ReleasedRows.of(Classes(np.zeros(1000, np.int64), 1))
        drawn += published_values(table, released, "draw", random_state=seed)["x"]
    assert 20 <= drawn.count("b") <= 42


@given(people(), st.lists(st.sampled_from("yn"), min_size=14, max_size=14))
@settings(max_examples=60)
def test_the_nearest_record_is_one_of_the_majority(case: Any, labels: list[str]) -> None:
    columns, classes = case
    answers = np.array(labels[: len(classes.of_row)])
    table = read(columns, roles=ROLES)
    with pytest.warns(SparsamWarning, match="record of a real person"):
        release = publish(columns, table, classes, "nearest", answers=answers)
    kept = np.flatnonzero(classes.of_row >= 0)
    for place, row in enumerate(kept):
        record = tuple(None if pd.isna(release[n][place]) else release[n][place] for n in NAMES)
        inside = np.flatnonzero(classes.of_row == classes.of_row[row])
        counts = Counter(answers[inside].tolist())
        most = min(label for label in counts if counts[label] == max(counts.values()))
        among = {tuple(columns[n][i] for n in NAMES) for i in inside if answers[i] == most}
        assert record in among


def test_the_nearest_record_is_scaled() -> None:
    """Unscaled distances let one column pick the representative."""
    columns = {"income": [10_000, 10_500, 11_000, 90_000], "children": [9, 1, 0, 1]}
    classes = Classes(np.array([0, 0, 0, 1]), 2)
    with pytest.warns(SparsamWarning):
        release = publish(columns, read(columns), classes, "nearest")
    assert release["income"].tolist() == [10_500] * 3 + [90_000]
    assert release["children"].tolist() == [1, 1, 1, 1]
    far = {"income": [10_000, 10_400, 10_800, 90_000], "children": [1, 9, 1, 1]}
    with pytest.warns(SparsamWarning):
        release = publish(far, read(far), classes, "nearest")
    assert release["children"].tolist() == [1, 1, 1, 1]


@given(people())
@settings(max_examples=60)
def test_ranges_cover_the_class_and_tell_nothing_finer(case: Any) -> None:
    columns, classes = case
    release = publish(columns, read(columns, roles=ROLES), classes, "ranges")
    kept = [c for c in classes.of_row if c >= 0]
    for place, number in enumerate(kept):
        for name in NAMES:
            inside = members(columns[name], classes, number)
            known = {value for value in inside if value is not None}
            text = release[name][place]
            if not known:
                assert pd.isna(text)
                continue
            assert text.endswith(" or missing") == (None in inside)
            check_covers(name, text.removesuffix(" or missing"), known, columns[name])


def check_covers(name: str, text: str, known: set[Any], column: list[Any]) -> None:
    if name in ("age", "size"):
        ends = [float(part) for part in text.replace("–", " to ").split(" to ")]
        assert (ends[0], ends[-1]) == (min(known), max(known))
    elif text == "all values":
        domain = set(LEVELS) if name == "level" else {v for v in column if v is not None}
        assert known == domain
    else:
        assert set(text.split(", ")) == known


def test_runs_and_names_that_look_like_sets() -> None:
    levels = ("a", "b", "c", "d", "e")
    columns = {
        "level": ["b", "c", "d", "a", "e", "a"],
        "job": ["x, y", "x", "y", "missing", "all values", "x"],
    }
    table = read(columns, roles=Roles(ordered={"level": levels}))
    classes = Classes(np.array([0, 0, 0, 1, 1, 2]), 3)
    release = publish(columns, table, classes, "ranges")
    assert release["level"].tolist() == ["b – d"] * 3 + ["a, e"] * 2 + ["a"]
    assert release["job"].tolist() == [
        *['x, "x, y", y'] * 3,
        *['"all values", "missing"'] * 2,
        "x",
    ]


def test_a_range_of_bins_reaches_to_their_ends() -> None:
    values = [float(i) for i in range(100)]
    table = read({"x": values}, max_codes=4)
    release = publish({"x": values}, table, Classes(np.repeat([0, 1], 50), 2), "ranges")
    assert release["x"].tolist() == ["0–49"] * 50 + ["50–99"] * 50


@pytest.mark.parametrize("how", ["mean", "median", "mode", "draw", "ranges"])
@pytest.mark.parametrize("missing", ["own", "known"])
def test_no_row_is_lost_to_a_missing_value(how: Form, missing: Any) -> None:
    """A peer loses every row with a missing value: 200 in, 160 out."""
    rng = np.random.default_rng(0)
    age = rng.integers(0, 90, 200).astype(float)
    age[::5] = np.nan
    frame = pd.DataFrame({"age": age, "who": range(200)})
    classes = Classes(np.arange(200) // 10, 20)
    table = read(frame[["age"]])
    release = publish(frame, table, classes, how, missing=missing, keep=["who"])
    assert release["who"].tolist() == list(range(200))
    if missing == "known" or how in ("mean", "median", "ranges"):
        assert release["age"].notna().all()


def test_the_policy_for_missing_values() -> None:
    columns = {"x": [1, None, None, 5, 7, None], "c": ["a", None, None, "b", "b", None]}
    classes = Classes(np.array([0, 0, 0, 1, 1, 1]), 2)
    table = read(columns)
    for how in ("mean", "median", "mode"):
        own = publish(columns, table, classes, how)
        assert [pd.isna(value) for value in own["x"]] == [True] * 3 + [False] * 3
        assert [pd.isna(value) for value in own["c"]] == [True] * 3 + [False] * 3
        known = publish(columns, table, classes, how, missing="known")
        assert known["x"].tolist()[0] == 1
        assert known["c"].tolist() == ["a"] * 3 + ["b"] * 3


def test_labels_of_a_hierarchy() -> None:
    columns = {"place": ["Ulm", "Bonn", "Wien", "Graz", "Linz", "Wien"]}
    table = read(columns)
    assert table.attributes[0].domain.categories == ("Bonn", "Graz", "Linz", "Ulm", "Wien")
    levels = [
        ["Bonn", "Graz", "Linz", "Ulm", "Wien"],
        ["Germany", "Austria", "Austria", "Germany", "Austria"],
        ["*"] * 5,
    ]
    classes = Classes(np.array([0, 0, 1, 1, 2, 1]), 3)
    release = publish(columns, table, classes, "hierarchy", hierarchies={"place": levels})
    assert release["place"].tolist() == ["Germany"] * 2 + ["Austria"] * 2 + ["Linz", "Austria"]
    whole = publish(columns, table, classes, "hierarchy", hierarchies={"place": levels[1:2]})
    assert whole["place"].tolist() == ["Germany"] * 2 + ["Austria"] * 4
    mixed = Classes(np.zeros(6, np.int64), 1)
    with pytest.raises(DataError, match="1 of 1 classes have several on all 1 levels"):
        publish(columns, table, mixed, "hierarchy", hierarchies={"place": levels[:1]})
    with pytest.raises(DataError, match="a label for each of its 5 values"):
        publish(columns, table, mixed, "hierarchy", hierarchies={"place": [["*", "*"]]})
    with pytest.raises(RoleError, match="'place' is not an attribute with a hierarchy"):
        publish(columns, table, mixed, "hierarchy")


def test_missing_has_its_label_in_a_hierarchy() -> None:
    columns = {"x": ["a", None, "b", None]}
    table = read(columns)
    levels = [["a", "b", None], ["letter", "letter", "none"], ["*"] * 3]
    classes = Classes(np.array([0, 1, 0, 1]), 2)
    release = publish(columns, table, classes, "hierarchy", hierarchies={"x": levels})
    assert release["x"].tolist() == ["letter", None, "letter", None]
    both = publish(
        columns, table, Classes(np.zeros(4, int), 1), "hierarchy", hierarchies={"x": levels}
    )
    assert both["x"].tolist() == ["*"] * 4


def test_dates_are_published_as_texts_and_their_ranges_in_words() -> None:
    days = ["1960-03-02", "1969-11-30", "1971-01-01", None, "1999-12-31", "1980-05-05"]
    table = read(
        {"birth": [*days, *(f"{year}-01-01" for year in range(1900, 2000))]}, max_codes=100
    )
    attribute, codes = table.attributes[0], table.codes[:6].copy()
    assert [values_of(attribute)[code] for code in codes[:, 0]] == [
        *("1960-07-01", "1969-07-02", "1971-07-02", None, "1999-07-02", "1980-07-01")
    ]
    assert interval_label(attribute.lows[60], attribute.highs[69], attribute.domain) == "1960–1969"
