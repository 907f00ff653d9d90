"""JavaScript finds the buckets that Python finds."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.collect import golden

from sparsam.collect.exports import bucket_code, script_json
from sparsam.data import NumericDomain
from sparsam.generalization import Generalization, numeric_partition

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")
VALUES = 4_000

COMPARE = """
import { readFileSync } from "node:fs";
import { attributes, bucket } from "./people.mjs";
const numbers = { nan: NaN, inf: Infinity, "-inf": -Infinity };
const special = (value) => (value?.special ? numbers[value.special] : value);
const byName = new Map(attributes.map((attribute) => [attribute.name, attribute]));
const found = JSON.parse(readFileSync("./golden.json", "utf8"))
  .map(([name, value]) => byName.has(name) ? bucket(byName.get(name), special(value)) : 0);
console.log(JSON.stringify(found));
"""


def node(folder: Path, script: str, generalization: Generalization) -> Any:
    """What a script prints that imports the module of a generalization."""
    (folder / "people.mjs").write_text(generalization.to_javascript(), encoding="utf-8")
    (folder / "script.mjs").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [str(NODE), "script.mjs"], cwd=folder, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@needs_node
def test_every_golden_value_has_the_bucket_of_python(tmp_path: Path) -> None:
    (tmp_path / "golden.json").write_text(golden.as_json(VALUES), encoding="utf-8")
    found = node(tmp_path, COMPARE, golden.generalization())
    differences = [
        (case, bucket)
        for case, bucket in zip(golden.cases(VALUES), found, strict=True)
        if case.bucket != bucket
    ]
    assert not differences


@needs_node
def test_a_record_is_generalised_as_in_python(tmp_path: Path) -> None:
    record = {"age": 40, "hours": None, "__proto__": 1}
    generalization = Generalization(
        [
            numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62]),
            numeric_partition("hours", NumericDomain(0, 99), [37.5], missing=2),
            numeric_partition("__proto__", NumericDomain(0, 9), [1]),
        ]
    )
    script = f"""
        import {{ generalise }} from "./people.mjs";
        const record = JSON.parse({json.dumps(json.dumps(record))});
        console.log(JSON.stringify([generalise(record), generalise(record, "labels")]));
    """
    codes, labels = node(tmp_path, script, generalization)
    assert codes == generalization.apply_record(record, "codes")
    assert labels == generalization.apply_record(record)


@needs_node
def test_what_is_refused_is_not_repeated(tmp_path: Path) -> None:
    generalization = Generalization([numeric_partition("age", NumericDomain(0, 99), [17])])
    script = """
        import { generalise } from "./people.mjs";
        const tried = [{ age: "secret" }, { age: undefined }, {}, { age: Symbol("secret") }];
        const said = tried.map((record) => {
          try { return generalise(record); } catch (error) { return String(error); }
        });
        console.log(JSON.stringify(said));
    """
    said = node(tmp_path, script, generalization)
    assert [text.split(":")[0] for text in said] == ["RangeError"] * 2 + ["TypeError", "RangeError"]
    assert "secret" not in str(said)
    assert all("'age'" in text for text in said)


def test_the_module_is_small_without_its_buckets() -> None:
    generalization = golden.generalization()
    module = generalization.to_javascript()
    start = module.index("export const attributes = ")
    end = module.index("\n", start)
    assert len(module.encode()) - len(module[start:end].encode()) <= 3_000


def test_the_module_says_nothing_about_the_people_it_was_learned_from() -> None:
    generalization = golden.generalization().with_about({"evidence": {"secret": 1}})
    assert "secret" not in generalization.to_javascript()
    assert "not collected" not in generalization.to_javascript()


def test_a_label_ends_neither_a_script_nor_a_line() -> None:
    written = script_json(["</script>\u2028\u2029"])
    assert not {"<", "\u2028", "\u2029"} & set(written)
    assert json.loads(written) == ["</script>\u2028\u2029"]


def test_the_function_for_pages_is_no_module() -> None:
    assert "export" not in bucket_code()
    assert "import" not in bucket_code()
