"""What is known of a processing."""

from __future__ import annotations

from tests.report.regulator.described import BY_HAND, DESCRIBED, report

from sparsam.data import CategoricalDomain, NumericDomain, Roles
from sparsam.generalization import Generalization, categorical_partition, numeric_partition
from sparsam.report.page._blocks import Items, Text, plain_words
from sparsam.report.regulator._processing import Processing


def test_targets_of_one_and_of_several_purposes() -> None:
    assert Processing(DESCRIBED).targets == ("employed",)
    assert Processing(BY_HAND).targets == ()
    several = BY_HAND.with_about({"targets": ["employed", "income>50000"]})
    assert Processing(several).targets == ("employed", "income>50000")
    special = Processing(several, Roles(special={"income": "union"})).special_blocks()
    items = [item for block in special if isinstance(block, Items) for item in block.items]
    words = list(map(plain_words, items))
    assert words == ["income (trade union membership): the outcome that is predicted"]


def test_a_target_that_looks_like_half_an_expression() -> None:
    odd = BY_HAND.with_about({"target": "pay>"})
    special = Processing(odd, Roles(special={"pay>": "health", "age": "health"})).special_blocks()
    items = [item for block in special if isinstance(block, Items) for item in block.items]
    assert "the outcome" in plain_words(items[0])
    assert "collected in 4 buckets" in plain_words(items[1])


def test_one_report_alone() -> None:
    assert len(Processing(DESCRIBED, reports=report()).evidence_in_reports) == 1


def test_missing_values_count_where_they_have_a_bucket_of_their_own() -> None:
    domain, ages = CategoricalDomain(("a", "b")), NumericDomain(0, 9)
    parts = [
        categorical_partition("own", domain, [["a"], ["b"]], missing=2),
        categorical_partition("with other", domain, [["a"], ["b"]], missing=2, unseen=2),
        categorical_partition("with b", domain, [["a"], ["b"]], missing=1),
        numeric_partition("number", ages, [5], missing=2),
        numeric_partition("with high", ages, [5], missing=1),
        numeric_partition("refused", ages, [5]),
    ]
    shares = {part.name: [1.0] + [0.0] * (part.n_buckets - 1) for part in parts}
    shares["own"][2], shares["number"][2] = 0.25, 0.5
    evidence = {"people": 100, "tested": 0, "shares": shares}
    known = Processing(Generalization(parts, {"evidence": evidence}))
    assert known.missing_shares == {"own": 0.25, "number": 0.5}


def test_nothing_is_collected() -> None:
    spared = numeric_partition("age", NumericDomain(0, 9), [])
    blocks = list(Processing(Generalization([spared])).data_blocks())
    told = [plain_words(block.words) for block in blocks if isinstance(block, Text)]
    assert told == ["No attribute is collected.", "Looked at and not collected at all: age."]


def test_a_number_is_told_as_its_score_tells_it() -> None:
    about = DESCRIBED.about
    about["evidence"]["promise"]["score"] = "mae"
    about["evidence"]["measured"]["utility"] = 1234.0
    told = list(Processing(DESCRIBED.with_about(about)).evidence_blocks())
    words = " ".join(plain_words(block.words) for block in told if isinstance(block, Text))
    assert "with what is collected: 1,230;" in words
    about["evidence"]["promise"]["score"] = "a stranger's"
    assert list(Processing(DESCRIBED.with_about(about)).evidence_blocks())
