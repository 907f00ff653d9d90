"""Estimators: what they publish keeps its promise, and has the shape of what came in."""

from __future__ import annotations

import math
import warnings
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sparsam._errors import DataError, ParameterError, ReleaseError, RoleError, SparsamWarning
from sparsam._small_counts import at_most
from sparsam.anonymise import (
    Anonymiser,
    BulkLoad,
    Closeness,
    DistinctDiversity,
    EntropyDiversity,
    FullDomain,
    Greedy,
    Guided,
    Hilbert,
    Hybrid,
    Mondrian,
    RecursiveDiversity,
    _anonymiser,
    drop_one,
    verify,
)
from sparsam.anonymise._classes import Method
from sparsam.data import Roles, read

METHODS: list[type[Method]] = [Mondrian, Greedy, Guided, Hybrid, Hilbert, BulkLoad, FullDomain]
QUASI = ["age", "income", "city", "constant"]


def people(seed: int, n_rows: int) -> dict[str, Any]:
    """A small table with duplicates, a constant, missing numbers and missing words."""
    rng = np.random.default_rng(seed)
    age = np.minimum(rng.geometric(0.2, n_rows) + 17, 40).astype(float)
    age[rng.random(n_rows) < 0.2] = np.nan
    city = np.array(["Bonn", "Ulm", "Wien", None], dtype=object)[rng.integers(0, 4, n_rows)]
    return {
        "age": age,
        "income": rng.integers(0, 9, n_rows) * 1000,
        "city": city,
        "constant": np.full(n_rows, "x"),
        "illness": np.array(["flu", "cold", "none"])[rng.integers(0, 3, n_rows)],
        "person": rng.integers(0, max(2, n_rows // 2), n_rows),
        "name": np.array([f"p{i}" for i in range(n_rows)]),
    }


def published(release: Any, names: list[str] = QUASI) -> list[tuple[str, ...]]:
    """The published records, cell by cell as texts."""
    columns = [[str(value) for value in release[name]] for name in names]
    return list(zip(*columns, strict=True))


def values_by_record(release: Any, values: Any) -> list[list[Any]]:
    lists = defaultdict(list)
    for record, value in zip(published(release), values, strict=True):
        lists[record].append(value)
    return list(lists.values())


def fitted(method: type[Method], data: dict[str, Any], **more: Any) -> tuple[Anonymiser, Any]:
    anonymiser = Anonymiser(method(), **{"quasi_identifiers": QUASI, **more})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SparsamWarning)
        return anonymiser, anonymiser.fit_transform(data, data["illness"])


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(2, 90),
    k=st.integers(2, 12),
    form=st.sampled_from(["mean", "median", "mode", "draw", "ranges", "nearest"]),
    missing=st.sampled_from(["own", "known"]),
)
def test_k_holds_in_what_is_published(
    method: type[Method], seed: int, n_rows: int, k: int, form: Any, missing: Any
) -> None:
    data = people(seed, max(n_rows, k))
    anonymiser, release = fitted(method, data, k=k, publish=form, missing=missing)
    assert min(Counter(published(release)).values()) >= k
    assert list(release) == QUASI
    assert len(release["age"]) == len(data["age"])
    assert (
        anonymiser.n_suppressed_ == anonymiser.n_merged_ == anonymiser.certificate_.suppressed == 0
    )
    assert verify(release, anonymiser.certificate_).ok


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), n_rows=st.integers(12, 90), k=st.integers(2, 6))
def test_diversity_and_closeness_hold_in_what_is_published(
    method: type[Method], seed: int, n_rows: int, k: int
) -> None:
    data = people(seed, n_rows)
    data["illness"][:4] = ["flu", "cold", "none", "none"]
    models = [
        DistinctDiversity(2, "illness"),
        EntropyDiversity(1.3, "illness"),
        RecursiveDiversity(4.0, 2, "illness"),
        Closeness(0.4, "illness"),
    ]
    # in so small a table fewer than k have some illnesses
    kept = {"keep": ["illness"], "accept_unique": True}
    anonymiser, release = fitted(method, data, k=k, privacy=models, **kept)
    assert list(release) == [*QUASI, "illness"]
    whole = {v: c / n_rows for v, c in Counter(data["illness"].tolist()).items()}
    for values in values_by_record(release, release["illness"]):
        counts = sorted(Counter(values).values(), reverse=True)
        shares = {v: c / len(values) for v, c in Counter(values).items()}
        assert len(values) >= k
        assert len(counts) >= 2
        assert math.exp(-sum(p * math.log(p) for p in shares.values())) >= 1.3 - 1e-6
        assert counts[0] < 4 * sum(counts[1:])
        assert sum(abs(shares.get(v, 0) - whole[v]) for v in whole) / 2 <= 0.4 + 1e-6
    assert len(anonymiser.certificate_.demands) == 5


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), n_rows=st.integers(30, 90))
def test_rows_of_one_person_count_once(method: type[Method], seed: int, n_rows: int) -> None:
    data = people(seed, n_rows)
    anonymiser, release = fitted(method, data, k=4, entity="person")
    for whose in values_by_record(release, data["person"]):
        assert len(set(whose)) >= 4
    assert "person" not in release
    assert anonymiser.certificate_.smallest_people >= 4


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(10, 80),
    n_new=st.integers(1, 80),
    k=st.integers(2, 10),
    budget=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
)
def test_new_rows_are_never_published_in_smaller_classes(
    method: type[Method], seed: int, n_rows: int, n_new: int, k: int, budget: float
) -> None:
    data, new = people(seed, n_rows), people(seed + 1, n_new)
    new["city"] = np.where(new["income"] > 6000, "Graz", new["city"])  # never seen
    anonymiser, _ = fitted(method, data, k=k, max_suppressed=budget)
    before = anonymiser.certificate_
    if n_new < k:
        with pytest.raises(ReleaseError, match=f"{n_new:,} rows together"):
            anonymiser.transform(new)
        return
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            release = anonymiser.transform(new)
        except ReleaseError:  # its levels are fixed: a record that was never seen has no class
            assert method is FullDomain
            assert anonymiser.certificate_ is before
            return
    words = " ".join(str(anonymiser.message) for anonymiser in said)
    assert min(Counter(published(release)).values()) >= k
    assert len(release["age"]) == n_new - anonymiser.n_suppressed_
    assert anonymiser.n_suppressed_ <= budget * n_new
    assert anonymiser.n_suppressed_ == anonymiser.classes_.n_suppressed
    assert anonymiser.certificate_.suppressed == at_most(anonymiser.n_suppressed_)
    assert (f"{anonymiser.n_suppressed_:,} of {n_new:,} new rows are suppressed" in words) == bool(
        anonymiser.n_suppressed_
    )
    assert ("joined another class" in words) == bool(anonymiser.n_merged_)
    towns, holes = set(new["city"]) - set(data["city"]), np.isnan(new["age"]).any()
    assert ("never seen" in words) == bool(towns or (holes and not np.isnan(data["age"]).any()))
    assert verify(release, anonymiser.certificate_).ok


