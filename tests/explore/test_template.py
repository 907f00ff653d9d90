"""A file to declare domains in, from the names of the columns alone."""

from __future__ import annotations

import tomllib
from pathlib import Path

from sparsam.explore._template import template_of


def test_every_column_has_a_place_and_no_value_is_in_it(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("age,secret name\n41,Zachariah\n", encoding="utf-8")
    text = template_of(table)
    assert list(tomllib.loads(text)["attributes"]) == ["age", "secret name"]
    assert "Zachariah" not in text
    assert "41" not in text
