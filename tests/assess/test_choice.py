"""A requirement and what was chosen because of it."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam._errors import ParameterError
from sparsam.assess import sweep
from sparsam.attack import Reconstruction
from sparsam.data import Roles
from sparsam.minimise import PrivacyTree


@pytest.mark.parametrize(
    ("demands", "message"),
    [
        ({"max_utility_loss": 0.1, "max_risk": 0.1}, "Got 2 of them"),
        ({"max_utility_loss": -0.1}, r"\[0, 1\]"),
        ({"max_risk": 1.5}, r"\[0, 1\]"),
        ({"max_risk": float("nan")}, r"\[0, 1\]"),
        ({"max_risk": 0.5, "confidence": 1.0}, r"\(0, 1\)"),
        ({"max_utility_loss": 0.5, "confidence": 0.0}, r"\(0, 1\]"),
    ],
)
def test_wrong_requirements(small_front, demands, message):
    with pytest.raises(ParameterError, match=message):
        small_front.choose(**demands)


def test_report_comes_from_the_choice(small_front):
    report = small_front.choose(max_utility_loss=1.0).report(title="T")
    assert report.to_dict()["title"] == "T"


@pytest.fixture(scope="module")
def patients():
    """An illness of one person in eight that age tells of, but in nobody more than not."""
    rng = np.random.default_rng(0)
    age, sex = rng.integers(20, 90, 3000), rng.choice(["f", "m"], 3000)
    ill = rng.random(3000) < np.where(age > 65, 0.32, 0.04)
    return {"age": age, "sex": sex, "ill": np.where(ill, "yes", "no")}


def chosen(table, loss=0.05, **options):
    trees = [PrivacyTree(max_leaves=leaves, privacy=0.3, min_leaf=100) for leaves in (1, 2, 6)]
    front = sweep(
        table,
        Roles("ill", personal="all"),
        minimisers=trees,
        adversary=Reconstruction(models=("look-up",)),
        n_jobs=1,
        **options,
    )
    return front.choose(max_utility_loss=loss)


def test_a_rare_class_is_not_done_with_by_collecting_nothing(patients):
    choice = chosen(patients)
    assert choice.requirement.score.name == "auc"
    assert choice.generalization.collected == ("age",)
    assert choice.met
    assert choice.remarks == ()
    assert choice.front.limits.nothing.value == 0.5
    assert choice.front.limits.adds[0] > 0.2
    assert choice.kept > 0.8
    facts = choice.to_dict()
    assert facts["kept"] == pytest.approx(choice.kept, abs=0.05)
    assert facts["score"]["name"] == "auc"
    words = "AUC within 0.05 of everything collected, with 95 % confidence"
    assert facts["requirement"]["words"] == words
    proof = facts["requirement"]["proof"]
    assert proof["how"] == "large samples"
    assert choice.proof.bound <= proof["bound"] <= 0.05
    assert "900 people who took no part in learning" in proof["words"]


def test_accuracy_that_cannot_tell_says_so(patients):
    choice = chosen(patients, score="accuracy")
    assert choice.generalization.collected == ()
    [remark] = choice.remarks
    if choice.front.limits.tells:
        assert "accuracy cannot tell here what is needed; the score 'auc' would" in remark
    else:
        assert "The data add nothing to the majority guess" in remark
    assert remark in choice.report().to_markdown()
    assert choice.to_dict()["requirement"]["remarks"] == [remark]


def test_data_that_tell_nothing_are_said_to(patients):
    shuffled = {**patients, "ill": np.random.default_rng(1).permutation(patients["ill"])}
    choice = chosen(shuffled, loss=0.3)
    assert choice.kept is None
    [remark] = choice.remarks
    assert remark.startswith("The data add nothing to the majority guess beyond the noise: AUC 0.5")
