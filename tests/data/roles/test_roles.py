from __future__ import annotations

import copy
import datetime
import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, DocumentError, RoleError
from sparsam.data import CategoricalDomain, NumericDomain, Roles, carried_roles, read, resolve
from sparsam.data.source import FileFormat

FULL = Roles(
    "income>50000",
    personal=["sex", "race"],
    quasi_identifiers=["age"],
    sensitive=["race"],
    identifiers=["name", "social security no."],
    weights={"race": 2, "sex": 0.5},
    numeric=["hours"],
    categorical=["occupation"],
    ordered={"education": ["low", "high"], "grade": [1, 2, 3]},
    domains={
        "age": NumericDomain(0, 99, integer=True),
        "pay": NumericDomain(-0.5, 1e20),
        "sex": CategoricalDomain(("f", "m", 'quoted "x"\n', "Ünïcode 😀 \x7f")),
        "flag": CategoricalDomain((False, True)),
    },
    ignore=["row"],
    dates=["moved"],
    ages={"birth": "2024-12-31"},
    missing_values=["?", "n/a"],
    missing_in={"hours": ["-9"], "sex": ["N", "9"]},
    units={"hours": "a week", "pay": "EUR"},
    special={"race": "ethnic origin", "sick leave": "health", "income": "health"},
    drop_missing_target=True,
    file=FileFormat(encoding="latin-1", delimiter=";", decimal=",", thousands=""),
)


def round_trip(roles: Roles, folder: Path) -> Roles:
    path = folder / "roles.toml"
    path.write_text(roles.to_toml(), encoding="utf-8", newline="")
    return Roles.from_toml(path)


def test_toml_round_trip(tmp_path: Path):
    back = round_trip(FULL, tmp_path)
    assert back == FULL
    assert hash(back) == hash(FULL)
    assert round_trip(Roles(), tmp_path) == Roles()
    assert round_trip(Roles(personal="all"), tmp_path) == Roles(personal="all")


def test_plain_data_round_trip():
    document = FULL.to_dict()
    assert json.loads(json.dumps(document)) == document
    assert Roles.from_dict(document) == FULL
    assert Roles().to_dict() == {"roles": {"personal": "categorical"}}


def test_the_new_fields_in_a_file(tmp_path: Path):
    path = tmp_path / "roles.toml"
    path.write_text(
        """
        [roles]
        ignore = ["row"]
        drop_missing_target = true
        [file]
        encoding = "latin-1"
        [attributes.birth]
        kind = "date"
        age_on = 2024-12-31
        low = 0
        high = 120
        [attributes.death]
        kind = "date"
        [attributes.pay]
        unit = "EUR"
        missing = ["9", "N"]
        """
    )
    roles = Roles.from_toml(path)
    assert roles == Roles(
        ignore=["row"],
        drop_missing_target=True,
        file=FileFormat(encoding="latin-1"),
        ages={"birth": "2024-12-31"},
        domains={"birth": NumericDomain(0, 120)},
        dates=["death"],
        units={"pay": "EUR"},
        missing_in={"pay": ["9", "N"]},
    )
    assert round_trip(roles, tmp_path) == roles


def test_missing_texts_and_columns_that_are_not_read():
    assert FULL.missing_texts("sex") == ("?", "n/a", "N", "9")
    assert FULL.missing_texts("race") == ("?", "n/a")
    assert FULL.unread == ("name", "social security no.", "row")
    assert Roles(dates=["birth"], ages={"birth": datetime.date(2024, 1, 31)}) == Roles(
        ages={"birth": "2024-01-31"}
    )


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"ages": {"birth": "yesterday"}}, "2024-12-31"),
        ({"ages": {"birth": 2024}}, "must be a day"),
        ({"units": {"pay": ""}}, "must be a word"),
        ({"missing_in": {"pay": [9]}}, "list of names"),
        ({"ignore": ["sex"], "personal": ["sex"]}, "'ignore' and 'personal'"),
        ({"ignore": ["y"], "target": "y"}, "'ignore' and 'target'"),
        ({"dates": ["x"], "categorical": ["x"]}, "'dates' and 'categorical'"),
        ({"file": {"encodin": "utf-8"}}, "Did you mean 'encoding'"),
        ({"file": {"encoding": "martian"}}, "no encoding"),
        ({"file": {"decimal": ";"}}, "'.' or ','"),
        ({"file": {"decimal": ",", "thousands": ","}}, "must differ"),
        ({"file": {"delimiter": "::"}}, "one character"),
        ({"file": 3}, "mapping"),
    ],
)
def test_wrong_declarations(wrong: dict[str, Any], words: str):
    with pytest.raises(RoleError, match=re.escape(words)):
        Roles(**wrong)


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
categories = st.one_of(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=4), min_size=1, unique=True
    ),
    st.lists(st.integers(-9, 9), min_size=1, unique=True),
    st.lists(st.floats(-9, 9), min_size=1, unique=True),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(names, unique=True), categories, st.floats(0, 1e300))
