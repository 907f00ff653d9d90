"""A fingerprint tells one table from another."""

from __future__ import annotations

from pathlib import Path

from sparsam.data.source._fingerprint import fingerprint

from .sources import DATA, WORK, every_source


def test_the_fingerprint_is_of_the_content_and_the_salt(tmp_path: Path) -> None:
    sources = every_source(tmp_path)
    same = ("mapping", "records", "pandas", "pandas nullable", "pandas category", "polars")
    prints = {kind: fingerprint(sources[kind], "salt") for kind in (*same, "pyarrow", "relation")}
    assert len(set(prints.values())) == 1
    assert fingerprint(sources["csv"], "salt") != prints["mapping"]
    assert fingerprint(DATA, "pepper") != prints["mapping"]
    assert fingerprint({**DATA, "age": [30, None, 41, 52, -6]}, "salt") != prints["mapping"]
    assert fingerprint({**DATA, "more": WORK}, "salt") != prints["mapping"]
    assert fingerprint(dict(reversed(DATA.items())), "salt") == prints["mapping"]
