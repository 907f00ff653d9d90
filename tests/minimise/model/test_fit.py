from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from sparsam._certainty import share_p_value
from sparsam._errors import DataError, SparsamWarning
from sparsam.data import Attribute, CategoricalDomain, NumericDomain, Table
from sparsam.generalization import Generalization
from sparsam.minimise import Constraints, ModelTree
from sparsam.minimise._partitions import code_counts, partition_of
from sparsam.minimise.model._fit import ModelFit, Settings, in_turn, rare_answers, usual_values
from sparsam.minimise.model._oracle import Oracle
from sparsam.minimise.model._recoding import prediction_task
from sparsam.minimise.model._round import FedRecords


def _fit(predict, n_rows=600, **options):
    ages = np.arange(40)
    attributes = (
        Attribute("age", NumericDomain(0, 39, True), ages, ages),
        Attribute("work", CategoricalDomain(("a", "b", "c"))),
    )
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.integers(0, 40, n_rows), rng.integers(0, 3, n_rows)])
    table = Table(attributes, np.asfortranarray(codes.astype(np.uint16)))
    task = prediction_task(table, np.zeros(n_rows, np.int64), 1)
    counts = code_counts(task.codes, task.sizes)

    def make(ranges):
        return Generalization(
            partition_of(attribute, one.buckets, count, "common")
            for attribute, one, count in zip(attributes, ranges, counts, strict=True)
        )

    settings = {
        "target": 0.95,
        "confidence": 0.95,
        "representative": "response",
        "ilag": "corrected",
        "kept_in": "all",
        "scorer": None,
        "weights": {},
        "constraints": Constraints(),
        "fractions": (0.4, 0.2, 0.4),
        **options,
    }
    oracle = Oracle(_with_numbers(predict), task.sizes)
    return ModelFit(task, oracle, Settings(**settings), make, 0)


def _with_numbers(predict):
    """The codes of ages are the ages themselves, so that whole ones are codes."""

    def asked(codes, numbers=None):
        codes = codes.copy()
        for a, one in (numbers or {}).items():
            codes[:, a] = np.array(one.values)[one.index]
        return predict(codes)

    return asked


def _old_office(codes):
    return (codes[:, 0] > 20) & (codes[:, 1] == 1)


def test_every_person_is_in_one_part():
    fit = _fit(_old_office, fractions=(0.5, 0.3, 0.2))
    assert [len(part) for part in (fit.learn, fit.choose, fit.report)] == [300, 180, 120]
    together = np.concatenate([fit.learn, fit.choose, fit.report])
    assert sorted(together.tolist()) == list(range(600))


def test_cells_are_groups_that_the_model_treats_alike():
    fit = _fit(_old_office, kept_in="each cell")
    cells = fit._cells
    assert 2 <= len(np.unique(cells)) <= 16
    for cell in np.unique(cells):
        inside = np.intersect1d(fit.learn, np.flatnonzero(cells == cell))
        assert len(np.unique(fit._answers[inside])) == 1
    judged = [len(rows) for _, rows in fit._parts]
    assert judged[-1] == len(fit.report)
    assert min(judged) >= 59  # 0.95 ** 59 < 0.05
    same = _fit(lambda codes: np.zeros(len(codes)), kept_in="each cell")
    assert set(same._cells.tolist()) == {0}