def test_toml_round_trip_of_any_name(
    tmp_path_factory: pytest.TempPathFactory, listed: list[str], order: list[Any], weight: float
):
    roles = Roles(
        numeric=listed[:1],
        ordered=dict.fromkeys(listed[1:2], order),
        domains={name: CategoricalDomain(tuple(order)) for name in listed[2:3]},
        identifiers=listed[3:5],
        weights=dict.fromkeys(listed[:5], weight),
        missing_values=listed,
    )
    assert round_trip(roles, tmp_path_factory.mktemp("roles")) == roles


def test_the_file_of_the_documentation(tmp_path: Path):
    path = tmp_path / "roles.toml"
    path.write_text(
        """
        [roles]
        target = "employed"
        personal = ["sex", "education"]
        [attributes.age]
        kind = "numeric"
        low = 0
        high = 99
        integer = true
        [attributes.education]
        kind = "ordered"
        categories = ["none", "some"]
        weight = 2.0
        """
    )
    assert Roles.from_toml(path) == Roles(
        "employed",
        personal=["sex", "education"],
        domains={"age": NumericDomain(0, 99, True)},
        ordered={"education": ["none", "some"]},
        weights={"education": 2.0},
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[roles]\ntaget = 'x'", "$.roles"),
        ("[roles]\nidentifiers = 3", "$.roles.identifiers"),
        ("[attributes.age]\nkind = 'number'", "$.attributes"),
        ("[attributes.age]\nkind = 'numeric'\nlow = 1", "$.attributes.age"),
        ("[attributes.age]\nkind = 'categorical'\nlow = 1", "$.attributes.age"),
        ("[attributes.age]\nkind = 'ordered'", "$.attributes.age"),
        ("[attributes.age]\nkind = 'numeric'\nage_on = 2020-01-01", "$.attributes.age"),
        ("[attributes.age]\nkind = 'date'\nlow = 1", "$.attributes.age"),
        ("[attributes.age]\nkind = 'date'\nage_on = 'soon'", "$.attributes"),
        ("[file]\nencodin = 'utf-8'", "$.file"),
        ("[attributes.'a b']\ncategories = ['x']", '$.attributes."a b"'),
        ("[attribute.age]", "$"),
        ("[roles", "$"),
    ],
)
def test_a_damaged_file_points_at_the_field(tmp_path: Path, text: str, place: str):
    path = tmp_path / "roles.toml"
    path.write_text(text)
    with pytest.raises(DocumentError) as error:
        Roles.from_toml(path)
    assert error.value.path.startswith(place)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "target = 'employed'",
            "no setting 'target' here. There are 'roles', 'file', 'attributes'",
        ),
        ("[roles]\ntaget = 'employed'", "no setting 'taget' here. Did you mean 'target'?"),
        ("[attributes.age]\nintger = true", "no setting 'intger' here. Did you mean 'integer'?"),
    ],
)
def test_a_setting_that_is_not_there(tmp_path: Path, text: str, message: str):
    path = tmp_path / "roles.toml"
    path.write_text(text)
    with pytest.raises(DocumentError, match=re.escape(message)):
        Roles.from_toml(path)


def test_an_absent_file(tmp_path: Path):
    with pytest.raises(DocumentError, match="must exist"):
        Roles.from_toml(tmp_path / "none.toml")


