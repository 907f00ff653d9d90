"""How a page is put together."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from sparsam.collect.form._page import pair, quoted
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import Generalization, categorical_partition, numeric_partition

AGES = NumericDomain(0, 99, integer=True)
WAYS = CategoricalDomain(("car", "bus"))
TIMES = NumericDomain("00:00", "23:59", unit="time")


def test_hashes_are_those_of_what_is_in_the_page() -> None:
    form = Generalization([numeric_partition("age", AGES, [17])]).form()
    for tag in ("script", "style"):
        [text] = re.findall(rf"<{tag}>(.*?)</{tag}>", form.html, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in form.content_security_policy


@pytest.mark.parametrize(
    ("text", "written"),
    [("age", "age"), ("a b", '"a b"'), ("", '""'), ('"><b>', '"&#34;&gt;&lt;b&gt;"'), ("é", '"é"')],
)
def test_quotes_stand_where_they_are_needed(text: str, written: str) -> None:
    assert str(quoted(text)) == written


def test_only_the_code_that_is_needed_is_in_the_page() -> None:
    ages = Generalization([numeric_partition("age", AGES, [17])]).form().html
    times = Generalization([numeric_partition("at", TIMES, ["08:00"])]).form().html
    texts = Generalization([categorical_partition("way", WAYS, [["car"], ["bus"]])]).form().html
    assert "cuts" not in texts
    assert "cuts" in ages
    assert "getUTCDate" not in ages
    assert "getUTCDate" in times


@pytest.mark.parametrize(
    ("name", "written"),
    [("a b", "a+b=1"), ("é", "%C3%A9=1"), ("a&b=c+~*-._", "a%26b%3Dc%2B%7E*-._=1")],
)
def test_pairs_are_written_as_forms_write_them(name: str, written: str) -> None:
    assert pair(name, "1") == written
