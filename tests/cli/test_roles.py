from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparsam.data import Roles


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("roles") / "people.csv"
    rows = [f"{i},{i % 2 + 1},{20 + i % 40},{'yes' if i % 3 else 'no'}" for i in range(200)]
    file.write_text("\n".join(["nr,sex,age,works", *rows]))
    return file


def test_a_file_to_edit_and_a_table_to_read(run, table: Path, tmp_path: Path):
    result = run("roles", table, "--target", "works", "-o", tmp_path / "roles.toml")
    assert result.exit_code == 0
    roles = Roles.from_toml(tmp_path / "roles.toml")
    assert (roles.target, roles.identifiers) == ("works", ("nr",))
    assert roles.categorical == ("sex", "works")
    for word in ("nr", "identifier", "sex", "look like", "codes", "years", "target"):
        assert word in result.stdout
    assert "--roles roles.toml" in result.stderr


def test_nothing_saved_and_plain_data(run, table: Path):
    result = run("roles", table, "--json")
    columns = json.loads(result.stdout)["columns"]
    assert [column["column"] for column in columns] == ["nr", "sex", "age", "works"]
    assert "-o keeps the roles" in result.stderr


def test_a_wrong_target_and_a_wrong_ending(run, table: Path, tmp_path: Path):
    assert run("roles", table, "--target", "wroks").exit_code == 2
    assert run("roles", table, "-o", tmp_path / "roles.json").exit_code == 2
