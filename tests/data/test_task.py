from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparsam._errors import DataError, RoleError
from sparsam.data import CategoricalDomain, NumericDomain, Roles, Task, read, resolve, split

ROWS: dict[str, Any] = {
    "age": [30, 41, 52, 30],
    "sex": ["f", "m", "m", "f"],
    "grade": ["low", "high", "low", "low"],
    "pay": [1.5, 2.5, 3.5, 4.5],
    "employed": ["no", "yes", "yes", "no"],
}


def test_a_task():
    roles = Roles("employed", weights={"sex": 2}, ordered={"grade": ["low", "high"]})
    task = resolve(ROWS, roles)
    assert task.names == ("age", "sex", "grade", "pay")
    assert task.target.tolist() == [0, 1, 1, 0]
    assert (task.classes, task.target_name) == (("no", "yes"), "employed")
    assert task.personal == (1, 2)
    assert task.weights == (2.0, 1.0)
    assert task.sizes == (3, 2, 2, 4)
    assert (task.n_rows, task.codes.shape) == (4, (4, 4))
    assert task.roles is roles
    assert "no" not in repr(task).replace("Task", "").split()


@pytest.mark.parametrize(
    ("personal", "places"),
    [("categorical", (1, 2)), ("all", (0, 1, 2, 3)), (["pay", "sex"], (1, 3)), ("age", (0,))],
)
def test_personal(personal: Any, places: tuple[int, ...]):
    assert resolve(ROWS, Roles("employed", personal=personal)).personal == places


def test_take():
    task = resolve(ROWS, Roles("employed"))
    for rows in ([3, 1], np.array([False, True, False, True])):
        part = task.take(rows)
        np.testing.assert_array_equal(part.codes, task.codes[rows])
        np.testing.assert_array_equal(part.target, task.target[rows])
        assert part.classes == task.classes
    assert task.take([]).n_rows == 0


@pytest.mark.parametrize(
    "roles",
    [
        Roles("emploed"),
        Roles("emploed>3"),
        Roles("employed", personal=["agee"]),
        Roles("employed", quasi_identifiers=["agee"]),
        Roles("employed", sensitive=["agee"]),
        Roles("employed", identifiers=["agee"]),
        Roles("employed", categorical=["agee"]),
        Roles("employed", personal=["age"], weights={"agee": 1}),
    ],
)
def test_wrong_names_get_a_suggestion(roles: Roles):
    for source in (ROWS, read(ROWS)):
        with pytest.raises(RoleError, match=r"Did you mean '(age|employed)'?"):
            resolve(source, roles)


def test_a_weight_belongs_to_a_personal_attribute():
    with pytest.raises(RoleError, match="'age' must belong to a personal attribute"):
        resolve(ROWS, Roles("employed", weights={"age": 2}))


def test_no_target():
    with pytest.raises(RoleError, match="A target must be declared"):
        resolve(ROWS, Roles())


def test_numeric_targets():
    assert resolve(ROWS, Roles("pay")).numbers.tolist() == ROWS["pay"]
    many = {"x": [1, 2] * 20, "n": range(40)}
    assert resolve(many, Roles("n")).numbers.tolist() == list(range(40))
    assert resolve(ROWS, Roles("age")).classes == ("30", "41", "52")
    assert resolve(ROWS, Roles("pay>=2.5")).target.tolist() == [0, 1, 1, 1]
    assert resolve(ROWS, Roles("pay", categorical=["pay"])).classes[0] == "1.5"
    task = resolve(ROWS, Roles("pay in bins(2, 4)"))
    assert (task.target.tolist(), len(task.classes)) == ([0, 1, 1, 2], 3)
    assert task.target_name == "pay in bins(2, 4)"


