"""Tables as a user has them: text, holes, numbers as targets, names of people."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam._errors import DataError, ParameterError, RoleError
from sparsam.individual import Mask, mask_people, read_people
from sparsam.individual._imputation import PublicStatistics
from sparsam.individual._people import encode, split_people

NAN = float("nan")


def table(n: int = 30, **more):
    rng = np.random.default_rng(0)
    made = {
        "age": rng.integers(20, 60, n),
        "job": np.array(["clerk", "baker", "smith"])[rng.integers(0, 3, n)],
        "income": rng.random(n).round(2),
        "y": np.array(["no", "yes"])[rng.integers(0, 2, n)],
    }
    return {**made, **more}


def test_the_same_as_encode_where_nothing_is_special() -> None:
    people = read_people(table(), "y")
    plain = encode(table(), "y")
    assert people.rows is None
    assert people.n_rows == 30
    assert people.attributes == plain.attributes == ("age", "job", "income")
    assert people.encoded.X.tolist() == plain.X.tolist()
    assert people.encoded.y.tolist() == plain.y.tolist()


def test_a_target_may_be_cut_and_its_column_goes() -> None:
    people = read_people(table(), "income>=0.5")
    expected = np.where(table()["income"] >= 0.5, "income >= 0.5", "income < 0.5")
    assert people.attributes == ("age", "job", "y")
    assert people.columns["income>=0.5"].tolist() == expected.tolist()
    with pytest.raises(DataError, match="to be numbers"):
        read_people(table(), "job>3")


def test_whole_numbers_with_holes_stay_numbers() -> None:
    ages = [None if i == 4 else 5 + i for i in range(30)]
    source = table(age=np.array(ages, object))
    known = np.array([one for one in ages if one is not None], float)
    scaled = (known - known.min()) / (known.max() - known.min())
    people = read_people(source, "y")
    assert people.rows is None
    assert people.lacking == ("age",)
    assert np.isnan(people.encoded.X).nonzero() == (np.array([4]), np.array([0]))
    assert np.delete(people.encoded.X[:, 0], 4) == pytest.approx(scaled)
    people = read_people(source, "y", leave_out_incomplete=True)
    assert people.rows is not None
    assert people.rows.tolist() == [i for i in range(30) if i != 4]
    assert people.lacking == ()
    assert people.facts["left_out"] == "incomplete"
    assert people.encoded.X[:, 0] == pytest.approx(scaled)


def test_columns_that_name_people_or_nothing_are_set_aside() -> None:
    odd = table(60, name=np.array([f"Ms {i}" for i in range(60)]), nr=np.arange(60))
    people = read_people({**odd, "empty": np.full(60, NAN)}, "y")
    assert people.attributes == ("age", "job", "income")
    assert [note.partition(":")[0] for note in people.notes] == ["name", "nr", "empty"]
    assert "Ms" not in str(people.notes)
    declared = read_people(odd, "y", categorical=["name"], numeric=["nr"])
    assert declared.attributes == ("age", "job", "income", "name", "nr")
    # who applies a mask names its attributes
    assert read_people(odd, "y", attributes=["age", "nr"]).attributes == ("age", "nr")
    with pytest.raises(DataError, match="All 1 look like identifiers"):
        read_people({"name": odd["name"], "y": odd["y"]}, "y")


def test_an_attribute_without_any_value_is_refused_by_name() -> None:
    with pytest.raises(DataError, match="'income' has no value at all"):
        read_people(table(income=np.full(30, NAN)), "y", attributes=["age", "income"])
    with pytest.raises(DataError, match="income: none at all"):
        encode(table(income=np.full(30, NAN)), "y")
    with pytest.raises(DataError, match="'income' must be finite"):
        encode(table(income=np.full(30, np.inf)), "y")


def test_missing_dates_are_not_there() -> None:
    days = np.array(["2020-01-03", "2020-01-01", "NaT"] * 10, "datetime64[D]")
    people = read_people(table(age=days), "y")
    assert people.encoded.X[:3, 0].tolist()[:2] == [1.0, 0.0]
    assert np.isnan(people.encoded.X[2::3, 0]).all()


def test_a_missing_target_is_no_class() -> None:
    labels = table()["y"].astype(object)
    labels[[0, 7]] = None
    source = table(y=labels)
    with pytest.raises(DataError, match="'y' is missing in 2 of 30 rows") as caught:
        read_people(source, "y")
    assert "--drop-missing-target" in str(caught.value)
    source["income"][5] = NAN
    people = read_people(source, "y", leave_out_incomplete=True)
    assert people.encoded.classes == ("no", "yes")
    assert len(people.encoded.y) == 27
    people = read_people(source, "y", drop_missing_target=True)
    assert people.rows is not None
    assert people.rows.tolist() == [i for i in range(30) if i not in (0, 7)]
    assert people.facts["left_out"] == "without target"


def test_a_missing_text_is_a_category() -> None:
    jobs = table()["job"].astype(object)
    jobs[3] = None
    people = read_people(table(job=jobs), "y")
    assert people.rows is None
    assert len(np.unique(people.encoded.X[:, 1])) == 4


def test_numbers_may_be_categories() -> None:
    codes = np.tile([10, 9, 100], 10)
    people = read_people(table(age=codes), "y", categorical=["age"])
    assert people.encoded.X[:3, 0].tolist() == [0.0, 1.0, 0.5]  # "10" < "100" < "9"


@pytest.mark.parametrize("leave_out", [True, False])
def test_retained_and_filled_against_a_loop_over_people(leave_out: bool) -> None:
    source = table(income=np.where(np.arange(30) == 2, NAN, table()["income"]))
    people = read_people(source, "y", leave_out_incomplete=leave_out)
    rows = [i for i in range(30) if i != 2 or not leave_out]
    X, law = people.encoded.X, PublicStatistics.of(people.encoded.X)
    kept = (np.random.default_rng(1).random(X.shape) < 0.4) & ~np.isnan(X)
    about = {"rows": people.rows, "table_rows": 30} if leave_out else {}
    mask = Mask(kept, people.attributes, **about)
    retained, filled = people.retained(mask), people.filled(mask)
    assert list(retained) == list(filled) == ["age", "job", "income", "y"]
    for place, row in enumerate(rows):
        here = kept[place]
        inside = law.covariance[np.ix_(here, here)]
        gap = np.linalg.solve(inside, (X[place] - law.mean)[here]) if here.any() else []
        guess = law.mean + law.covariance[:, here] @ gap
        for j, name in enumerate(people.attributes):
            assert retained[name][place] == (source[name][row] if here[j] else None)
            expected = X[place, j] if here[j] else guess[j]
            assert filled[name][place] == pytest.approx(expected, abs=1e-6)
        assert retained["y"][place] == filled["y"][place] == source["y"][row]


def test_a_mask_of_another_table_is_refused() -> None:
    people = read_people(table(), "y")
    with pytest.raises(DataError, match="same order"):
        people.retained(Mask(np.ones((29, 3), bool), people.attributes))
    other = Mask(np.ones((30, 3), bool), people.attributes, rows=np.arange(30), table_rows=99)
    with pytest.raises(DataError, match="same order"):
        people.retained(other)
    with pytest.raises(DataError, match="lacks"):
        people.filled(Mask(np.ones((30, 1), bool), ["salary"]))


@pytest.mark.parametrize(
    ("change", "target", "options", "words"),
    [
        ({}, "z", {}, "'z' is not a column"),
        ({}, "y", {"identifiers": ["y"]}, "not both"),
        ({}, "y", {"identifiers": ["agee"]}, "Did you mean 'age'"),
        ({}, "y", {"attributes": []}, "an attribute besides"),
        ({}, "y", {"categorical": ["nothing"]}, "not a column"),
        ({"y": np.zeros(30)}, "y", {}, "at least two classes"),
    ],
)
def test_bad_input(change, target, options, words) -> None:
    with pytest.raises((DataError, RoleError), match=words) as caught:
        read_people(table(**change), target, **options)
    assert "Ms 3" not in str(caught.value)


def test_a_number_is_no_class() -> None:
    many = {"a": np.arange(100) % 7, "y": np.random.default_rng(0).random(100)}
    with pytest.raises(DataError, match="'y' has 100 different values") as caught:
        read_people(many, "y")
    assert str(many["y"][0]) not in str(caught.value)
    assert read_people(many, "y>0.5").encoded.classes == ("y <= 0.5", "y > 0.5")


def test_encode_and_apply_a_table() -> None:
    rng = np.random.default_rng(0)
    table = {
        "age": rng.integers(18, 90, 80),
        "job": rng.choice(["nurse", "clerk", "cook"], 80),
        "buys": rng.choice(["yes", "no"], 80),
    }
    encoded = encode(table, "buys")
    assert encoded.attributes == ("age", "job")
    assert encoded.classes == ("no", "yes")
    assert (encoded.X.min(0) == 0).all()
    assert (encoded.X.max(0) == 1).all()
    jobs = {"clerk": 0.0, "cook": 0.5, "nurse": 1.0}
    assert encoded.X[:, 1].tolist() == [jobs[job] for job in table["job"]]
    mask = mask_people(encoded.X, encoded.y, keep=0.25, algorithm="individualised random")
    found = Mask(mask.kept, encoded.attributes).apply(table)
    assert [one is not None for one in found["job"]] == mask.kept[:, 1].tolist()
    assert (found["buys"] == table["buys"]).all()


def test_holes_in_numbers_stay_and_in_the_target_are_refused() -> None:
    some = encode({"age": np.array([1.0, np.nan, 3.0]), "y": [0, 1, 0]}, "y")
    assert some.X[[0, 2], 0].tolist() == [0.0, 1.0]
    assert np.isnan(some.X[1, 0])
    with pytest.raises(DataError, match="missing"):
        encode({"age": [1, 2], "y": np.array([1.0, np.nan])}, "y")
    with pytest.raises(DataError, match="target"):
        encode({"age": [1, 2]}, "y")
    encoded = encode({"job": np.array(["a", None, "b"], object), "y": [0, 1, 0]}, "y")
    assert encoded.X[:, 0].tolist() == [0.5, 0.0, 1.0]


def test_people_are_divided_once() -> None:
    for own in (False, True):
        found = split_people(101, own_test=own, random_state=2)
        parts = [found.public, found.members, found.non_members]
        if own:
            parts.append(found.test)
            assert not set(found.test) & set(found.public)
        else:
            assert (found.test == found.public).all()
        assert sorted(np.concatenate(parts)) == list(range(101))
    with pytest.raises(ParameterError, match="at least 8"):
        split_people(7)


def test_a_mask_that_keeps_what_is_not_there_is_of_another_table() -> None:
    source = table(income=np.where(np.arange(30) == 2, NAN, table()["income"]))
    people = read_people(source, "y")
    mask = Mask(np.ones((30, 3), bool), people.attributes)
    for use in (people.retained, people.filled):
        with pytest.raises(DataError, match=r"'income' .* not there"):
            use(mask)
