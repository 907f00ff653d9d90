"""The evidence for a model, against asking it person by person."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

from sparsam._certainty import share_p_value
from sparsam._errors import DataError, SparsamWarning
from sparsam.assess import assess_model
from sparsam.assess.model._assessment import AnswerKept, accuracy, disclosure, per_answer
from sparsam.attack import wilson_interval
from sparsam.data import OwnRecords, Roles, read
from sparsam.minimise import ModelTree

ROLES = Roles("works")


def works(people):
    """Answer like a careful model: by age and education only."""
    age, school = np.asarray(people["age"]), np.asarray(people["education"], dtype=object)
    return np.where((age > 25) & (age < 65) & (school != "low"), "yes", "no")


def fitted(people, model=works, **options):
    return ModelTree(model, ROLES, **options).fit(people)


@pytest.fixture(scope="module")
def people(make_people):
    return make_people(900)


@pytest.fixture(scope="module")
def tree(people):
    return fitted(people, keep_accuracy=0.9)


@pytest.fixture(scope="module")
def evidence(tree, people):
    return assess_model(tree, people, rows=tree.held_out_rows_)


def test_relative_accuracy_is_that_of_asking_one_by_one(tree, people, evidence):
    rows = people.iloc[tree.held_out_rows_].drop(columns="works").to_dict("records")
    fed = [tree.recoding_.apply_record(row) for row in rows]
    before = [works(pd.DataFrame([row]))[0] for row in rows]
    after = [works(pd.DataFrame([row]))[0] for row in fed]
    same = sum(a == b for a, b in zip(before, after, strict=True))
    kept = evidence.relative_accuracy
    assert kept.score == same / len(rows) == tree.held_out_.score
    assert kept.interval == wilson_interval(same, len(rows))
    assert kept.n_records == evidence.n_records == len(rows) == 360
    assert kept.measure == "share"
    assert evidence.null_accuracy == Counter(before).most_common(1)[0][1] / len(rows)
    truth = people["works"].iloc[tree.held_out_rows_].tolist()
    right = [sum(a == b for a, b in zip(truth, said, strict=True)) for said in (before, after)]
    assert evidence.true_accuracy.before.score == right[0] / len(rows)
    assert evidence.true_accuracy.after.score == right[1] / len(rows)


def test_what_was_chosen_on(tree, evidence):
    assert evidence.chosen_on.score == tree.chosen_on_.score
    low, high = evidence.chosen_on.interval
    assert low < evidence.chosen_on.score <= high + 1e-12
    assert evidence.worst_cell is None


def test_information_loss_and_disclosure(tree, people, evidence):
    rows = people.iloc[tree.held_out_rows_].drop(columns="works")
    table = OwnRecords.open(people, roles=ROLES).table.take(tree.held_out_rows_)
    assert evidence.information_loss == tree.generalization_.information_loss(table)
    assert evidence.local_information_loss == tree.recoding_.information_loss(table)
    assert evidence.local_information_loss.overall >= evidence.information_loss.overall
    raw = Counter(rows.itertuples(index=False, name=None))
    ranges = Counter(tree.generalization_.apply(rows).itertuples(index=False, name=None))
    fed = Counter(tree.recoding_.apply(rows).itertuples(index=False, name=None))
    stored = evidence.disclosure
    for counts, measured in zip(
        (raw, ranges, fed), (stored.before, stored.after, stored.recoded), strict=True
    ):
        assert measured.distinct == len(counts)
        assert measured.as_printed == pytest.approx(len(counts) / len(rows))
        reported = sum(1 / count for count in counts.values()) / len(rows)
        assert measured.as_reported == pytest.approx(reported)
    assert stored.quasi_identifiers == table.names
    assert stored.recoded.distinct <= stored.after.distinct <= stored.before.distinct


def test_what_is_needed(evidence, tree):
    assert set(evidence.collected) == {"age", "education"}
    assert set(evidence.not_needed) == {"sex", "region", "zip"}
    assert evidence.curve == tree.curve_
    assert evidence.n_asked > tree.n_asked_
    assert evidence.settings["keep_accuracy"] == 0.9
    assert evidence.settings["fractions"] == list(tree.fractions)
    assert "model" not in evidence.settings


def test_plain_data(evidence):
    data = json.loads(json.dumps(evidence.to_dict(), allow_nan=False))
    assert data["met"] is True
    assert data["shortfall"] == 0
    assert data["relative_accuracy"]["n_records"] == 360
    assert set(data["disclosure"]) == {"before", "after", "recoded", "quasi_identifiers"}
    assert len(data["curve"]) == len(evidence.curve)
    assert "works" not in repr(evidence.settings)


def test_quasi_identifiers_are_those_that_the_roles_name(people):
    roles = Roles("works", quasi_identifiers=["sex", "region"])
    tree = ModelTree(works, roles, keep_accuracy=0.9).fit(people)
    stored = assess_model(tree, people, rows=tree.held_out_rows_).disclosure
    assert stored.quasi_identifiers == ("sex", "region")
    rows = people.iloc[tree.held_out_rows_]
    assert stored.before.distinct == len(rows[["sex", "region"]].drop_duplicates())
    assert stored.after.distinct == 1  # neither is collected


def test_a_missed_target_says_by_how_much(tree, people):
    other = fitted(people, keep_accuracy=0.9)
    other.keep_accuracy = 1.1  # more than can be
    other.proof_ = replace(other.proof_, target=1.1, shown=False, too_few=False)
    evidence = assess_model(other, people, rows=tree.held_out_rows_)
    assert not evidence.met
    assert evidence.shortfall == pytest.approx(1.1 - evidence.relative_accuracy.score)


def test_others_show_it_anew(tree, people, make_people):
    others = make_people(400).drop(columns="works")
    evidence = assess_model(tree, others)
    changed = round(400 * (1 - evidence.relative_accuracy.score))
    assert evidence.proof.n_people == 400
    assert evidence.proof.p_value == pytest.approx(
        share_p_value(changed, 400, 1 - tree.keep_accuracy)
    )
    own = assess_model(tree, people, rows=tree.held_out_rows_)
    assert own.proof is tree.proof_
    few = assess_model(tree, others.head(5))
    assert (few.met, few.proof.too_few) == (False, True)
    assert few.to_dict()["proof"]["n_people"] == 5


def test_in_each_cell(people):
    tree = fitted(people, keep_accuracy=0.9, kept_in="each cell")
    evidence = assess_model(tree, people, rows=tree.held_out_rows_)
    assert evidence.worst_cell.score == tree.held_out_.score
    assert evidence.met == (tree.met_ and evidence.relative_accuracy.score >= 0.9)
    tree.proof_ = replace(tree.proof_, shown=False)
    assert not assess_model(tree, people, rows=tree.held_out_rows_).met


def test_of_each_answer(people):
    def model(rows):  # few are old and live in one region; for them it answers otherwise
        return np.where((rows["age"] > 60) & (rows["region"] == "north"), "rare", "usual")

    model_says = model(people)
    n_rare = int((model_says == "rare").sum())
    assert 30 <= n_rare < 180
    tree = ModelTree(model, ROLES, keep_accuracy=0.9, kept_in="all").fit(people)
    rows = np.arange(len(people))
    evidence = assess_model(tree, people, rows=rows)
    fed = model(tree.recoding_.apply(people))
    for each in evidence.per_answer:
        gets = model_says == each.answer
        assert each.share == gets.mean()
        assert each.kept.score == (fed[gets] == each.answer).mean()
    assert [each.answer for each in evidence.per_answer] == ["rare", "usual"]
    assert evidence.met
    told = evidence.to_dict()["per_answer"][0]
    assert told["n_records"] % 5 == 0
    assert told["n_records"] >= n_rare
    tree.kept_in_ = "each answer"
    worst = min(each.kept.score for each in evidence.per_answer)
    each = assess_model(tree, people, rows=rows)
    assert each.met == (worst >= 0.9)
    assert each.shortfall == pytest.approx(max(0.0, 0.9 - worst))


def test_answers_that_few_get_are_counted_but_not_measured():
    before = np.repeat(["a", "b", "c"], [40, 29, 1])
    kept, n_rarer = per_answer(before, before)
    assert [each.answer for each in kept] == ["a"]
    assert n_rarer == 2
    pairs, _ = per_answer(np.column_stack([before, before]), np.column_stack([before, before]))
    assert pairs[0].answer == "a, a"


def test_a_score_is_told_rounded_down():
    kept = accuracy(np.zeros(60_000), np.repeat([0, 1], [58_799, 1_201]))
    assert kept.score < 0.98
    assert AnswerKept("a", 1.0, kept).to_dict()["score"] == 0.9799


@pytest.mark.parametrize("how", ["polars", "pyarrow", "mapping", "path", "table"])
def test_whatever_holds_the_people(people, evidence, how, tmp_path):
    import polars as pl

    def answer(frame):
        columns = {name: np.asarray(frame[name]) for name in ("age", "education")}
        return works(columns)

    people.to_csv(tmp_path / "people.csv", index=False)
    same = {
        "polars": lambda: pl.from_pandas(people),
        "pyarrow": lambda: pl.from_pandas(people).to_arrow(),
        "mapping": lambda: {name: people[name].to_numpy() for name in people},
        "path": lambda: tmp_path / "people.csv",
        "table": lambda: read(people),
    }[how]()
    tree = ModelTree(answer, ROLES, keep_accuracy=0.9).fit(same)
    other = assess_model(tree, same, rows=tree.held_out_rows_)
    assert other.relative_accuracy.score == tree.held_out_.score
    assert set(other.collected) == set(evidence.collected)
    assert other.true_accuracy == evidence.true_accuracy


def test_people_who_came_later(tree, people, make_people):
    """Values that the model is fed need not be among those of the new people."""
    later = make_people(400, seed=7)
    later = later[later["age"] % 3 == 0].reset_index(drop=True)
    evidence = assess_model(tree, later)
    fed = tree.recoding_.apply(later)
    assert evidence.relative_accuracy.score == (works(later) == works(fed)).mean()
    assert evidence.n_records == len(later)
    unlabelled = assess_model(tree, later.drop(columns="works"))
    assert unlabelled.relative_accuracy == evidence.relative_accuracy
    assert unlabelled.true_accuracy is None


def test_arrays(make_people):
    people = make_people(400)
    X = np.column_stack([people["age"], people["age"] % 7, people["age"] % 2]).astype(float)
    tree = ModelTree(lambda rows: rows[:, 0] > 40, keep_accuracy=0.9).fit(X)
    evidence = assess_model(tree, X, rows=tree.held_out_rows_, y=people["age"] > 42)
    assert evidence.relative_accuracy.score == tree.held_out_.score
    assert evidence.true_accuracy.before.score < 1
    odd = X[X[:, 0] % 2 == 1] * 1.5  # numbers that no one had
    later = assess_model(tree, odd)
    assert later.relative_accuracy.score == ((odd[:, 0] > 40) == (tree.feed(odd)[:, 0] > 40)).mean()


def test_an_array_with_columns_that_the_model_does_not_take(make_people):
    age = make_people(400)["age"].to_numpy()
    X = np.column_stack([np.arange(400), age, age % 3]).astype(float)
    roles = Roles(identifiers=["x0"])
    tree = ModelTree(lambda rows: rows[:, 0] > 40, roles, keep_accuracy=0.9).fit(X)
    evidence = assess_model(tree, X, rows=tree.held_out_rows_)
    assert evidence.collected == ("x1",)
    assert evidence.relative_accuracy.score == tree.held_out_.score


def test_one_hot_slices(make_people):
    people = make_people(500)
    hot = pd.get_dummies(people["education"], prefix="education").astype(int)
    frame = pd.concat([people[["age"]], hot], axis=1)

    def model(rows):
        return (rows["education_low"].to_numpy() == 0) & (rows["age"].to_numpy() > 30)

    tree = ModelTree(model, slices={"education": list(hot)}, keep_accuracy=0.9).fit(frame)
    evidence = assess_model(tree, frame, rows=tree.held_out_rows_)
    assert evidence.relative_accuracy.score == tree.held_out_.score
    assert {one.name for one in evidence.attributes} == {"age", "education"}
    assert evidence.true_accuracy is None


def test_numbers_are_compared_by_r2(make_people):
    people = make_people(600)[["age", "sex"]]
    pay = people["age"] * 10.0 + (people["sex"] == "male")
    model = LinearRegression().fit(people[["age"]], pay)
    tree = ModelTree(model, keep_accuracy=0.9).fit(people[["age"]])
    evidence = assess_model(tree, people[["age"]], rows=tree.held_out_rows_, y=pay)
    assert evidence.regression
    assert evidence.relative_accuracy.measure == "r2"
    assert evidence.relative_accuracy.score == pytest.approx(tree.held_out_.score)
    low, high = evidence.relative_accuracy.interval
    assert low <= evidence.relative_accuracy.score <= high
    assert evidence.null_accuracy == pytest.approx(0)
    assert evidence.true_accuracy.before.score > 0.999
    words = assess_model(tree, people[["age"]], rows=tree.held_out_rows_, y=people["sex"])
    assert words.true_accuracy is None


def test_several_outputs_must_all_stay(make_people):
    people = make_people(500)[["age", "sex"]]

    def model(rows):
        return np.column_stack([rows["age"].to_numpy() > 30, rows["age"].to_numpy() > 50])

    tree = ModelTree(model, keep_accuracy=0.9).fit(people)
    evidence = assess_model(tree, people, rows=tree.held_out_rows_)
    assert evidence.relative_accuracy.score == tree.held_out_.score
    assert 1 / 3 <= evidence.null_accuracy < 1


def test_a_scorer_of_the_users_own(people):
    def agreement(before, after):
        return 2 * float((before == after).mean()) - 1

    tree = fitted(people, keep_accuracy=0.8, scorer=agreement)
    evidence = assess_model(tree, people, rows=tree.held_out_rows_)
    assert evidence.relative_accuracy.measure == "own"
    assert evidence.relative_accuracy.score == pytest.approx(tree.held_out_.score)
    assert evidence.settings["scorer"] == "agreement"
    assert evidence.null_accuracy < 0.9


def test_people_without_a_label_are_left_out(people):
    some = people.assign(works=people["works"].where(people.index % 2 == 0, None))
    tree = fitted(some, keep_accuracy=0.9)
    evidence = assess_model(tree, some, rows=tree.held_out_rows_)
    known = some["works"].iloc[tree.held_out_rows_].notna().sum()
    assert evidence.true_accuracy.before.n_records == known < evidence.n_records


def test_given_labels_win_and_must_fit(tree, people):
    wrong = np.where(works(people) == "yes", "no", "yes")
    evidence = assess_model(tree, people, rows=tree.held_out_rows_, y=wrong)
    assert evidence.true_accuracy.before.score == 0
    with pytest.raises(DataError, match="must have 900 rows"):
        assess_model(tree, people, rows=[0], y=["yes"])


def test_the_people_who_were_learned_from_are_no_evidence(tree, people):
    with pytest.warns(SparsamWarning, match="all figures are too good"):
        assess_model(tree, people)


def test_one_person_is_enough_to_be_counted(tree, people):
    evidence = assess_model(tree, people, rows=[3])
    assert evidence.disclosure.before.as_printed == 1
    assert json.dumps(evidence.to_dict(), allow_nan=False)


def test_accuracy_of_too_few_numbers_has_no_interval():
    evidence = accuracy(np.array([1.0]), np.array([1.0]), regression=True)
    assert evidence.score == 1
    assert all(math.isnan(end) for end in evidence.interval)


def test_few_people_are_not_counted(evidence):
    few = replace(evidence, relative_accuracy=replace(evidence.relative_accuracy, n_records=3))
    assert few.to_dict()["relative_accuracy"]["n_records"] == "fewer than 5"
    assert few.to_dict()["null_accuracy"] is None


ROWS = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=60)


def slow(rows):
    """Both readings, record by record."""
    seen = Counter(rows)
    printed = sum(1 / seen[row] for row in rows) / len(rows)
    reported = sum(1 / count for count in seen.values()) / len(rows)
    return printed, reported, len(seen)


@given(ROWS)
def test_both_readings_agree_with_counting_one_by_one(rows):
    evidence = disclosure(np.array(rows, np.uint16), (4, 4, 4))
    printed, reported, distinct = slow(rows)
    assert evidence.as_printed == pytest.approx(printed)
    assert evidence.as_reported == pytest.approx(reported)
    assert (evidence.distinct, evidence.n_records) == (distinct, len(rows))
    assert 0 < evidence.as_reported <= evidence.as_printed <= 1


@given(ROWS)
def test_coarser_records_are_never_riskier(rows):
    codes = np.array(rows, np.uint16)
    fine, coarse = disclosure(codes, (4, 4, 4)), disclosure(codes // 2, (2, 2, 2))
    assert coarse.as_printed <= fine.as_printed
    assert coarse.as_reported <= fine.as_reported


def test_the_two_ends():
    everyone_alone = disclosure(np.arange(50, dtype=np.uint16)[:, None], (50,))
    assert (everyone_alone.as_printed, everyone_alone.as_reported) == (1.0, 1.0)
    all_alike = disclosure(np.zeros((50, 2), np.uint16), (1, 1))
    assert (all_alike.as_printed, all_alike.as_reported) == (1 / 50, 1 / 50**2)


def test_nobody_is_an_error():
    with pytest.raises(DataError, match="mean over records"):
        disclosure(np.zeros((0, 2), np.uint16), (1, 1))


def test_gss_as_in_the_paper(shared_data):
    """2085 distinct of 2446 and .788 (section 4.2); eq. 4 as printed is about .85 then."""
    target = "Happiness of marriage"
    table = read(shared_data / "gss_happiness.csv.gz", roles=Roles(identifiers=["year", "id"]))
    attribute = table.attribute(target)
    labelled = np.flatnonzero(table.column(target) < attribute.n_values)
    assert len(labelled) == 24_455
    table = table.take(labelled).drop([target])
    assert len(table.names) == 8
    sizes = [one.size for one in table.attributes]
    evidence = []
    for seed in range(10):
        rows = np.random.default_rng(seed).permutation(table.n_rows)[:2446]
        evidence.append(disclosure(table.codes[rows], sizes))
    assert np.mean([one.as_reported for one in evidence]) == pytest.approx(0.788, abs=0.01)
    assert np.mean([one.as_printed for one in evidence]) == pytest.approx(0.85, abs=0.01)
    assert np.mean([one.distinct for one in evidence]) == pytest.approx(2085, abs=15)
