"""The exported module finds the buckets that Python finds, in a real browser."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from tests.collect import golden

VALUES = int(os.environ.get("SPARSAM_VALUES", "0"))  # all that were thought of, or more

COMPARE = """
async ({ source, cases }) => {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const { attributes, bucket } = await import(url);
  const numbers = { nan: NaN, inf: Infinity, "-inf": -Infinity };
  const special = (value) => (value?.special ? numbers[value.special] : value);
  const byName = new Map(attributes.map((attribute) => [attribute.name, attribute]));
  const found = ([name, value]) => bucket(byName.get(name), special(value));
  return cases.map((example) => (byName.has(example[0]) ? found(example) : 0));
}
"""


def test_every_golden_value_has_the_bucket_of_python(chromium: Callable[..., Any]) -> None:
    page = chromium().new_page()
    module = golden.generalization().to_javascript()
    cases = json.loads(golden.as_json(VALUES))
    found = page.evaluate(COMPARE, {"source": module, "cases": cases})
    differences = [
        (case, bucket)
        for case, bucket in zip(golden.cases(VALUES), found, strict=True)
        if case.bucket != bucket
    ]
    assert not differences