@pytest.mark.parametrize("method", METHODS)
def test_the_fitted_rows_themselves_find_their_classes(method: type[Method]) -> None:
    data = people(3, 200)
    anonymiser, release = fitted(method, data, k=5)
    again = anonymiser.transform(data)
    assert published(again) == published(release)
    assert anonymiser.n_merged_ == 0


def test_too_many_small_classes_are_joined_and_few_are_suppressed() -> None:
    data = {"age": np.repeat([20, 30, 40, 50], 5)}
    new = {"age": np.array([20] * 6 + [30] * 6 + [40] * 6 + [50] * 2)}
    anonymiser = Anonymiser(Greedy(), k=5).fit(data)
    with pytest.warns(SparsamWarning, match=r"2 of 20 new rows joined another class"):
        joined = anonymiser.transform(new)
    assert joined["age"].tolist() == [20] * 6 + [30] * 6 + [40] * 8
    assert (anonymiser.n_merged_, anonymiser.n_suppressed_) == (2, 0)
    anonymiser = Anonymiser(Greedy(), k=5, max_suppressed=0.1).fit(data)
    with pytest.warns(SparsamWarning, match=r"2 of 20 new rows are suppressed"):
        fewer = anonymiser.transform(new)
    assert fewer["age"].tolist() == [20] * 6 + [30] * 6 + [40] * 6
    assert (anonymiser.n_merged_, anonymiser.n_suppressed_, anonymiser.certificate_.suppressed) == (
        0,
        2,
        5,
    )