def test_nobody_held_out_is_looked_at_before_the_end():
    """People held out must not change what is chosen."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 30, 500), "b": rng.integers(0, 30, 500)})

    def model(rows):
        return (rows["a"] + rows["b"] > 25).to_numpy()

    def fitted(people):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SparsamWarning)
            return ModelTree(model, keep_accuracy=0.9).fit(people)

    tree = fitted(frame)
    changed = frame.copy()
    held_out = tree.held_out_rows_
    # other people, but nobody with a value that is new
    changed.iloc[held_out] = changed.iloc[rng.permutation(held_out)].to_numpy()
    again = fitted(changed)
    assert (again.held_out_rows_ == held_out).all()
    assert again.recoding_.nodes == tree.recoding_.nodes
    assert again.recoding_.representatives == tree.recoding_.representatives
    assert again.chosen_on_ == tree.chosen_on_


def test_what_is_tested_comes_from_fine_to_coarse_and_not_from_those_tested_on(monkeypatch):
    odd = np.random.default_rng(2).random((40, 3)) < 0.1

    def predict(codes):
        return _old_office(codes) ^ odd[codes[:, 0].astype(int), codes[:, 1].astype(int)]

    tested = []

    def all_of_them(self, recodings):
        tested.append([recoding.to_json() for recoding in recodings])
        raise KeyboardInterrupt

    losses = []
    settled = ModelFit._settled

    def noted(self, ranges, aim):
        losses.append(sum(of_attribute.loss for of_attribute in ranges))
        return settled(self, ranges, aim)

    monkeypatch.setattr(ModelFit, "_settled", noted)
    monkeypatch.setattr(ModelFit, "_tested_in_turn", all_of_them)
    for others in (False, True):
        fit = _fit(predict, n_rows=2_000, target=0.8)
        if others:  # the model contradicts itself about everyone held out
            fit._answers[fit.report] = 1 - fit._answers[fit.report]
        with pytest.raises(KeyboardInterrupt):
            fit.by_responses()
    assert tested[0] == tested[1]
    assert len(tested[0]) > 1
    first = losses[: len(tested[0])]
    assert first == sorted(first)


def test_the_last_before_the_first_that_fails_is_chosen(monkeypatch):
    fit = _fit(_old_office, n_rows=2_000)
    before = fit._answers[fit.report]
    outcomes = {"fine": 0, "coarser": 20, "coarse": 39, "coarsest": 0}
    asked = []

    def answers(self, recoding, rows):
        asked.append(recoding)
        after = before.copy()
        after[: outcomes[recoding]] = 1 - after[: outcomes[recoding]]
        return after

    monkeypatch.setattr(ModelFit, "_answers_to", answers)
    chosen, proof = fit._tested_in_turn(outcomes)
    assert chosen == "coarser"
    assert asked == ["fine", "coarser", "coarse"]  # nothing is tested after a failure
    assert (proof.shown, proof.at_least, proof.n_tested) == (True, 0.95, 3)
    assert proof.p_value == pytest.approx(share_p_value(20, 800, 0.05))


def test_usual_values_go_together():
    pairs = np.repeat([[0, 0], [0, 1], [0, 2], [1, 3]], [20, 20, 20, 45], axis=0)
    # most have 0, and most have 3, but nobody has both
    assert usual_values(pairs.astype(np.uint16)).tolist() in ([0, 0], [0, 1], [0, 2])


def test_usual_values_are_not_parted_down_to_one_person():
    rng = np.random.default_rng(0)
    codes = np.column_stack([np.zeros(200, int), rng.permutation(200), rng.permutation(200)])
    usual = usual_values(codes.astype(np.uint16))
    assert usual.tolist() not in codes.tolist()


def test_the_usual_record_gets_the_commonest_answer():
    # the usual values together get the rare answer, so that a person must stand in
    fit = _fit(lambda codes: (codes[:, 0] % 2).astype(int) ^ (codes[:, 1] == 1))
    answers = fit._answers[fit.learn]
    record = fit._usual_record()
    assert fit._oracle(record[None])[0] == np.bincount(answers).argmax()


@pytest.mark.parametrize(
    ("counts", "rare"),
    [
        ([920, 80], [1]),  # 8 %
        ([700, 300], []),
        ([971, 29], []),  # too few to tell
        ([100] * 10, []),  # a tenth each is their equal share
        ([400, 400, 180, 20], []),
        ([400, 400, 160, 40], [3]),
    ],
)
def test_rare_answers_are_those_that_an_average_hides(counts, rare):
    answers = np.repeat(np.arange(len(counts)), counts)
    assert rare_answers(answers).tolist() == rare


def test_the_target_must_hold_for_each_answer_where_one_is_rare():
    def predict(codes):
        return (codes[:, 0] > 33) & (codes[:, 1] == 1)

    assert _fit(predict, n_rows=3_000, kept_in="auto").kept_in == "each answer"
    assert _fit(predict, n_rows=300, kept_in="auto").kept_in == "all"  # too few get it
    assert _fit(predict, n_rows=3_000, kept_in="all").kept_in == "all"
    assert _fit(lambda codes: codes[:, 0] > 20, n_rows=3_000, kept_in="auto").kept_in == "all"
    own = _fit(predict, n_rows=3_000, kept_in="auto", scorer=lambda before, after: 1.0)
    assert own.kept_in == "all"


def test_groups_take_turns_in_the_order_that_they_are_in():
    groups = np.array([2, 2, 0, 2, 0, 2, 1])
    order = in_turn(groups)
    assert order.tolist() == [2, 6, 0, 4, 1, 3, 5]
    assert in_turn(np.zeros(4, np.int64)).tolist() == [0, 1, 2, 3]


def test_too_few_people_are_refused():
    with pytest.raises(DataError, match="at least 30"):
        _fit(_old_office, n_rows=29)


@pytest.mark.parametrize("target", [0.9, 0.95, 0.99])
def test_what_is_asked_early_or_not_at_all_changes_no_result(monkeypatch, target):
    def predict(codes):
        odd = (codes[:, 0].astype(int) * 7 + codes[:, 1] * 3) % 31 < 2
        return _old_office(codes) ^ odd

    quick = _fit(predict, target=target)
    found = quick.by_responses()
    monkeypatch.setattr(Oracle, "hear", lambda self, codes: None)
    monkeypatch.setattr(ModelFit, "_may_hold", lambda *given: True)
    slow = _fit(predict, target=target)
    other = slow.by_responses()
    assert found.generalization.to_json() == other.generalization.to_json()
    assert found.recoding.to_json() == other.recoding.to_json()
    assert (found.chosen_on, found.held_out) == (other.chosen_on, other.held_out)
    assert found.curve == other.curve
    assert quick._oracle.n_asked <= slow._oracle.n_asked


def test_what_is_fed_is_what_the_recoding_makes():
    fit = _fit(_old_office)
    recoding = fit.by_responses().recoding
    table = fit._task.table.take(fit.report)
    made = recoding.apply(table)
    expected = [
        attribute.encode(np.asarray(made[attribute.name], object)) for attribute in table.attributes
    ]
    fed, place = FedRecords.of_everyone(recoding, table)
    answers = fed.answers(fit._oracle)[place]
    assert answers.tolist() == fit._oracle(np.column_stack(expected)).tolist()
    assert fed.people.sum() == len(place) == table.n_rows
