from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import RoleError
from sparsam.data import Roles, propose_roles, resolve

N = 400
RNG = np.random.default_rng(0)
SICK = RNG.random(N) < 0.2
COLUMNS: dict[str, Any] = {
    "row": np.arange(N),
    "surname": [f"Canary{i % 350}" for i in range(N)],
    "SEX": RNG.integers(1, 3, N),
    "RAC1P": RNG.integers(1, 10, N),
    "zip": [f"0{code}" for code in RNG.integers(1000, 1030, N)],
    "age": [*RNG.integers(18, 90, N - 60), *["N"] * 60],
    "income": [*RNG.integers(0, 90_000, N - 20), *[-9] * 20],
    "children": np.minimum(RNG.geometric(0.5, N) - 1, 6),
    "visits": ["10 or more" if v == 10 else str(v) for v in RNG.integers(0, 11, N)],
    "born": [f"19{y}-0{m}-1{d}" for y, m, d in RNG.integers([40, 1, 0], [99, 9, 9], (N, 3))],
    "member": RNG.random(N) < 0.5,
    "job": RNG.choice(["cook", "nurse", "?"], N),
    "religion": RNG.choice(["none", "some"], N),
    "country": ["DE"] * N,
    "nothing": [None] * N,
    "PWGTP": RNG.integers(1, 300, N),
    "sick pay": np.where(SICK, RNG.integers(200, 900, N), 0),
    "odd": [*RNG.integers(0, 99, N - 1), "Canary the one"],
    "sick": np.where(SICK, "yes", "no"),
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pd = pytest.importorskip("pandas")
    file = tmp_path_factory.mktemp("table") / "people.csv"
    pd.DataFrame(COLUMNS).to_csv(file, index=False)
    return file


@pytest.fixture(scope="module")
def proposed(table: Path) -> Any:
    return propose_roles(table, "sick")


EXPECTED = {
    "row": ("identifier", None, ()),
    "surname": ("identifier", None, ()),
    "SEX": ("quasi-identifier", "categorical", ()),
    "RAC1P": ("quasi-identifier", "categorical", ()),
    "zip": ("quasi-identifier", "categorical", ()),
    "age": ("quasi-identifier", "numeric", ("N",)),
    "income": ("attribute", "numeric", ("-9",)),
    "children": ("attribute", "numeric", ()),
    "visits": ("attribute", "ordered", ()),
    "born": ("quasi-identifier", "date", ()),
    "member": ("attribute", "categorical", ()),
    "job": ("quasi-identifier", "categorical", ("?",)),
    "religion": ("attribute", "categorical", ()),
    "country": ("ignore", None, ()),
    "nothing": ("ignore", None, ()),
    "PWGTP": ("ignore", None, ()),
    "sick pay": ("attribute", "numeric", ()),
    "sick": ("target", "categorical", ()),
}


def test_every_column_is_proposed_with_a_reason(proposed: Any):
    told = {c.name: (c.role, c.kind, c.missing) for c in proposed.columns}
    assert {name: told[name] for name in EXPECTED} == EXPECTED
    assert all(column.why for column in proposed.columns)
    assert tuple(told) == tuple(COLUMNS)


def test_what_is_only_to_be_decided_is_a_remark(proposed: Any):
    remarks = {column.name: " ".join(column.remarks) for column in proposed.columns}
    assert "possible special category (racial or ethnic origin): you decide" in remarks["RAC1P"]
    assert "religious" in remarks["religion"]
    assert proposed.roles.special == {}
    assert "alone tells the target" in remarks["sick pay"]
    assert "age_on" in remarks["born"]
    assert proposed.roles.sensitive == ()
    assert "sick pay" not in proposed.roles.ignore
    assert remarks["children"] == ""


def test_the_file_reads_back_as_the_same_roles(proposed: Any, tmp_path: Path):
    proposed.save(tmp_path / "roles.toml")
    text = (tmp_path / "roles.toml").read_text(encoding="utf-8")
    assert Roles.from_toml(tmp_path / "roles.toml") == proposed.roles
    proposal = '# special = "religion"'
    assert f"\n{proposal}  " in text
    (tmp_path / "roles.toml").write_text(text.replace(proposal, proposal[2:]), encoding="utf-8")
    assert Roles.from_toml(tmp_path / "roles.toml").special == {"religion": "religion"}
    declared = [line for line in text.splitlines() if line.startswith(("kind", "unit", "missing"))]
    assert len(declared) == 18
    assert all("  # " in line for line in declared)


def test_no_value_of_few_people_is_told(proposed: Any):
    said = proposed.to_toml() + repr(proposed) + str(proposed.to_dict())
    assert "Canary" not in said
    odd = next(column for column in proposed.columns if column.name == "odd")
    assert (odd.kind, odd.missing) == ("categorical", ())
    assert "too rare to be named" in odd.remarks[0]
    assert propose_roles({"x": [*range(50), *["Canary"] * 5]}).columns[0].missing == ("Canary",)
    assert propose_roles({"x": [*range(50), "?"]}).columns[0].missing == ("?",)


def test_the_roles_can_be_gone_on_with(table: Path, proposed: Any):
    task = resolve(table, proposed.roles)
    assert "row" not in task.names
    assert task.table.attribute("age").numeric
    assert task.table.attribute("age").missing
    assert task.table.attribute("visits").domain.categories[-1] == "10 or more"


def test_texts_beyond_numbers_are_told_only_where_all_are_common():
    few = ["many or more"] * 2 + [str(20 + i % 5) for i in range(60)]
    column = propose_roles({"age": few}).columns[0]
    assert (column.kind, column.categories, column.missing) == ("categorical", (), ())
    rare = ["30 or older"] * 9 + ["29"] + few[2:]
    assert propose_roles({"age": rare}).columns[0].categories == (
        *map(str, range(30)),
        "30 or older",
    )
    beyond = ["older than all"] * 9 + ["29"] + few[2:]
    assert propose_roles({"age": beyond}).columns[0].kind == "categorical"
    both = ["under 20"] * 9 + ["over 24"] * 9 + few[2:]
    assert propose_roles({"age": both}).columns[0].categories == (
        *("under 20", "20", "21", "22", "23", "24", "over 24"),
    )


def test_dates_and_times_however_they_are_written():
    days = [f"{1 + i % 28}.{1 + i % 12}.19{50 + i % 40}" for i in range(80)]
    either = [f"{1 + i % 12}/{1 + i % 9}/2020" for i in range(80)]
    told = propose_roles({"born": days, "seen": either, "at": ["08:30", "17:05"] * 40})
    assert [column.kind for column in told.columns] == ["date", "categorical", "time"]
    assert told.roles.dates == ("born", "at")
    assert "date_order" in told.columns[1].remarks[0]


@pytest.mark.parametrize("as_file", [False, True])
def test_infinite_numbers_are_taken_as_missing(tmp_path: Path, as_file: bool):
    """Refused where they are read, and where roles are proposed there is a way on."""
    until = np.where(RNG.random(N) < 0.2, np.inf, RNG.integers(0, 500, N))
    until[3] = -np.inf
    people: Any = {"until": until, "age": COLUMNS["age"][:N], "sick": COLUMNS["sick"]}
    if as_file:
        people = tmp_path / "people.csv"
        cells = zip(until.tolist(), COLUMNS["sick"].tolist(), strict=True)
        people.write_text("\n".join(["until,sick", *(f"{n},{sick}" for n, sick in cells)]))
    proposed = propose_roles(people, target="sick")
    [column] = [column for column in proposed.columns if column.name == "until"]
    assert column.kind == "numeric"
    assert column.missing == ("-inf", "inf")
    assert any("infinite" in remark for remark in column.remarks)
    read = resolve(people, proposed.roles).table.attribute("until")
    assert read.numeric
    assert read.missing


def test_the_target():
    rows = {"y": [1, 2, None] * 20, "x": list(range(12)) * 5, "z": [1.5, 2.5, 0.5] * 20}
    goal = next(c for c in propose_roles(rows, "y").columns if c.name == "y")
    assert (goal.role, goal.kind) == ("target", "categorical")
    assert "drop_missing_target" in goal.remarks[0]
    cut = propose_roles(rows, "z>1")
    assert (cut.roles.target, cut.columns[2].kind) == ("z>1", "numeric")
    with pytest.raises(RoleError, match="Did you mean"):
        propose_roles({"employed": [1, 2]}, "emploied")


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(text, st.lists(st.one_of(text, st.integers(), st.none()), min_size=30,
                                      max_size=30), min_size=1, max_size=3))  # fmt: skip
