"""The record of processing: what is filled in, and what is left to a person."""

from __future__ import annotations

import re

from tests.report.regulator.described import BY_HAND, DESCRIBED, report

from sparsam.data import NumericDomain, Roles
from sparsam.generalization import Generalization, numeric_partition

TO_FILL_IN = "**To be filled in by a person:**"


def sections(text: str) -> dict[str, str]:
    """What stands under each heading."""
    parts = re.split(r"^## \d+\. (.*)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_letter_of_the_article_has_its_section() -> None:
    record = DESCRIBED.to_article30(title="Jobs", author="A. Turing", date="2026-11-16")
    assert record.startswith("# Record of processing: Jobs\n\n2026-11-16 · by A. Turing\n")
    titles = list(sections(record))
    letters = re.findall(r"\(([a-g])[,)]", " ".join(titles))
    assert sorted(set(letters)) == list("abcdefg")
    assert all(TO_FILL_IN in text for title, text in sections(record).items() if "data" not in title
               and "evidence" not in title)  # fmt: skip


def test_what_is_known_is_filled_in() -> None:
    parts = sections(DESCRIBED.to_article30(keep_days=90, purpose="Find work", reports=[report()]))
    assert "predicts employed" in parts["What for (b)"]
    assert "the purpose that this serves" not in parts["What for (b)"]
    assert "12,000 people of a sample of 20,000" in parts["Whose data (c)"]
    data = parts["Which data (c)"]
    assert "**age** (years), instead of whole numbers 0 to 99: 4 buckets: under 17; 17–61;" in data
    assert "child, cousin, nobody's, parent" in data
    assert "not collected at all: religion, height." in data
    special = parts["Special categories (c, Art. 9)"]
    assert "**disability** (health): collected in 2 buckets; guessed from a record by A1" in special
    assert "90 days" in parts["When they are erased (f)"]
    assert "no row for a person" in parts["What protects them (g)"]
    evidence = parts["Why no more, and no less: the evidence"]
    assert "with 95 % confidence" in evidence
    assert "So the records give away 18\u202f% of what" in evidence


def test_rows_are_not_called_counts() -> None:
    protects = sections(DESCRIBED.to_article30(keep_days=90, mode="rows"))["What protects them (g)"]
    assert "one row for each record" in protects
    assert "no row for a person" not in protects


def test_an_artifact_that_carries_nothing() -> None:
    parts = sections(BY_HAND.to_article30())
    assert "carries no evidence" in parts["Why no more, and no less: the evidence"]
    assert "These figures" not in parts["Why no more, and no less: the evidence"]
    assert "not anonymous" in parts["Why no more, and no less: the evidence"]
    assert "does not mean that there is none" in parts["Special categories (c, Art. 9)"]
    assert parts["What for (b)"].count(TO_FILL_IN) == 2


def test_what_is_declared_at_the_end_counts_too() -> None:
    later = BY_HAND.to_article30(roles=Roles(special={"age": "health"}))
    assert "**age**, **special category: health**, instead of" in later


def test_nothing_that_was_given_becomes_markup() -> None:
    odd = "# a\n## 99. b <script> | *c*"
    named = numeric_partition(odd, NumericDomain(0, 9), [5], labels=["[x](y)", "<b>"])
    record = Generalization([named]).to_article30(title=odd, purpose=odd, author=odd)
    assert "<script>" not in record
    assert "<b>" not in record
    assert "[x](y)" not in record
    assert not any("99" in title for title in sections(record))
