from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import r2_score

from sparsam._errors import DataError, ParameterError
from sparsam.data import Attribute, CategoricalDomain, NumericDomain
from sparsam.data.model import Replacement
from sparsam.minimise.model import _oracle
from sparsam.minimise.model._oracle import Agreement, Kept, Oracle, Places, RecordKeys


def _codes(*rows):
    return np.array(rows, dtype=np.uint16)


def test_each_distinct_record_is_asked_about_once():
    asked = []

    def predict(codes):
        asked.append(codes.copy())
        return codes[:, 0] > 1

    oracle = Oracle(predict, (4, 2))
    answers = oracle(_codes((0, 1), (3, 0), (0, 1), (3, 0), (0, 1)))
    assert oracle.n_asked == 2
    assert len(asked) == 1
    assert len(np.unique(asked[0], axis=0)) == len(asked[0]) == 2
    again = oracle(_codes((3, 0), (1, 1)))  # what was asked about before is remembered
    assert oracle.labels(again).tolist() == [True, False]
    assert oracle.n_asked == 3
    assert asked[1].tolist() == [[1, 1]]
    assert oracle.labels(answers).tolist() == [False, True, False, True, False]


@pytest.mark.parametrize("words", [["no", "yes"], [7, 3], [True, False], [0.0, 1.0], ["a", 1]])
def test_answers_come_back_in_the_models_own_words(words):
    plain = np.empty(2, dtype=object)
    plain[:] = words
    plain = np.array(words) if type(words[0]) is type(words[1]) else plain
    oracle = Oracle(lambda codes: plain[codes[:, 0]], (2,))
    first = oracle(_codes((1,), (1,)))
    both = oracle(_codes((0,), (1,)))
    assert both[1] == first[0]  # a label keeps its number
    assert oracle.labels(both).tolist() == words
    assert [type(word) for word in oracle.labels(both).tolist()] == [type(word) for word in words]


def test_several_answers_a_record_are_one_answer():
    plain = np.array([["a", "x"], ["a", "y"], ["b", "x"]])
    oracle = Oracle(lambda codes: plain[codes[:, 0]], (3,))
    answers = oracle(_codes((0,), (1,), (2,), (0,)))
    assert len(set(answers.tolist())) == 3
    assert answers[0] == answers[3]
    assert [tuple(one) for one in oracle.labels(answers)][:2] == [("a", "x"), ("a", "y")]


def test_a_model_that_answers_too_little_is_refused():
    with pytest.raises(DataError, match="one answer for each of 2 records"):
        Oracle(lambda codes: np.zeros(1), (2,))(_codes((0,), (1,)))


def test_numbers_are_one_line_a_record():
    one = Oracle(lambda codes: codes[:, 0] / 2, (3,), regression=True)
    assert one(_codes((2,), (1,))).tolist() == [[1.0], [0.5]]
    assert one.labels(one(_codes((2,), (1,)))).tolist() == [1.0, 0.5]
    two = Oracle(lambda codes: codes * [[1.0, -1.0]], (3,), regression=True)
    assert two.labels(two(_codes((2,)))).tolist() == [[2.0, -2.0]]


def test_numbers_are_cut_into_few_classes_in_order():
    oracle = Oracle(lambda codes: codes[:, 0], (500,), regression=True)
    answers = oracle(np.arange(500, dtype=np.uint16)[:, None])
    classes = oracle.classes(answers, most=4)
    assert np.bincount(classes).tolist() == [125] * 4
    assert (np.diff(classes) >= 0).all()
    labels = Oracle(lambda codes: codes[:, 0], (3,))
    assert labels.classes(np.array([2, 0])).tolist() == [2, 0]


def test_values_are_those_that_the_model_is_asked_with():
    ages = Attribute("age", NumericDomain(0, 90, True), [0, 40], [0, 40], missing=True)
    sex = Attribute("sex", CategoricalDomain(("f", "m")), missing=True)
    bins = Attribute("pay", NumericDomain(0, 9, True), [0, 5], [4, 9])
    oracle = Oracle(lambda codes: codes[:, 0], (3,), own={"pay": [3, 8]})
    assert oracle.values(ages, np.array([1, 2, 0])) == [40, None, 0]
    assert oracle.values(sex, np.array([1, 2])) == ["m", None]
    assert oracle.values(bins, np.array([0, 1])) == [3, 8]


def test_the_score_is_the_share_of_answers_kept():
    oracle = Oracle(lambda codes: codes[:, 0], (3,))
    kept = Agreement(oracle, np.array([0, 0, 1, 2])).kept(np.array([0, 1, 1, 2]))
    assert kept == Kept(0.75, np.sqrt(0.75 * 0.25 / 4), 4)
    assert kept.holds(0.75, 0.0)
    assert not kept.holds(0.75, 1.0)
    assert not kept.holds(0.76, 0.0)
    assert Kept(0.1, 0.5, 4).holds(0.0, 1.0)  # a share is never below 0
    assert not Kept(-0.1, 0.5, 4).holds(0.0, 1.0)