def test_a_number_is_kept_beside_the_parts_of_its_range():
    pay = np.random.default_rng(0).lognormal(10, 1, 3000)
    table = {"x": [1, 2, 3] * 1000, "pay": pay}
    for task in (
        resolve(table, Roles("pay")),
        resolve(read(table, roles=Roles("pay")), Roles("pay")),
        resolve({"x": table["x"]}, Roles(), y=pay),
    ):
        np.testing.assert_array_equal(task.numbers, pay)
        assert np.bincount(task.target).tolist() == [375] * 8
        assert (np.diff(task.target[np.argsort(pay)].astype(int)) >= 0).all()
        assert "a number" in repr(task)
        some = task.take([7, 3])
        np.testing.assert_array_equal(some.numbers, pay[[7, 3]])
        np.testing.assert_array_equal(some.join(some).numbers, pay[[7, 3, 7, 3]])
    with pytest.raises(DataError, match=r"(?s)'pay' was cut into bins.*with these roles"):
        resolve(read(table), Roles("pay"))
    with pytest.raises(DataError, match="must differ between rows"):
        resolve({"x": table["x"], "pay": [0.5] * 3000}, Roles("pay"))


def test_classes_that_do_not_occur_are_left_out():
    roles = Roles("grade", domains={"grade": CategoricalDomain(("none", "low", "high"))})
    task = resolve(ROWS, roles)
    assert task.classes == ("low", "high")
    assert task.target.tolist() == [0, 1, 0, 0]
    assert resolve(ROWS, Roles("pay in bins(0, 2)")).classes == (
        "pay 0 to under 2",
        "pay 2 and over",
    )


def test_a_target_with_one_class_or_holes():
    with pytest.raises(DataError, match="at least two classes"):
        resolve({**ROWS, "employed": ["no"] * 4}, Roles("employed"))
    with pytest.raises(DataError, match="at least two classes"):
        resolve(ROWS, Roles("pay>100"))
    with pytest.raises(DataError, match=r"must be known in every row. Got 2 rows"):
        resolve({**ROWS, "employed": ["no", None, None, "yes"]}, Roles("employed"))
    with pytest.raises(DataError, match=r"must be known in every row. Got 1 rows"):
        resolve({**ROWS, "pay": [1.0, 2.0, None, 3.0]}, Roles("pay>1"))
    with pytest.raises(DataError, match="'employed' has no values"):
        resolve({**ROWS, "employed": [None] * 4}, Roles("employed"))


def test_identifiers():
    rows = {"name": [f"secret{i}" for i in range(20)], "x": [1, 2] * 10, "y": ["a", "b"] * 10}
    roles = Roles("y", identifiers=["name"])
    for source in (rows, read(rows), read(rows, roles=roles)):
        assert resolve(source, roles).names == ("x",)


def test_near_identifiers_are_set_aside_unless_declared():
    rows = {"name": [f"secret{i}" for i in range(20)], "x": [1, 2] * 10, "y": ["a", "b"] * 10}
    for source in (rows, read(rows)):
        task = resolve(source, Roles("y"))
        assert task.names == ("x",)
        assert task.table.left_out == ("name",)
        assert task.table.notes[0].startswith("name: looks like an identifier")
        assert "secret" not in str(task.table.notes)
    # one in ten is no longer alone, but most are
    repeated = {**rows, "name": ["a", "a", *rows["name"][2:]]}
    assert resolve(repeated, Roles("y")).names == ("x",)
    for declared in (Roles("y", categorical=["name"]), Roles("y", personal=["name"])):
        assert resolve(rows, declared).names == ("name", "x")
    half = {**rows, "name": [*rows["name"][:10], *["a"] * 10]}
    assert resolve(half, Roles("y")).names == ("name", "x")
    few = {name: list(values)[:19] for name, values in rows.items()}
    assert resolve(few, Roles("y")).names == ("name", "x")
    with pytest.raises(DataError, match="so does every other"):
        resolve({"name": rows["name"], "y": rows["y"]}, Roles("y"))


def test_numbers_of_rows_are_set_aside_and_amounts_are_not():
    rng = np.random.default_rng(0)
    rows = {
        "nr": rng.permutation(300),
        "customer_id": rng.choice(10**6, 300, replace=False),
        "social": rng.choice(9 * 10**8, 300, replace=False) + 10**8,
        "income": rng.choice(60_000, 300, replace=False) + 20_000,
        "y": ["a", "b"] * 150,
    }
    task = resolve(rows, Roles("y"))
    assert task.names == ("income",)
    assert resolve(rows, Roles("y", numeric=["nr"])).names == ("nr", "income")