def test_impossible_requests_say_so() -> None:
    data = {"age": [20, 21, 22]}
    with pytest.raises(DataError, match=r"3 rows together .* at least 10 rows"):
        Anonymiser(Greedy()).fit(data)
    same = {"age": [20, 21, 22], "illness": ["flu", "flu", "flu"]}
    model = DistinctDiversity(2, "illness")
    with pytest.raises(DataError, match="at least 2 different values of 'illness'"):
        Anonymiser(Greedy(), k=2, privacy=model).fit(same)
    anonymiser = Anonymiser(Greedy(), k=2, privacy=model).fit(
        {"age": [20, 21], "illness": ["flu", "cold"]}
    )
    with pytest.raises(ReleaseError, match="at least 2 different values"):
        anonymiser.transform(same)
    assert not hasattr(anonymiser, "certificate_")


def test_a_release_that_breaks_its_promise_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(source: Any, *args: Any, **more: Any) -> Any:
        return {"age": source["age"]}

    monkeypatch.setattr(_anonymiser, "publish", careless)
    anonymiser = Anonymiser(Greedy(), k=2)
    with pytest.raises(ReleaseError, match="nothing was released"):
        anonymiser.fit_transform({"age": np.array([20, 21, 40, 41])})
    assert not hasattr(anonymiser, "certificate_")


def test_a_refused_release_leaves_the_last_one_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    anonymiser = Anonymiser(Greedy(), k=2)
    anonymiser.fit_transform({"age": np.array([20, 21, 40, 41])})
    before = {name: getattr(anonymiser, name) for name in ("certificate_", "classes_", "loss_")}
    monkeypatch.setattr(_anonymiser, "publish", lambda source, *_, **__: source)
    with pytest.raises(ReleaseError, match="nothing was released"):
        anonymiser.transform({"age": np.array([20, 22, 40, 42])})
    assert {name: getattr(anonymiser, name) for name in before} == before


def test_an_older_certificate_does_not_outlive_a_fit() -> None:
    anonymiser = Anonymiser(Greedy(), k=2)
    anonymiser.fit_transform({"age": np.array([20, 21, 40, 41])})
    anonymiser.fit({"age": np.array([20, 21])})
    assert not hasattr(anonymiser, "certificate_")


FRAMES = ["pandas", "polars", "pyarrow", "mapping", "array", "table", "path"]


@pytest.mark.parametrize("kind", FRAMES)
def test_the_same_type_and_order_come_out(kind: str, tmp_path: Any) -> None:
    age, sex = np.array([40, 20, 41, 21, 60, 61]), ["f", "m", "f", "m", "f", "f"]
    index = [f"r{i}" for i in range(6)]
    frame = pd.DataFrame({"name": list("abcdef"), "sex": sex, "age": age}, index=index)
    expected = [40, 20, 40, 20, 60, 60]
    anonymiser = Anonymiser(Greedy(), k=2, quasi_identifiers=["age", "sex"])
    if kind == "pandas":
        with pytest.warns(SparsamWarning, match="row labels"):
            release = anonymiser.fit_transform(frame)
        assert release.index.equals(pd.RangeIndex(6))
        assert list(release.columns) == ["sex", "age"]
        assert release["age"].dtype == frame["age"].dtype
    elif kind == "polars":
        pl = pytest.importorskip("polars")
        release = anonymiser.fit_transform(pl.from_pandas(frame))
        assert isinstance(release, pl.DataFrame)
        assert release.columns == ["sex", "age"]
    elif kind == "pyarrow":
        pa = pytest.importorskip("pyarrow")
        release = anonymiser.fit_transform(pa.Table.from_pandas(frame, preserve_index=False))
        assert isinstance(release, pa.Table)
        release = release.to_pydict()
    elif kind == "mapping":
        release = anonymiser.fit_transform({name: frame[name].to_numpy() for name in frame})
        assert isinstance(release, dict)
    elif kind == "array":
        release = Anonymiser(Greedy(), k=2).fit_transform(age.reshape(-1, 1).astype(float))
        assert isinstance(release, np.ndarray)
        release = {"age": release[:, 0]}
    elif kind == "table":
        release = anonymiser.fit_transform(read(frame))
    else:
        frame.to_csv(tmp_path / "people.csv", index=False)
        release = anonymiser.fit_transform(tmp_path / "people.csv")
    assert list(release["age"]) == expected
    assert anonymiser.certificate_.smallest == 2 if kind != "array" else True


