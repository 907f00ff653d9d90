"""A generalization as an ES module, for a page or a server that runs JavaScript."""

from __future__ import annotations

import json
from importlib.resources import files
from string import Template
from typing import Any

from sparsam.collect.exports._attribute_facts import attribute_facts
from sparsam.generalization import Generalization

_MODULE = Template("""\
// Written by sparsam.
$bucket
export { bucket };

// What is collected.
export const attributes = $attributes;

// A record in buckets: their numbers, or "labels". Throws where a value has none.
export function generalise(record, output = "codes") {
  return Object.fromEntries(attributes.map((attribute) => {
    const { name, labels } = attribute;
    if (!Object.hasOwn(record, name)) throw new TypeError(`'$${name}' is absent (missing: null).`);
    const place = bucket(attribute, record[name]);
    if (place === null) throw new RangeError(`A value of '$${name}' has no bucket.`);
    return [name, output == "labels" ? labels[place] : place];
  }));
}
""")


def bucket_code() -> str:
    """Return the function `bucket` of JavaScript, as a page can hold it."""
    return files(__package__).joinpath("bucket.js").read_text(encoding="utf-8")


def to_javascript(generalization: Generalization) -> str:
    """Write an ES module that generalises records: `generalise({age: 40})` is `{age: 1}`.

    The module needs nothing else. It holds the buckets of the collected attributes, and nothing
    of what the generalization says about the people that it was learned from.

    Parameters
    ----------
    generalization : Generalization

    Returns
    -------
    str
    """
    attributes = [attribute_facts(generalization[name]) for name in generalization.collected]
    return _MODULE.substitute(bucket=bucket_code().rstrip(), attributes=script_json(attributes))


def script_json(data: Any) -> str:
    """Return JSON that may stand in a script and in a page: no text in it ends either.

    Examples
    --------
    >>> script_json({"label": "</script>"})
    '{"label":"\\\\u003c/script>"}'
    """
    written = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in ("<", "\u2028", "\u2029"):
        written = written.replace(sign, f"\\u{ord(sign):04x}")
    return written