def test_no_record_at_all_is_refused():
    with pytest.raises(ParameterError, match="at least one record"):
        Agreement(Oracle(lambda codes: codes, (2,)), np.array([], dtype=np.int64))


@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_the_score_of_numbers_is_r_squared(seed, n_outputs):
    rng = np.random.default_rng(seed)
    oracle = Oracle(lambda codes: codes, (2,), regression=True)
    before = rng.normal(size=(30, n_outputs))
    after = before + rng.normal(size=(30, n_outputs))
    assert Agreement(oracle, before).score(after) == pytest.approx(r2_score(before, after))
    assert Agreement(oracle, before).score(before) == 1.0
    mean = np.broadcast_to(before.mean(axis=0), before.shape)
    assert Agreement(oracle, before).score(mean) == pytest.approx(0.0, abs=1e-12)


def test_a_constant_number_is_kept_or_not():
    oracle = Oracle(lambda codes: codes, (2,), regression=True)
    agreement = Agreement(oracle, np.full((9, 1), 2.5))
    assert agreement.score(np.full((9, 1), 2.5)) == 1.0
    assert agreement.score(np.full((9, 1), 2.6)) == 0.0


def test_a_scorer_hears_the_models_words():
    words = np.array(["no", "yes"])
    oracle = Oracle(lambda codes: words[codes[:, 0]], (2,))
    before, after = oracle(_codes((0,), (1,))), oracle(_codes((1,), (1,)))
    heard = []

    def scorer(first, second):
        heard.append((first.tolist(), second.tolist()))
        return 0.125

    assert Agreement(oracle, before, scorer).score(after) == 0.125
    assert heard == [(["no", "yes"], ["yes", "yes"])]


def test_the_worst_cell_counts_where_each_one_does():
    oracle = Oracle(lambda codes: codes[:, 0], (2,))
    cells = np.repeat([0, 1, 2], [100, 60, 10])
    before = np.zeros(170, np.int64)
    after = before.copy()
    after[:5] = 1  # 95 of 100 kept
    after[100:112] = 1  # 48 of 60
    after[160:] = 1  # none of ten, which are too few to tell
    agreement = Agreement(oracle, before, cells=cells)
    kept = agreement.kept(after)
    assert kept.score == agreement.score(after) == pytest.approx(0.8)
    assert kept.n_records == 60
    assert kept.error == pytest.approx(np.sqrt(0.8 * 0.2 / 60))
    assert agreement.take(np.arange(100)).score(after[:100]) == pytest.approx(0.95)
    assert (agreement.large_cells, agreement.small_cells) == ([0, 1], [2])
    whole = Agreement(oracle, before)
    assert whole.score(after) == pytest.approx(143 / 170)


def test_where_each_cell_counts_every_one_must_hold_with_its_own_error():
    # the larger cell is worse but certain, the smaller one better but uncertain
    oracle = Oracle(lambda codes: codes[:, 0], (2,))
    cells = np.repeat([0, 1], [100_000, 60])
    before = np.zeros(100_060, np.int64)
    after = before.copy()
    after[:5_000] = 1  # .95, error .0007
    after[100_000:100_002] = 1  # .967, error .023
    kept = Agreement(oracle, before, cells=cells).kept(after)
    assert kept.score == pytest.approx(0.95)
    assert not kept.holds(0.949, 1.0)


@pytest.mark.parametrize("kind", ["labels", "objects", "pairs", "numbers"])
def test_what_is_heard_early_changes_nothing_but_when_the_model_is_asked(kind):
    rng = np.random.default_rng(0)
    words = rng.permutation([f"{i}" for i in range(30)])
    answers = {
        "labels": words,
        "objects": words.astype(object),
        "pairs": np.column_stack([words, words[::-1]]),
        "numbers": rng.random(30),
    }[kind]
    asked = []

    def predict(codes):
        asked.append(codes[:, 0].tolist())
        return answers[codes[:, 0]]

    plain, early = (Oracle(predict, (30,), regression=kind == "numbers") for _ in range(2))
    questions = [_codes(*((int(i),) for i in rng.integers(0, 30, 12))) for _ in range(5)]
    plain(questions[0])
    early(questions[0])
    asked.clear()
    early.hear(np.concatenate([questions[4], questions[2]]))
    heard = {one for call in asked for one in call}
    assert heard == {*questions[4][:, 0].tolist(), *questions[2][:, 0].tolist()} - {
        *questions[0][:, 0].tolist()
    }
    asked.clear()
    found = [early(question) for question in questions]
    assert not heard & {one for call in asked for one in call}  # never again
    for question, answer in zip(questions, found, strict=True):
        assert answer.tolist() == plain(question).tolist()  # labels have the same numbers
    assert early.n_asked == plain.n_asked
    early.hear(questions[0])  # all of it is known
    assert early.n_asked == plain.n_asked