def test_row_labels_never_come_out(tmp_path: Any) -> None:
    """`to_parquet` would write them: the number of a patient on every row."""
    frame = pd.DataFrame({"age": [20, 20, 99, 20]}, index=list("abcd"))
    anonymiser = Anonymiser(Greedy(), k=2, max_suppressed=0.25).fit(
        pd.DataFrame({"age": [20, 20, 99, 99]})
    )
    with (
        pytest.warns(SparsamWarning, match="1 of 4 new rows are suppressed"),
        pytest.warns(SparsamWarning, match="row labels"),
    ):
        release = anonymiser.transform(frame)
    assert release.index.equals(pd.RangeIndex(3))
    release.to_parquet(tmp_path / "r.parquet")
    assert verify(tmp_path / "r.parquet", anonymiser.certificate_).ok
    levels = pd.MultiIndex.from_arrays([list("abcd"), range(4)])
    with pytest.warns(SparsamWarning, match="row labels"):
        assert (
            Anonymiser(Greedy(), k=2)
            .fit_transform(frame.set_index(levels))
            .index.equals(pd.RangeIndex(4))
        )
    counted = pd.DataFrame({"age": [20, 20, 21, 21, 22, 22]})
    assert (
        len(Anonymiser(Greedy(), k=2).fit_transform(counted.iloc[2:])) == 4
    )  # numbers of rows are no names


def test_columns_that_make_rows_unique_are_refused() -> None:
    rng = np.random.default_rng(0)
    data = {"age": rng.integers(20, 80, 400), "pay": rng.normal(size=400).round(3)}
    data["ill"] = rng.choice(["flu", "cold", "none"], 400)
    data["days"] = rng.integers(0, 30, 400)
    common = {"quasi_identifiers": ["age"], "k": 5}
    assert Anonymiser(Greedy(), **common, keep=["ill"]).fit_transform(data) is not None
    refused = Anonymiser(Greedy(), **common, keep=["ill", "pay"])
    with pytest.raises(ReleaseError, match="'pay', 'ill': 100% of the 400 rows") as error:
        refused.fit_transform(data)
    assert "accept_unique=True" in str(error.value)
    assert not hasattr(refused, "certificate_")
    # every number of days is common, and hardly any whole row is
    with pytest.raises(ReleaseError, match="whole row that no other row is equal to"):
        Anonymiser(Greedy(), **common, keep=["days"]).fit_transform(data)
    # small classes that are diverse must have unique rows: a column of labels is no name
    diverse = Anonymiser(
        Greedy(), quasi_identifiers=["age"], k=2, privacy=DistinctDiversity(2, "ill")
    )
    diverse.set_params(keep=["ill"]).fit_transform(
        {"age": np.arange(400), "ill": np.array(["flu", "cold", "none", "gout"] * 100)}
    )
    assert diverse.certificate_.whole_rows.unique > 200
    accepted = Anonymiser(Greedy(), **common, keep=["ill", "pay"], accept_unique=True)
    accepted.fit_transform(data)
    assert accepted.certificate_.whole_rows.unique > 390
    assert accepted.certificate_.parameters["accept_unique"] is True


def test_what_is_only_measured_may_keep_a_column() -> None:
    data = {"age": np.arange(40) % 20, "zip": np.arange(40)}
    costs = drop_one(
        data,
        np.arange(40) % 2,
        anonymiser=Anonymiser(Greedy(), k=2),
        then="kept",
        score=lambda release, y: 0.5,
    )
    assert {row.name for row in costs.rows} == {"age", "zip"}


def test_only_quasi_identifiers_and_columns_to_keep_come_out() -> None:
    data = people(0, 40)
    roles = Roles(identifiers=["name"], quasi_identifiers=["age", "city"])
    release = Anonymiser(Greedy(), k=3, roles=roles, keep=["illness"]).fit_transform(data)
    assert list(release) == ["age", "city", "illness"]
    assert release["illness"].tolist() == data["illness"].tolist()
    everything = Anonymiser(
        Greedy(), k=3, roles=Roles(identifiers=["name"]), entity="person", keep=["illness"]
    )
    assert list(everything.fit_transform(data)) == [*QUASI, "illness"]