def test_lists_become_tuples_and_declarations_settle():
    roles = Roles(
        personal="sex",
        identifiers="name",
        numeric=["age"],
        domains={
            "age": NumericDomain(0, 9),
            "grade": CategoricalDomain(("a", "b"), ordered=True),
        },
    )
    assert roles.personal == ("sex",)
    assert roles.identifiers == ("name",)
    assert roles.numeric == ()
    assert roles.ordered == {"grade": ("a", "b")}
    assert set(roles.domains) == {"age"}


def test_copies_are_equal():
    assert copy.deepcopy(FULL) == FULL
    assert pickle.loads(pickle.dumps(FULL)) == FULL  # noqa: S301


@pytest.mark.parametrize(
    "arguments",
    [
        {"target": 3},
        {"target": "x", "identifiers": ["x"]},
        {"target": "x", "personal": ["x"]},
        {"personal": ["x"], "identifiers": ["x"]},
        {"numeric": ["x"], "categorical": ["x"]},
        {"numeric": ["x"], "ordered": {"x": ["a"]}},
        {"numeric": ["x", "x"]},
        {"numeric": [3]},
        {"numeric": 3},
        {"weights": {"x": -1}},
        {"weights": {"x": float("nan")}},
        {"weights": {"x": "heavy"}},
    ],
)
def test_contradictions_are_refused(arguments: dict[str, Any]):
    with pytest.raises(RoleError):
        Roles(**arguments)


def test_an_ordered_list_names_each_category_once():
    with pytest.raises(DataError, match="once"):
        Roles(ordered={"x": ["a", "a"]})


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "9" * 5_000,
        "[roles]\ntarget = " + "[" * 5_000,
        "[attributes.a]\nkind = 'numeric'\nlow = -inf\nhigh = inf",
        "[attributes.a]\nkind = 'numeric'\nlow = 0\nhigh = " + "9" * 400,
        "[attributes.a]\nweight = nan",
        "a." * 5_000 + "a = 1",
    ],
)
def test_forged_files_are_refused(tmp_path: Path, text: str):
    path = tmp_path / "roles.toml"
    path.write_text(text)
    with pytest.raises(DocumentError) as error:
        Roles.from_toml(path)
    assert len(str(error.value)) < 500


def test_twenty_thousand_attributes(tmp_path: Path):
    names = [f"a{i}" for i in range(20_000)]
    roles = Roles(numeric=names[::2], categorical=names[1::2])
    path = tmp_path / "roles.toml"
    path.write_text(roles.to_toml())
    assert Roles.from_toml(path) == roles


def test_ranges_of_dates_and_times_in_a_file(tmp_path: Path) -> None:
    roles = Roles(
        domains={
            "birth": NumericDomain("1931-01-01", "2009-12-31", unit="date"),  # type: ignore[arg-type]
            "arrival": NumericDomain("08:00", "20:00", unit="time"),  # type: ignore[arg-type]
        },
        dates=["admitted"],
        file={"date_order": "day/month/year"},  # type: ignore[arg-type]
    )
    assert 'kind = "date"\nlow = "1931-01-01"' in roles.to_toml()
    path = tmp_path / "roles.toml"
    path.write_text(roles.to_toml())
    assert Roles.from_toml(path) == roles
    assert Roles.from_dict(roles.to_dict()) == roles
    path.write_text('[attributes.birth]\nkind = "date"\nlow = 1931-01-01\nhigh = 2009-12-31\n')
    assert Roles.from_toml(path).domains["birth"] == roles.domains["birth"]


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ('kind = "date"\nlow = 1960\nhigh = 1970', "such as '1960-01-31'"),
        ('kind = "date"\nlow = true\nhigh = 1970', "must be numbers, dates or times"),
        ('kind = "numeric"\nlow = "1960-01-01"\nhigh = 1970', "give unit='date'"),
        ('kind = "date"\nlow = "1960-01-01"', "needs both low and high"),
        ('kind = "date"\ncategories = ["a"]', "categories need kind"),
    ],
)
def test_ranges_of_dates_that_are_refused(tmp_path: Path, facts: str, message: str) -> None:
    path = tmp_path / "roles.toml"
    path.write_text(f"[attributes.x]\n{facts}\n")
    with pytest.raises(DocumentError, match=message):
        Roles.from_toml(path)


def test_the_order_of_dates_is_one_of_two() -> None:
    with pytest.raises(RoleError, match="must be 'day/month/year' or 'month/day/year'"):
        Roles(file={"date_order": "year"})  # type: ignore[arg-type]