def test_of_what_is_set_aside_nothing_else_is_said():
    rows = np.arange(600)
    table = read({"id": rows, "pay": rows % 7, "works": rows % 2 == 0})
    assert any(note.startswith("id: ") for note in table.notes)
    said = [note for note in resolve(table, Roles("works")).table.notes if note.startswith("id")]
    assert len(said) == 1
    assert "set aside" in said[0]


def test_a_near_identifier_as_the_target_is_refused():
    rows = {"name": [f"secret{i}" for i in range(20)], "x": [1, 2] * 10}
    with pytest.raises(DataError, match="'name' looks like an identifier") as error:
        resolve(rows, Roles("name"))
    assert "secret" not in str(error.value)


def test_without_categories_all_that_can_be_guessed_is_personal():
    rows = {"sex": [1, 2, 1, 2], "race": [1, 9, 1, 1], "same": [3] * 4, "y": ["a", "b"] * 2}
    task = resolve(rows, Roles("y"))
    assert [task.names[place] for place in task.personal] == ["sex", "race"]
    assert "all that can be guessed are protected" in task.table.notes[0]
    some = resolve(rows, Roles("y", categorical=["race"]))
    assert [some.names[place] for place in some.personal] == ["race"]
    # and what may be codes too is not decided silently
    assert [note.partition(", read as")[0] for note in some.table.notes] == ["sex: 2 whole numbers"]
    assert not resolve(rows, Roles("y", categorical=["race", "sex"])).table.notes
    assert not resolve(rows, Roles("y", personal=["race"])).table.notes
    many = {name: values * 50 for name, values in rows.items()} | {"policy_code": [7] * 200}
    notes = resolve(many, Roles("y", categorical=["race"])).table.notes
    assert {note.partition(":")[0] for note in notes} == {"sex"}, "one value alone is no code"


def test_a_leak_of_the_target_is_named_when_it_is_looked_for():
    rng = np.random.default_rng(0)
    y = rng.random(2_000) < 0.1  # rare, so that accuracy would tell nothing
    noise = rng.random(2_000) < 0.01
    rows = {
        "age": rng.integers(20, 60, 2_000),
        "paid back": np.where(y ^ noise, "no", "yes"),
        "hint": np.where(y, rng.integers(0, 80, 2_000), rng.integers(30, 110, 2_000)),
        "y": y,
    }
    assert not resolve(rows, Roles("y")).table.notes
    notes = resolve(rows, Roles("y"), look_for_leaks=True).table.notes
    assert len(notes) == 1
    assert notes[0].startswith("paid back: alone tells the target")
    assert "--ignore" in notes[0]
    without = Roles("y", ignore=["paid back"])
    kept = resolve(rows, without, look_for_leaks=True).table
    assert kept.names == ("age", "hint")
    assert not any("alone tells" in note for note in kept.notes)


def test_constants_are_kept():
    assert resolve({**ROWS, "same": ["x"] * 4}, Roles("employed")).sizes[-1] == 1


def test_a_target_apart():
    table = read(ROWS).drop(["employed"])
    task = resolve(table, Roles(), y=["no", "yes", "yes", "no"])
    assert (task.target_name, task.classes) == ("target", ("no", "yes"))
    assert task.names == table.names
    for y in (np.array([0.0, 1.0, 1.0, 0.0]), np.array([False, True, True, False]), (0, 1, 1, 0)):
        assert resolve(table, None, y=y).target.tolist() == [0, 1, 1, 0]
    assert resolve(table, Roles("works"), y=[0, 1, 1, 0]).target_name == "works"


@pytest.mark.parametrize(
    ("y", "error"),
    [
        ([0, 1], "y must have 4 rows"),
        ([[0], [1], [0], [1]], "Got list"),
        (np.zeros((4, 1)), "one dimension"),
        ([0, 0, 0, 0], "two classes"),
        ([0, None, 1, 1], "1 rows"),
        ([None] * 4, "no values"),
    ],
)
def test_a_target_apart_that_is_refused(y: Any, error: str):
    with pytest.raises((DataError, RoleError), match=error):
        resolve(read(ROWS).drop(["employed"]), Roles(), y=y)