def test_declared_missing_texts_and_orders_are_kept_to() -> None:
    data = {"size": np.array(["S", "M", "?", "L", "S", "M", "L", "?"])}
    roles = Roles(ordered={"size": ["S", "M", "L"]}, missing_values=["?"])
    anonymiser = Anonymiser(Greedy(), k=2, roles=roles, publish="ranges").fit(data)
    assert anonymiser.attributes_[0].kind == "ordered"
    assert anonymiser.attributes_[0].missing
    release = anonymiser.transform({"size": np.array(["S", "M", "S", "?", "?", "M"])})
    assert Counter(release["size"].tolist()) == {"S": 2, "M": 2, None: 2}


def test_a_column_without_any_value_is_published_without() -> None:
    data = {"age": np.array([20, 21, 40, 41]), "empty": np.full(4, np.nan)}
    anonymiser = Anonymiser(Mondrian(), k=2)
    release = anonymiser.fit_transform(data)
    assert np.isnan(release["empty"].astype(float)).all()
    full = anonymiser.transform({"age": np.array([20, 21, 41, 40]), "empty": np.full(4, np.nan)})
    assert full["age"].tolist() == [20, 20, 40, 40]
    with pytest.warns(SparsamWarning, match="4 of 4 new rows have values that were never seen"):
        known = anonymiser.transform({"age": np.array([20, 21, 41, 40]), "empty": np.arange(4.0)})
    assert len(set(known["empty"].tolist())) == 2


def test_values_that_are_missing_only_later_are_not_lost() -> None:
    anonymiser = Anonymiser(Greedy(), k=2).fit(
        {"age": np.array([20.0, 21, 40, 41]), "city": list("aabb")}
    )
    new = {"age": np.array([20.0, np.nan, np.nan, 41]), "city": ["a", "a", None, None]}
    with pytest.warns(SparsamWarning, match="3 of 4 new rows have values that were never seen"):
        release = anonymiser.transform(new)
    assert len(release["age"]) == 4
    assert min(Counter(published(release, ["age", "city"])).values()) >= 2


def test_many_numbers_are_routed_by_their_own_value() -> None:
    rng = np.random.default_rng(0)
    anonymiser = Anonymiser(Mondrian(), k=50).fit({"x": rng.normal(size=4000)})
    new = {"x": rng.normal(size=3000)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SparsamWarning)
        anonymiser.transform(new)
    order = np.argsort(new["x"])
    changes = np.flatnonzero(np.diff(anonymiser.classes_.of_row[order]))
    # every class that is left is one run of numbers
    assert len(changes) == (anonymiser.classes_.sizes() > 0).sum() - 1


@pytest.mark.parametrize("method", [Guided, Hybrid])
def test_a_model_guides_where_there_is_one(method: Any) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 300), "noise": rng.integers(0, 40, 300)})
    answers = np.where(frame["age"] < 35, "young", "old")
    model = DecisionTreeClassifier(random_state=0).fit(frame, answers)
    guided = Anonymiser(method(model=model), k=20).fit(frame)
    labelled = Anonymiser(method(), k=20).fit(frame, answers)
    asked = Anonymiser(method(), k=20).fit(frame, answers=answers)
    function = Anonymiser(method(model=lambda rows: np.where(rows["age"] < 35, 1, 0)), k=20).fit(
        frame
    )
    for other in (labelled, asked, function):
        assert guided.classes_.of_row.tolist() == other.classes_.of_row.tolist()
    for rows in guided.classes_.rows():
        assert len(set(answers[rows])) == 1
    numbers = DecisionTreeRegressor(max_depth=3).fit(frame, frame["age"] * 2.0)
    assert Anonymiser(method(model=numbers), k=20).fit(frame).classes_.n_classes > 4


def test_guided_methods_ask_for_answers() -> None:
    for method in (Guided, Hybrid):
        with pytest.raises(ParameterError, match=f"{method.__name__} must know what a model says"):
            Anonymiser(method(), k=2).fit({"age": [20, 21, 40]})
        with pytest.raises(DataError, match="'y' must have one value for each of the 3 rows"):
            Anonymiser(method(), k=2).fit({"age": [20, 21, 40]}, [1, 2])


def test_nearest_warns_and_follows_the_majority() -> None:
    data = {"age": np.array([20, 21, 30])}
    with pytest.warns(SparsamWarning, match="record of a real person"):
        release = Anonymiser(Greedy(), k=3, publish="nearest").fit_transform(
            data, ["no", "no", "yes"]
        )
    assert set(release["age"].tolist()) == {21}
    with pytest.warns(SparsamWarning, match="record of a real person"):
        Anonymiser(Greedy(), k=3, publish="nearest").fit_transform(data, [1.5, 2.5, 3.5])


