"""What is counted on all rows is what the same models do person by person."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sparsam as sp
from sparsam.assess import Score, assess_everyone, everyone_data, score_for
from sparsam.assess._everyone import _counted, _lookups
from sparsam.data import MOST_PEOPLE, OthersAtHome, Split, Task, draw_people
from sparsam.generalization import Generalization

COLUMNS = ["age", "education", "sex", "disability", "race", "employed"]


@pytest.fixture(scope="module")
def everyone() -> Task:
    return sp.resolve(
        sp.load_example().select(COLUMNS), sp.Roles("employed", personal=["sex", "race", "age"])
    )


@pytest.fixture(scope="module")
def sample(everyone: Task) -> Split:
    return sp.split(draw_people(everyone, 4_000, random_state=1))


@pytest.fixture(scope="module")
def tree(sample: Split) -> Generalization:
    return sp.PrivacyTree(max_leaves=6, min_leaf=50).fit_task(sample.train).generalization_


def others_as_test(everyone: Task, sample: Split) -> Split:
    """The same split, with everyone outside the sample as its test part."""
    assert isinstance(sample.others, OthersAtHome)
    return replace(sample, test=everyone.take(sample.others._rows), others=None)


@pytest.mark.parametrize("score", ["accuracy", "balanced accuracy", "log loss", "auc"])
def test_counting_people_is_judging_them_one_by_one(
    everyone: Task, sample: Split, tree: Generalization, score: str
) -> None:
    [counted] = assess_everyone([tree], sample, score=score)
    slow = sp.assess_generalization(
        tree, others_as_test(everyone, sample), score=score_for(sample, score)
    )
    assert counted.utility is not None
    assert counted.utility.error == pytest.approx(slow.utility.error, abs=1e-9)
    assert counted.utility.interval == pytest.approx(slow.utility.interval, abs=1e-9)
    assert counted.utility.n_records == 16_000
    assert counted.risk.value == pytest.approx(slow.risk.value, abs=1e-9)
    assert counted.risk.baseline == pytest.approx(slow.risk.baseline, abs=1e-9)
    for part, same in zip(counted.risk.parts, slow.risk.parts, strict=True):
        assert part.attribute == same.attribute
        assert part.value == pytest.approx(same.value, abs=1e-9)
        assert part.interval == pytest.approx(same.interval)
    low, high = slow.risk.interval
    assert counted.risk.interval[0] <= low <= high <= counted.risk.interval[1]


def test_class_sizes_are_those_of_all_rows(
    everyone: Task, sample: Split, tree: Generalization
) -> None:
    [counted] = assess_everyone([tree], sample)
    records = tree.apply(everyone.table, output="codes")
    _, sizes = np.unique(np.column_stack(list(records.values())), axis=0, return_counts=True)
    assert counted.class_sizes.distinct == len(sizes)
    assert counted.class_sizes.smallest == sizes.min()
    assert counted.n_people == sizes.sum() == 20_000


def test_bounds_are_no_less_than_any_attack(sample: Split, tree: Generalization) -> None:
    [counted] = assess_everyone([tree], sample)
    for limit, part in zip(counted.bounds, counted.risk.parts, strict=True):
        assert limit.attribute == part.attribute
        assert 1 - part.value <= limit.on_these_records <= limit.accuracy


def _watched(sample: Split) -> tuple[OthersAtHome, list[Any]]:
    """The others of a sample, and a list of what they are asked to count."""
    looks: list[Any] = []

    class Watched(OthersAtHome):
        def parts(self, lookups: Any, personal: Any, sample: Any) -> Any:
            looks.append(lookups)
            return super().parts(lookups, personal, sample)

    others = sample.others
    assert isinstance(others, OthersAtHome)
    return Watched(others._task, others._rows), looks


def test_neighbours_share_one_count(sample: Split, tree: Generalization) -> None:
    nothing = Generalization.nothing(sample.train.table)
    finer = sp.PrivacyTree(max_leaves=9, min_leaf=50).fit_task(sample.train).generalization_
    watched, looks = _watched(sample)
    several = [tree, nothing, finer]
    together = assess_everyone(several, replace(sample, others=watched))
    assert len(looks) == 1
    alone = [assess_everyone([one], sample)[0] for one in several]
    assert everyone_data(together) == everyone_data(alone)


def test_too_many_records_are_counted_apart(
    sample: Split, tree: Generalization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparsam.assess._everyone._MOST_RECORDS", 1)
    lookups = [_lookups(tree, sample)] * 2
    [first], [second] = map(list, _counted(lookups, sample))
    assert (first.people == second.people).all()


def test_each_is_counted_when_the_one_before_was_judged(
    sample: Split, tree: Generalization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparsam.assess._everyone._MOST_RECORDS", 1)
    watched, looks = _watched(sample)
    counted = _counted([_lookups(tree, sample)] * 2, replace(sample, others=watched))
    next(counted)
    assert len(looks) == 1
    next(counted)
    assert len(looks) == 2


@pytest.mark.parametrize("score", ["accuracy", "balanced accuracy", "log loss", "auc"])
def test_judging_part_by_part_tells_the_same(
    sample: Split, score: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    finer = sp.PrivacyTree(max_leaves=40, min_leaf=5).fit_task(sample.train).generalization_
    [whole] = assess_everyone([finer], sample, score=score)
    monkeypatch.setattr("sparsam.data.sample._record_parts.MOST_RECORDS", 20)
    monkeypatch.setattr("sparsam.data.sample._record_parts._PEOPLE_IN_SLICE", 2_000)
    monkeypatch.setattr("sparsam.data.sample._record_parts._PEOPLE_AT_ONCE", 5_000)
    [parts] = _counted([_lookups(finer, sample)], sample)
    assert len(list(parts)) > 3
    [told] = assess_everyone([finer], sample, score=score)
    assert told.utility == whole.utility
    assert told.risk == whole.risk
    assert told.bounds == whole.bounds
    assert told.class_sizes == whole.class_sizes
    assert told.n_people == whole.n_people == 20_000


def test_a_class_that_the_sample_has_not_is_left_out(everyone: Task) -> None:
    codes = everyone.target.copy()
    codes[:3] = 2
    task = replace(everyone, target=codes, classes=("no", "yes", "unheard of"))
    data = sp.split(task)
    rows = np.arange(20_000)
    counted = OthersAtHome(task, rows).count({}, ["sex"])
    assert counted.target is not None
    unknown = replace(
        counted,
        target=counted.target._replace(codes=np.where(counted.target.codes == 2, -1, 0)),
    )

    class Odd(OthersAtHome):
        def parts(self, lookups: Any, personal: Any, sample: Any) -> Any:
            [counts] = super().parts(lookups, personal, sample)
            yield replace(counts, target=unknown.target)

    nothing = Generalization.nothing(task.table)
    [told] = assess_everyone([nothing], replace(data, others=Odd(task, rows)))
    assert told.utility is not None
    assert told.utility.n_records == 20_000 - 3
    assert told.risk.n == 20_000


def test_a_number_is_told_on_the_sample_alone(everyone: Task) -> None:
    people = sp.load_example().select(["age", "sex", "disability"])
    task = draw_people(sp.resolve(people, sp.Roles("age")), 3_000)
    data = sp.split(task)
    [told] = assess_everyone([Generalization.nothing(task.table)], data)
    assert told.utility is None
    assert told.risk.n == 17_000


def test_no_sample_leaves_nothing_to_count(everyone: Task) -> None:
    data = sp.split(everyone)
    assert assess_everyone([Generalization.nothing(everyone.table)], data) == ()
    assert everyone.n_rows < MOST_PEOPLE


def test_the_choice_the_artifact_and_the_report_say_so(everyone: Task) -> None:
    tree = sp.PrivacyTree(max_leaves=6)
    front = sp.sweep(everyone, minimisers=["uniform", tree], max_people=6_000, repeats=1)
    choice = front.choose(max_utility_loss=0.2)
    assert 1 <= len(choice.everyone) <= 5
    assert choice.everyone[0].generalization == choice.candidate.generalization
    assert choice.generalization.about["sample"] == {"rows": 6_000, "of": 20_000}
    report = choice.report()
    assert report.to_dict()["everyone"] == everyone_data(choice.everyone)
    words = " ".join(report.to_markdown().split())
    assert "6,000 people, drawn at random from 20,000 rows" in words
    assert "the other 14,000" in words
    whole = sp.sweep(everyone, minimisers=tree, repeats=1).choose(max_utility_loss=0.2)
    assert whole.everyone == ()
    assert "sample" not in whole.generalization.about
    assert "everyone" not in whole.report().to_dict()


@pytest.mark.parametrize("name", ["accuracy", "balanced accuracy", "log loss", "auc", "r2", "mae"])
def test_counts_of_people_stand_for_people(name: str) -> None:
    rng = np.random.default_rng(2)
    n = 40
    table = sp.read({"x": rng.integers(0, 3, n)})
    task = Task(
        table=table,
        target=rng.integers(0, 2, n).astype(np.uint16),
        classes=("a", "b"),
        target_name="y",
        personal=(0,),
        weights=(1.0,),
        roles=sp.Roles("y"),
        numbers=rng.normal(size=n),
    )
    counts = rng.integers(1, 6, n)
    score = Score(name, groups=(0, 1))
    answers = rng.random(n) < 0.4 if name in ("accuracy", "balanced accuracy") else rng.random(n)
    rows = np.repeat(np.arange(n), counts)
    few = score.judge(answers, task, counts)
    many = score.judge(answers[rows], task.take(rows))
    assert np.average(few, weights=counts) == pytest.approx(many.mean())
    assert few[np.searchsorted(np.cumsum(counts), np.arange(len(rows)), side="right")] == (
        pytest.approx(many)
    )
    assert score.interval(few, counts) == pytest.approx(score.interval(many))