def test_any_names_and_values_make_a_file_that_reads_back(
    tmp_path_factory: pytest.TempPathFactory, rows: dict[str, list[Any]]
):
    proposed = propose_roles(rows)
    path = tmp_path_factory.mktemp("roles") / "roles.toml"
    proposed.save(path)
    assert Roles.from_toml(path) == proposed.roles


def test_dates_and_times_of_day_are_proposed_as_such() -> None:
    n = 60
    people = {
        "admitted": [datetime.datetime(2020, 1, 1 + i % 28, i % 24) for i in range(n)],
        "arrival": [f"{i % 24:02}:15" for i in range(n)],
        "either": [f"{1 + i % 12}/{1 + i % 11}/2020" for i in range(n)],
        "left": [f"{1 + i % 28}.3.2020" for i in range(n)],
    }
    proposal = propose_roles(people, "left>2020-03-14")
    found = {column.name: (column.kind, column.why) for column in proposal.columns}
    assert found["admitted"][0] == "date"
    assert found["admitted"][1].startswith("dates")
    assert found["arrival"][0] == "time"
    assert found["arrival"][1].startswith("times of day")
    assert found["either"][0] == "categorical"
    assert "date_order" in next(c for c in proposal.columns if c.name == "either").remarks[0]
    assert found["left"][0] == "date"
    task = resolve(people, proposal.roles)
    kinds = {attribute.name: attribute.kind for attribute in task.table.attributes}
    assert kinds == {"admitted": "date", "arrival": "time", "either": "categorical"}