def test_the_certificate_says_how_the_release_was_made() -> None:
    anonymiser = Anonymiser(Mondrian(strict=False), k=2)
    anonymiser.fit_transform({"age": np.array([20, 21, 40, 41])})
    assert anonymiser.certificate_.parameters["method"] == "Mondrian"
    assert anonymiser.certificate_.parameters["strict"] is False
    losses = anonymiser.certificate_.information_loss
    assert losses["tight (range)"] == anonymiser.loss_.overall
    assert set(losses) == {"tight (range)", "tight (share)", "tight (values)"}


def test_the_same_seed_draws_the_same_records() -> None:
    data = people(0, 60)
    anonymiser = [
        published(
            Anonymiser(
                Greedy(), k=5, publish="draw", random_state=s, quasi_identifiers=QUASI
            ).fit_transform(data)
        )
        for s in (1, 1, 2)
    ]
    assert anonymiser[0] == anonymiser[1]
    assert anonymiser[0] != anonymiser[2]


@pytest.mark.parametrize("method", METHODS)
def test_estimators_keep_to_the_conventions(method: type[Method]) -> None:
    model = DistinctDiversity(2, "illness")
    anonymiser = Anonymiser(method(), k=7, privacy=model, quasi_identifiers=["age"])
    copy = clone(anonymiser)
    assert type(copy.method) is method
    assert {**copy.get_params(), "method": 0} == {**anonymiser.get_params(), "method": 0}
    assert set(vars(method())) == set(method().get_params(deep=False))
    assert repr(Anonymiser(method(), k=7)) == f"Anonymiser(k=7, method={method.__name__}())"
    with pytest.raises(TypeError, match=r"surprise|no arguments"):
        method(surprise=1)
    data = people(1, 40)
    first = Anonymiser(method(), k=4, quasi_identifiers=QUASI)
    assert first.fit(data, data["illness"]) is first
    assert first.feature_names_in_.tolist() == list(data)
    assert first.n_features_in_ == len(data)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"k": 1}, "'k' parameter of Anonymiser must be an int >= 2"),
        ({"k": 2.5}, "'k' parameter of Anonymiser"),
        ({"max_suppressed": 1.5}, "'max_suppressed' parameter of Anonymiser"),
        ({"max_suppressed": True}, "'max_suppressed' parameter of Anonymiser"),
        ({"quasi_identifiers": "age"}, "'quasi_identifiers' parameter of Anonymiser"),
        ({"keep": "illness"}, "'keep' parameter of Anonymiser"),
        ({"privacy": "much"}, "'privacy' parameter of Anonymiser"),
        ({"publish": "words"}, "'how' parameter of publish"),
        ({"missing": "no"}, "'missing' parameter of publish"),
        ({"quasi_identifiers": []}, "at least one quasi-identifier"),
        ({"keep": ["age"], "quasi_identifiers": ["age"]}, "must not be kept"),
        ({"entity": "age", "quasi_identifiers": ["age"]}, "must not be entity"),
    ],
)
def test_bad_parameters_are_refused(wrong: dict[str, Any], words: str) -> None:
    data = {"age": [20, 21, 40], "illness": ["flu", "cold", "flu"]}
    with pytest.raises(ParameterError, match=words):
        Anonymiser(Greedy(), **{"k": 2, **wrong}).fit_transform(data)


def test_unknown_columns_are_named() -> None:
    data = {"age": [20, 21, 40], "illness": ["flu", "cold", "flu"]}
    with pytest.raises(RoleError, match="Did you mean 'age'"):
        Anonymiser(Greedy(), k=2, quasi_identifiers=["agee"]).fit(data)
    with pytest.raises(RoleError, match="Did you mean 'illness'"):
        Anonymiser(Greedy(), k=2, privacy=DistinctDiversity(2, "ilness")).fit(data)
    with pytest.raises(RoleError, match="'age' is not a column"):
        Anonymiser(Greedy(), k=2).fit({"age": [20, 21, 40]}).transform({"old": [1, 2]})
    with pytest.raises(DataError, match="'answers' must have one value"):
        Anonymiser(Greedy(), k=2).fit(data, answers=[1, 2])