@pytest.mark.parametrize("kind", ["codes", "numbers"])
def test_the_model_is_asked_in_pieces_that_fit_into_memory(monkeypatch, kind):
    sizes = []

    def predict(codes, numbers=None):
        sizes.append(len(codes))
        if numbers is None:
            return codes[:, 0]
        return np.array(numbers[0].values)[numbers[0].index]

    monkeypatch.setattr(_oracle, "_AT_ONCE", 7)
    oracle = Oracle(predict, (100,))
    codes = np.arange(20, dtype=np.uint16)[:, None]
    if kind == "codes":
        answers = oracle(codes)
    else:
        values = [3 * n for n in range(20)]
        answers = oracle.with_numbers(codes, {0: Replacement(values, np.arange(20))})
    factor = 1 if kind == "codes" else 3
    assert oracle.labels(answers).tolist() == [factor * n for n in range(20)]
    assert sizes == [7, 7, 6]
    assert oracle.n_asked == 20


def test_what_is_remembered_is_bounded_and_forgetting_changes_no_answer(monkeypatch):
    monkeypatch.setattr(_oracle, "_MOST_REMEMBERED", 10)
    words = np.array([f"{n}" for n in range(40)])[::-1]
    oracle = Oracle(lambda codes: words[codes[:, 0]], (40,))
    first = oracle(np.arange(40, dtype=np.uint16)[:, None])
    again = oracle(np.arange(5, dtype=np.uint16)[:, None])
    assert oracle.labels(again).tolist() == words[:5].tolist()
    assert again.tolist() == first[:5].tolist()  # a label keeps its number
    assert len(oracle._places) == 5


def test_each_answer_and_all_records_count_where_both_do():
    oracle = Oracle(lambda codes: codes[:, 0], (3,))
    before = np.repeat([0, 1, 2], [100, 30, 20])
    after = before.copy()
    after[:3] = 1  # 97 of 100 kept
    after[130:] = 0  # none of twenty, too few to tell alone
    each = Agreement(oracle, before, cells=before, fewest=30)
    assert each.score(after) == pytest.approx(0.97)
    both = Agreement(oracle, before, cells=before, fewest=30, over_all=True)
    assert both.score(after) == both.kept(after).score == pytest.approx(127 / 150)
    assert (each.least, both.least) == (1 / 30, 1 / 30)
    for agreement in (each, both, both.take(np.arange(150))):
        tally = agreement.tallies(after == before, [np.arange(150)])[0]
        assert agreement.share(tally) == pytest.approx(agreement.score(after))


@given(st.lists(st.lists(st.integers(-5, 30), max_size=8), max_size=6))
def test_places_number_keys_as_a_dictionary_would(batches):
    places, known = Places(), {}
    for batch in batches:
        keys = np.unique(np.array(batch, np.int64))
        found = places.find(keys)
        assert found.tolist() == [known.get(key, -1) for key in keys.tolist()]
        new = keys[found < 0]
        numbers = places.add(new)
        for key in new.tolist():
            known[key] = len(known)
        assert numbers.tolist() == [known[key] for key in new.tolist()]
        assert len(places) == len(known)


@given(st.integers(0, 2**32 - 1), st.sampled_from([(3, 1, 4), (65_536,) * 3, (65_536,) * 12]))
@settings(max_examples=50)
def test_keys_are_equal_for_equal_records_and_stay_so(seed, sizes):
    rng = np.random.default_rng(seed)
    pool = np.column_stack([rng.integers(0, size, 12) for size in sizes]).astype(np.uint16)
    pool[6:, : len(sizes) - 1] = pool[:6, : len(sizes) - 1]  # some differ in the last code only
    keys, known = RecordKeys(sizes), {}
    for _ in range(4):
        codes = pool[rng.integers(0, len(pool), 20)]
        for key, record in zip(keys(codes).tolist(), codes.tolist(), strict=True):
            assert known.setdefault(tuple(record), key) == key
    assert len(set(known.values())) == len(known)


def test_keys_are_in_the_order_of_the_records_where_one_integer_is_enough():
    codes = np.array([[1, 0], [0, 2], [0, 1]], np.uint16)
    assert np.argsort(RecordKeys((2, 3))(codes)).tolist() == [2, 1, 0]


def test_many_large_attributes_do_not_overflow():
    highest = np.full((1, 40), 65_535, np.uint16)
    with np.errstate(all="raise"):
        (key,) = RecordKeys((65_536,) * 40)(highest)
    assert 0 <= key < 2**63


@pytest.mark.parametrize("n_attributes", [0, 2])
def test_no_records_have_no_keys(n_attributes):
    keys = RecordKeys((65_536,) * n_attributes)(np.empty((0, n_attributes), np.uint16))
    assert keys.shape == (0,)