def test_two_targets():
    with pytest.raises(RoleError, match="not both"):
        resolve(ROWS, Roles("employed"), y=[0, 1, 0, 1])


def test_tables_too_small():
    with pytest.raises(DataError, match="at least one row"):
        resolve(read(ROWS).take([]), Roles("employed"))
    with pytest.raises(DataError, match="beside the target"):
        resolve({"y": [0, 1]}, Roles("y"))
    with pytest.raises(DataError, match="two classes"):
        resolve(read(ROWS).take([0]), Roles("employed"))


def test_a_task_checks_its_target():
    task = resolve(ROWS, Roles("employed"))
    with pytest.raises(DataError, match="one class for each"):
        Task(task.table, task.target[:2], task.classes, "x", (), (), task.roles)


# declarations that come after the reading


@pytest.mark.parametrize(
    "roles",
    [
        Roles("employed", categorical=["age"]),
        Roles("employed", ordered={"grade": ["low", "high"]}),
        Roles("employed", domains={"age": NumericDomain(0, 99, True)}),
        Roles("employed", domains={"sex": CategoricalDomain(("f", "m", "x"))}),
        Roles("employed", missing_values=["low"]),
    ],
)
def test_declaring_late_is_declaring_early(roles: Roles):
    late, early = resolve(read(ROWS), roles), resolve(ROWS, roles)
    assert late.table.fingerprint == early.table.fingerprint


def test_what_cannot_be_declared_late():
    source = {"x": np.arange(1000) / 7, "y": [0, 1] * 500}
    with pytest.raises(DataError, match=r"(?s)'x' was cut into bins.*Hint: read the table"):
        resolve(read(source), Roles("y", categorical=["x"]))
    with pytest.raises(DataError, match="'x' must lie in its declared domain"):
        resolve(read(source), Roles("y", domains={"x": NumericDomain(0, 5)}))
    wide = resolve(read(source), Roles("y", domains={"x": NumericDomain(0, 500)}))
    assert wide.table.attribute("x").domain == NumericDomain(0, 500)


def test_rows_without_a_target_are_left_out_when_asked():
    people = {"age": [30, 41, 52, 60], "works": ["no", None, "yes", "yes"]}
    with pytest.raises(DataError, match="--drop-missing-target"):
        resolve(people, Roles("works"))
    task = resolve(people, Roles("works", drop_missing_target=True))
    assert task.target.tolist() == [0, 1, 1]
    assert task.codes[:, 0].tolist() == [0, 2, 3]
    assert "works: fewer than 5 rows without a target left out" in task.table.notes
    with pytest.raises(DataError, match="no values"):
        resolve({**people, "works": [None] * 4}, Roles("works", drop_missing_target=True))


def test_ignored_columns_of_a_table_that_was_read_before():
    table = read({"age": [30, 41], "leak": ["a", "b"], "works": ["no", "yes"]})
    assert resolve(table, Roles("works", ignore=["leak"])).names == ("age",)
    with pytest.raises(RoleError, match="ignore"):
        resolve(table, Roles("works", ignore=["leaks"]))


def test_599_values_in_600_rows_do_not_reach_the_split():
    rng = np.random.default_rng(0)
    rows = {
        "case": [f"case {max(i, 1)}" for i in range(600)],
        "age": rng.integers(20, 60, 600),
        "works": rng.choice(["no", "yes"], 600),
    }
    task = resolve(rows, Roles("works"))
    assert task.names == ("age",)
    assert "case: looks like an identifier" in task.table.notes[0]
    assert split(task).test.n_rows == 180


def test_a_hundred_classes_are_a_target_and_more_are_not():
    ages = np.arange(3_030) % 60
    few, many = (np.array([f"k{i % n}" for i in range(3_030)]) for n in (100, 101))
    assert len(resolve({"age": ages, "kind": few}, Roles("kind")).classes) == 100
    with pytest.raises(DataError, match=r"'kind' must have at most 100 classes. Got 101"):
        resolve({"age": ages, "kind": many}, Roles("kind"))