def test_roles_that_complete_one_another():
    file = Roles(
        "works",
        personal=["sex", "race", "leak"],
        identifiers=["name", "zip"],
        ignore=["row"],
        weights={"race": 2, "leak": 3},
        numeric=["age"],
        ordered={"grade": ["a", "b"]},
        missing_values=["?"],
        missing_in={"sex": ["9"], "age": ["N"]},
        file={"encoding": "latin-1", "decimal": ","},
    )
    said = Roles(
        "row",
        ignore=["leak"],
        categorical=["age", "grade"],
        sensitive=["zip"],
        missing_values=["-"],
        missing_in={"sex": ["8"]},
        file={"decimal": "."},
    )
    both = said.completed_by(file)
    assert (both.target, both.personal) == ("row", ("sex", "race"))
    assert (both.identifiers, both.ignore) == (("name",), ("leak",))
    assert (both.numeric, both.categorical, both.ordered) == ((), ("age", "grade"), {})
    assert both.weights == {"race": 2.0}
    assert both.missing_values == ("?", "-")
    assert both.missing_in == {"sex": ("8",), "age": ("N",)}
    assert (both.file.encoding, both.file.decimal) == ("latin-1", ".")
    assert Roles().completed_by(file) == file
    assert file.completed_by(Roles()) == file


def test_what_an_artifact_carries():
    carried = FULL.carried(["age", "sex", "hours", "education"])
    assert carried.numeric == ()
    assert set(carried.domains) == {"pay", "flag"}
    assert set(carried.ordered) == {"grade"}
    assert (carried.missing_in, carried.ages) == (FULL.missing_in, FULL.ages)
    assert carried_roles({}) == Roles()
    assert carried_roles({"roles": carried.to_dict()}) == carried


def test_special_categories_are_declared_and_carried(tmp_path: Path) -> None:
    path = tmp_path / "roles.toml"
    path.write_text('[attributes.ill]\nspecial = "health"\n')
    file = Roles.from_toml(path)
    assert file.special == {"ill": "health"}
    assert file.declared == frozenset()  # that it is special is no wish to use it
    both = Roles(special={"ill": "genetic", "creed": "religion"}).completed_by(file)
    assert both.special == {"ill": "genetic", "creed": "religion"}
    assert carried_roles({"roles": both.carried(["ill"]).to_dict()}).special == both.special


@pytest.mark.parametrize("category", ["Health", "wealth", "", 9, None, ["health"]])
def test_a_special_category_is_one_of_the_list(category: Any) -> None:
    with pytest.raises(RoleError, match="special category of 'ill' must be one of 'biometric'"):
        Roles(special={"ill": category})


def test_a_special_category_of_a_column_that_is_not_there() -> None:
    people = {"ill": ["no", "yes"] * 20, "age": [*range(20, 60)], "works": ["y", "n"] * 20}
    with pytest.raises(RoleError, match="Did you mean 'ill'"):
        read(people, roles=Roles("works", special={"il": "health"}))
    task = resolve(people, Roles("ill", special={"ill": "health"}))
    assert task.roles.special == {"ill": "health"}


def test_several_targets() -> None:
    roles = Roles(targets=["works", "income>50000"])
    assert roles.target is None
    assert roles.purposes == ("works", "income>50000")
    assert Roles.from_dict(roles.to_dict()) == roles
    assert Roles(targets=["works"]) == Roles("works")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"targets": ["a", "a"]}, "Got 'a' more than once"),
        ({"target": "a", "targets": ["b", "c"]}, "not both"),
        ({"targets": ["a", "b"], "identifiers": ["b"]}, "both 'identifiers' and 'target'"),
        ({"targets": ["a", "b"], "personal": ["a"]}, "both 'personal' and 'target'"),
    ],
)
def test_targets_that_contradict(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(RoleError, match=says):
        Roles(**arguments)


def test_one_of_several_targets_does_not_get_the_others_as_attributes() -> None:
    file = Roles(targets=["works", "income>50000"], ignore=["row"])
    one = Roles("works").completed_by(file)
    assert one.purposes == ("works",)
    assert set(one.ignore) == {"row", "income"}
    assert Roles().completed_by(file).purposes == ("works", "income>50000")
