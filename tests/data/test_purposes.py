"""One table for several purposes: whose targets, which people, which combinations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparsam._errors import DataError, RoleError
from sparsam.data import Roles, resolve, resolve_purposes, split_purposes


def people(n: int = 60) -> dict[str, Any]:
    """Someone works or not; of those over 30 it is known whether they are rich."""
    age = [20 + i % 40 for i in range(n)]
    return {
        "age": age,
        "sex": ["f", "m"] * (n // 2),
        "works": ["yes" if a % 3 else "no" for a in age],
        "rich": [a % 2 == 0 if a > 30 else None for a in age],
    }


ROLES = Roles(targets=["works", "rich"])


def test_a_target_of_one_purpose_is_no_attribute_of_another() -> None:
    purposes = resolve_purposes(people(), ROLES)
    assert purposes.together.names == ("age", "sex")
    assert all(task.names == ("age", "sex") for task in purposes.tasks.values())


def test_each_purpose_has_the_people_who_have_its_target() -> None:
    table = people()
    purposes = resolve_purposes(table, ROLES)
    known = [place for place, rich in enumerate(table["rich"]) if rich is not None]
    assert purposes.tasks["works"].n_rows == 60
    assert purposes.rows["rich"].tolist() == known
    assert purposes.tasks["rich"].target.tolist() == [int(table["rich"][k]) for k in known]
    assert any("rich" in note and "without this target" in note for note in notes(purposes))


def notes(purposes: Any) -> tuple[str, ...]:
    return tuple(purposes.together.table.notes)


def test_a_purpose_sees_what_it_would_see_alone() -> None:
    table = people()
    both = resolve_purposes(table, ROLES).tasks["works"]
    alone = resolve(table, Roles("works", ignore=["rich"]))
    assert (both.codes == alone.codes).all()
    assert (both.target == alone.target).all()
    assert both.classes == alone.classes
    assert both.target_name == "works"


def test_rows_without_any_target_must_be_left_out_on_purpose() -> None:
    table = people()
    table["works"] = [None if rich is None else works for works, rich in both_of(table)]
    with pytest.raises(DataError, match="without any"):
        resolve_purposes(table, ROLES)
    purposes = resolve_purposes(table, Roles(targets=["works", "rich"], drop_missing_target=True))
    assert purposes.together.n_rows == sum(rich is not None for rich in table["rich"])


def both_of(table: dict[str, Any]) -> list[tuple[Any, Any]]:
    return list(zip(table["works"], table["rich"], strict=True))


def test_the_parts_are_the_same_people_for_all_purposes() -> None:
    splits = split_purposes(resolve_purposes(people(), ROLES))
    for part in ("train", "validation", "test"):
        everyone = getattr(splits.together, part)
        own, whose = getattr(splits.parts["rich"], part), splits.people["rich"][part]
        assert (own.codes == everyone.codes[whose]).all()
        assert (own.codes[:, 0] + 20 > 30).all()


def test_combinations_tell_the_targets() -> None:
    purposes = resolve_purposes(people(), ROLES)
    rows, together = purposes.rows["rich"], purposes.together
    for name, task in purposes.tasks.items():
        own = together.target[purposes.rows[name]] if name == "rich" else together.target
        pairs = set(zip(own.tolist(), task.target.tolist(), strict=True))
        assert len(pairs) == len(together.classes), name
    assert len(together.classes) == 4
    # those who lack a target have either class of it
    lacking = np.setdiff1d(np.arange(60), rows)
    assert len(np.unique(together.target[lacking])) > 2


def test_numbers_are_combined_in_few_parts() -> None:
    rng = np.random.default_rng(0)
    table = {name: rng.normal(size=2000) for name in ("a", "b", "c", "d")}
    purposes = resolve_purposes(table, Roles(targets=["a", "b", "c"], numeric=["d"]))
    assert purposes.tasks["a"].numbers is not None
    assert 2 < len(purposes.together.classes) <= 100


@pytest.mark.parametrize(
    ("targets", "says"),
    [
        (["works", "nobody"], "'nobody' is not a column"),
        (["age>30", "age>40"], "a column of its own"),
    ],
)
def test_targets_that_cannot_be(targets: list[str], says: str) -> None:
    with pytest.raises(RoleError, match=says):
        resolve_purposes(people(), Roles(targets=targets))


def test_a_constant_target_is_refused() -> None:
    table = people() | {"same": ["x"] * 60}
    with pytest.raises(DataError, match="'same' must have at least two classes"):
        resolve_purposes(table, Roles(targets=["works", "same"]))


def test_an_ignored_column_is_no_target() -> None:
    with pytest.raises(RoleError, match="'rich' must not be declared as both"):
        Roles(targets=["works", "rich"], ignore=["rich"])
    with pytest.raises(RoleError, match="must not be an identifier or ignored"):
        resolve_purposes(people(), Roles(targets=["works", "age>30"], identifiers=["age"]))


def test_one_target_is_no_several_purposes() -> None:
    with pytest.raises(RoleError, match="at least two"):
        resolve_purposes(people(), Roles("works"))
    with pytest.raises(RoleError, match="One target is expected here"):
        resolve(people(), ROLES)


def test_a_part_without_anyone_is_refused() -> None:
    table = people() | {"rich": [True, False] + [None] * 58}
    with pytest.raises(DataError, match="someone in every part"):
        split_purposes(resolve_purposes(table, ROLES))
