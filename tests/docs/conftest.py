"""The folder that a page is followed in: the files that its commands name."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsam as sp
from sparsam.data import write_columns

from .blocks import ROOT
from .walk import Walk

ROWS = 2000
COLUMNS = [
    "age",
    "education",
    "marital_status",
    "relationship",
    "disability",
    "sex",
    "race",
    "employed",
]


@pytest.fixture(scope="session")
def belongings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables and artifacts that a reader of the pages would have."""
    place = tmp_path_factory.mktemp("belongings")
    everyone = sp.load_example()
    columns = everyone.to_dict()
    early, late = slice(ROWS), slice(ROWS, 2 * ROWS)
    for name, rows in {"people.csv": early, "people.parquet": early, "later.csv": late}.items():
        write_columns({c: columns[c][rows] for c in COLUMNS}, place / name)
    _members(place / "members.csv")
    people = sp.read(place / "people.csv")
    front = sp.sweep(
        people,
        sp.Roles("employed"),
        minimisers="privacy tree",
        constraints=sp.Constraints(must_keep=["disability"]),
        repeats=1,
    )
    chosen = front.choose().generalization
    chosen.save(place / "people.json")
    older = sp.PrivacyTree(sp.Roles("employed"), max_leaves=5).fit(people).generalization_
    older.save(place / "old.json")
    chosen.merge(older).save(place / "coarser.json")
    return place


def _members(path: Path) -> None:
    """Made-up members of a club, written as a spreadsheet in Europe might write them."""
    rng = np.random.default_rng(0)
    n = 1200
    year = rng.integers(1940, 2005, n)
    education = rng.choice(["none", "school", "university"], n)
    worth = {"none": 0.0, "school": 1.0, "university": 2.0}
    income = 20_000 + 12_000 * np.array([worth[e] for e in education]) + rng.normal(0, 9_000, n)
    lines = ["name;birth;education;sex;race;weight;payout;income"]
    for i in range(n):
        birth = f"{year[i]}-{rng.integers(1, 13):02}-{rng.integers(1, 29):02}"
        sex = rng.choice(["1", "2", "9"], p=[0.48, 0.48, 0.04])
        race = rng.choice(["café", "milk", "?"], p=[0.6, 0.35, 0.05])
        weight = f"{rng.random():.3f}".replace(".", ",")
        pay = f"{income[i]:.2f}".replace(".", ",") if rng.random() > 0.02 else "?"
        lines.append(f"N{i};{birth};{education[i]};{sex};{race};{weight};{weight};{pay}")
    path.write_text("\n".join([*lines, ""]), encoding="latin-1")


def _onnx_model(path: Path) -> None:
    """A rule as an ONNX file, with one input for each column that it looks at."""
    import onnx
    from onnx import TensorProto, helper

    def number(name: str, value: float) -> Any:
        return helper.make_tensor(name, TensorProto.FLOAT, [1], [value])

    nodes = [
        helper.make_node("Cast", ["age"], ["years"], to=TensorProto.FLOAT),
        helper.make_node(
            "LabelEncoder",
            ["disability"],
            ["impaired"],
            domain="ai.onnx.ml",
            keys_strings=["no", "yes"],
            values_floats=[0.0, 4.0],
        ),
        helper.make_node("Add", ["years", "impaired"], ["sum"]),
        helper.make_node("Sub", ["sum", "limit"], ["beyond"]),
        helper.make_node("Sub", ["limit", "sum"], ["short"]),
        helper.make_node("Concat", ["short", "beyond"], ["scores"], axis=1),
    ]
    inputs = [
        helper.make_tensor_value_info("age", TensorProto.INT64, [None, 1]),
        helper.make_tensor_value_info("disability", TensorProto.STRING, [None, 1]),
    ]
    outputs = [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [None, 2])]
    graph = helper.make_graph(nodes, "rule", inputs, outputs, [number("limit", 66.5)])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), str(path))


@pytest.fixture
def follow(
    belongings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Walk]:
    """Follow a page in a folder of its own."""

    def run(page: str) -> Walk:
        shutil.copytree(belongings, tmp_path, dirs_exist_ok=True)
        if "model.onnx" in (ROOT / page).read_text(encoding="utf-8"):
            pytest.importorskip("onnx", reason="onnx is not installed (extra 'dev')")
            _onnx_model(tmp_path / "model.onnx")
        monkeypatch.chdir(tmp_path)
        return Walk(page).run()

    return run
