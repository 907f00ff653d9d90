from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from sparsam import Generalization, load_example
from sparsam._certainty import share_p_value
from sparsam._errors import DataError, ParameterError, SparsamWarning
from sparsam.collect._questionnaire import Questionnaire
from sparsam.data import OwnRecords, Roles, resolve
from sparsam.generalization import Recoding
from sparsam.minimise import Constraints, ModelTree


def _interviewed(recoding, buckets):
    """The record that the questionnaire arrives at for one person."""
    names = recoding.generalization.names
    interview = Questionnaire(recoding).start()
    while interview.next is not None:
        name = interview.next
        own = int(buckets[names.index(name)])
        (choice,) = [one for one in interview.choices(name) if own in one.buckets]
        interview = interview.answer(name, choice)
    return interview.record(), interview.prediction


@given(seed=st.integers(0, 10_000), data=st.data())
@settings(max_examples=30)
def test_the_three_ways_to_apply_agree(
    fit_quietly, plain_columns, mixed_model, mixed_people, seed, data
):
    rng = np.random.default_rng(seed)
    frame = mixed_people(rng, int(rng.integers(60, 160)), data.draw(st.booleans()))
    model = mixed_model(seed, n_classes=int(rng.integers(2, 4)))
    tree = ModelTree(
        model,
        Roles(categorical=["zone"]),
        search=data.draw(st.sampled_from(["responses", "paper"])),
        keep_accuracy=data.draw(st.sampled_from([0.0, 0.6, 0.9, 1.0])),
        random_state=seed % 5,
    )
    fit_quietly(tree, frame)
    recoding, generalization = tree.recoding_, tree.generalization_
    new = mixed_people(np.random.default_rng(seed + 1), 40, False).astype({"work": object})
    for people in (frame, new):
        fed = recoding.apply(people)
        answers = model(fed)
        generalized = generalization.apply(people)
        assert (model(recoding.represent(generalized)) == answers).all()
        assert plain_columns(tree.feed(people)) == plain_columns(fed[list(people.columns)])
        buckets = recoding.generalization.apply(people, output="codes")
        buckets = np.column_stack(
            [
                buckets[name] if generalization[name].collected else np.zeros(len(people), int)
                for name in generalization.names
            ]
        )
        leaves = recoding.leaf_of(buckets)
        for place in range(0, len(people), len(people) // 10):
            record, prediction = _interviewed(recoding, buckets[place])
            asked = model({name: [value] for name, value in record.items()})[0]
            assert asked == answers[place]
            settled = recoding.leaves[int(leaves[place])].prediction
            assert settled in (None, asked)
            assert prediction in (None, asked)
    assert Recoding.from_json(recoding.to_json()) == recoding


@pytest.mark.parametrize("search", ["responses", "paper"])
@pytest.mark.parametrize("keep", [0.0, 0.9])
def test_the_accuracy_that_is_told_is_that_of_what_is_fed(
    fit_quietly, mixed_model, mixed_people, search, keep
):
    frame = mixed_people(np.random.default_rng(0), 400, True)
    model = mixed_model(11)
    tree = fit_quietly(ModelTree(model, search=search, keep_accuracy=keep), frame)
    held_out = frame.iloc[tree.held_out_rows_]
    kept = (model(held_out) == model(tree.recoding_.apply(held_out))).mean()
    assert tree.held_out_.score == pytest.approx(kept)
    assert tree.held_out_.n_records == len(held_out) == 160
    assert tree.met_ == (share_p_value(round(160 * (1 - kept)), 160, 1 - keep) <= 0.05)
    through = tree.recoding_.represent(tree.generalization_.apply(held_out))
    assert (model(held_out) == model(through)).mean() == pytest.approx(kept)


def test_a_target_that_is_missed_is_told(mixed_model, mixed_people):
    frame = mixed_people(np.random.default_rng(0), 200, False)
    tree = ModelTree(mixed_model(3), keep_accuracy=0.99, constraints=Constraints(must_drop=["age"]))
    with pytest.warns(SparsamWarning, match=r"records held out, 0\.\d+ of the model's answers"):
        tree.fit(frame)
    assert not tree.met_
    assert tree.held_out_.score < 0.99
    assert (tree.proof_.shown, tree.proof_.too_few, tree.proof_.at_least) == (False, False, None)


def test_everything_is_kept_where_that_is_asked_for(fit_quietly, mixed_model, mixed_people):
    frame = mixed_people(np.random.default_rng(1), 300, True)
    for search in ("responses", "paper"):
        tree = fit_quietly(ModelTree(mixed_model(5), keep_accuracy=1.0, search=search), frame)
        assert tree.held_out_.score == 1.0


@pytest.mark.parametrize("search", ["responses", "paper"])
def test_nothing_is_collected_where_nothing_need_be_kept(mixed_model, mixed_people, search):
    frame = mixed_people(np.random.default_rng(2), 300, True)
    model = mixed_model(8)
    tree = ModelTree(model, keep_accuracy=0.0, search=search).fit(frame)
    assert tree.generalization_.collected == ()
    (fed,) = set(model(tree.recoding_.apply(frame)).tolist())
    words, counts = np.unique(model(frame), return_counts=True)
    assert fed == words[counts.argmax()]
    held_out = model(frame.iloc[tree.held_out_rows_])
    assert tree.held_out_.score == pytest.approx((held_out == fed).mean())
    assert tree.recoding_.apply(frame).drop_duplicates().shape[0] == 1
    assert (tree.transform(frame)).shape == (300, 0)


@pytest.mark.parametrize("search", ["responses", "paper"])
def test_what_only_others_lack_is_given_up_too(search):
    # one value or missing, and hardly anybody is: perhaps nobody among those learned from
    frame = pd.DataFrame({"one": np.where(np.arange(60) == 7, np.nan, 3.0), "age": range(60)})
    for seed in range(4):
        tree = ModelTree(
            lambda rows: rows["age"] > 20, search=search, keep_accuracy=0.0, random_state=seed
        )
        assert tree.fit(frame).generalization_.collected == ()


def test_the_curve_goes_from_everything_to_nothing(fit_quietly, mixed_model, mixed_people):
    frame = mixed_people(np.random.default_rng(3), 400, True)
    model = mixed_model(4)
    tree = fit_quietly(ModelTree(model, keep_accuracy=0.9), frame)
    first, last = tree.curve_[0], tree.curve_[-1]
    assert first.chosen_on == first.held_out == 1.0
    assert first.n_collected == 6
    assert last.n_collected == 0
    assert last.information_loss == pytest.approx(1.0)
    answers = model(frame.iloc[tree.held_out_rows_])
    _, counts = np.unique(answers, return_counts=True)
    assert last.held_out == pytest.approx(counts.max() / counts.sum(), abs=0.1)
    for point in tree.curve_:
        assert 0.0 <= point.information_loss <= 1.0
        assert 0.0 <= point.held_out <= 1.0


def test_information_loss_is_a_share(fit_quietly, mixed_model, mixed_people):
    frame = mixed_people(np.random.default_rng(3), 300, True)
    table = OwnRecords.open(frame, roles=Roles(categorical=["zone"])).table
    tree = fit_quietly(
        ModelTree(mixed_model(4), Roles(categorical=["zone"]), keep_accuracy=0.8), frame
    )
    loss = tree.generalization_.information_loss(table)
    local = tree.recoding_.information_loss(table)
    assert 0.0 < loss.overall <= local.overall + 1e-12 <= 1.0
    assert all(0.0 <= value <= 1.0 for value in loss.per_attribute.values())


@pytest.mark.parametrize("search", ["responses", "paper"])
def test_people_unlike_anyone_seen_are_fed_something_usual(fit_quietly, search):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 300),
            "pay": rng.normal(0.5, 0.1, 300).clip(0, 1),
            "work": rng.choice(["a", "b", "c"], 300),
        }
    )

    def model(rows):
        return (rows["age"] > 40).to_numpy() & (rows["work"] != "b").to_numpy()

    tree = fit_quietly(ModelTree(model, search=search, keep_accuracy=0.95), frame)
    strange = pd.DataFrame(
        {"age": [-5, 0, 999], "pay": [0.0, -1e9, 1e9], "work": ["new", "b", "other"]}
    )
    fed = tree.recoding_.apply(strange)
    assert set(fed["work"]) <= set(frame["work"])
    for name in ("age", "pay"):
        assert fed[name].between(frame[name].min(), frame[name].max()).all()
    assert len(model(fed)) == 3
    strict = ModelTree(model, unseen="error", search=search, keep_accuracy=0.95)
    with pytest.raises(DataError, match="work"):
        fit_quietly(strict, frame).recoding_.apply(strange)


def test_the_estimator_keeps_scikit_learns_conventions(mixed_model, mixed_people):
    model = mixed_model(1)
    tree = ModelTree(model, keep_accuracy=0.7, features=["age"], weights={"age": 2.0})
    again = clone(tree, safe=False)
    assert again is not tree
    assert again.get_params()["keep_accuracy"] == 0.7
    assert clone(ModelTree(DecisionTreeClassifier(), keep_accuracy=0.5)).keep_accuracy == 0.5
    assert tree.set_params(keep_accuracy=0.2).keep_accuracy == 0.2
    frame = mixed_people(np.random.default_rng(0), 60, False)
    assert tree.fit(frame) is tree
    assert tree.n_features_in_ == 6
    assert tree.feature_names_in_.tolist() == list(frame.columns)
    assert tree.get_feature_names_out().tolist() == list(tree.generalization_.collected)
    buckets = tree.transform(frame)
    assert buckets.shape == (60, len(tree.generalization_.collected))
    codes = tree.generalization_.apply(frame, output="codes")
    for place, name in enumerate(tree.generalization_.collected):
        assert buckets[:, place].tolist() == list(codes[name])


def test_frames_keep_their_index_and_types(fit_quietly, mixed_model, mixed_people):
    frame = mixed_people(np.random.default_rng(5), 120, True)
    frame.index = [f"p{place}" for place in range(120)]
    tree = fit_quietly(ModelTree(mixed_model(2), keep_accuracy=0.8), frame)
    fed = tree.recoding_.apply(frame)
    assert fed.index.equals(frame.index)
    assert fed.dtypes.to_dict() == frame.dtypes.to_dict()
    assert list(fed.columns) == list(frame.columns)


def test_one_fit_knows_nothing_of_another(fit_quietly, mixed_model, mixed_people, capsys):
    one, other = (mixed_people(np.random.default_rng(seed), 100, True) for seed in (0, 1))
    model = mixed_model(2)
    alone = fit_quietly(ModelTree(model, keep_accuracy=0.8), one).recoding_
    tree = ModelTree(model, keep_accuracy=0.8)
    fit_quietly(tree, other)
    before = tree.recoding_.to_json()
    again = fit_quietly(ModelTree(model, keep_accuracy=0.8), one)
    assert again.recoding_ == alone
    assert tree.recoding_.to_json() == before
    assert fit_quietly(tree, one).recoding_ == alone  # a second fit forgets the first
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("search", ["responses", "paper"])
def test_the_same_seed_gives_the_same_bytes(fit_quietly, mixed_model, mixed_people, search):
    frame = mixed_people(np.random.default_rng(5), 150, True)
    fitted = [
        fit_quietly(
            ModelTree(
                mixed_model(2),
                search=search,
                keep_accuracy=0.8,
                representative="random",
                random_state=3,
            ),
            frame,
        )
        for _ in range(2)
    ]
    assert fitted[0].recoding_.to_json() == fitted[1].recoding_.to_json()
    assert fitted[0].curve_ == fitted[1].curve_
    assert fitted[0].held_out_ == fitted[1].held_out_
    assert (fitted[0].held_out_rows_ == fitted[1].held_out_rows_).all()


@pytest.mark.parametrize(
    ("search", "how"),
    [
        *(("responses", how) for how in ("response", "median", "mean", "random")),
        *(("paper", how) for how in ("nearest", "median", "mean", "random")),
    ],
)
def test_whatever_stands_for_a_bucket_is_measured_as_it_is_fed(
    fit_quietly, mixed_model, mixed_people, search, how
):
    frame = mixed_people(np.random.default_rng(7), 300, True)
    model = mixed_model(6)
    tree = ModelTree(model, search=search, representative=how, keep_accuracy=0.8)
    held_out = frame.iloc[fit_quietly(tree, frame).held_out_rows_]
    kept = (model(held_out) == model(tree.recoding_.apply(held_out))).mean()
    assert tree.held_out_.score == pytest.approx(kept)
    assert tree.chosen_on_.score >= 0.8


def test_saved_and_loaded_it_feeds_the_same(fit_quietly, mixed_model, mixed_people, tmp_path):
    frame = mixed_people(np.random.default_rng(5), 150, True)
    tree = fit_quietly(ModelTree(mixed_model(2), keep_accuracy=0.8), frame)
    tree.recoding_.save(tmp_path / "recoding.json")
    loaded = Recoding.load(tmp_path / "recoding.json")
    assert loaded.apply(frame).equals(tree.recoding_.apply(frame))
    tree.generalization_.save(tmp_path / "g.json")
    assert Generalization.load(tmp_path / "g.json") == tree.generalization_


@pytest.mark.parametrize("search", ["responses", "paper"])
def test_the_bundled_example(fit_quietly, search):
    people = load_example().take(range(1_200)).to_frame("pandas")
    attributes = people.drop(columns="employed")
    model = make_pipeline(
        OrdinalEncoder(), DecisionTreeClassifier(max_leaf_nodes=12, random_state=0)
    ).fit(attributes, people["employed"])
    tree = fit_quietly(
        ModelTree(model, Roles("employed"), keep_accuracy=0.95, search=search), people
    )
    assert tree.chosen_on_.score >= 0.95
    fed = tree.feed(people)
    assert list(fed.columns) == list(model.feature_names_in_)
    held_out = tree.held_out_rows_
    kept = model.predict(fed.iloc[held_out]) == model.predict(attributes.iloc[held_out])
    assert kept.mean() == pytest.approx(tree.held_out_.score)
    assert len(tree.generalization_.collected) < 12


@pytest.mark.parametrize(
    ("name", "target", "left_out"),
    [("nursery.csv.gz", "class", []), ("adult.csv.gz", "income", ["split"])],
)
def test_real_tables_reach_both_ends(fit_quietly, shared_data, name, target, left_out):
    frame = pd.read_csv(shared_data / name).sample(1_500, random_state=0).reset_index(drop=True)
    y, X = frame[target], frame.drop(columns=[target, *left_out])
    texts = (OrdinalEncoder(encoded_missing_value=-1), make_column_selector(dtype_exclude="number"))
    encoder = make_column_transformer(texts, remainder="passthrough")
    model = make_pipeline(encoder, RandomForestClassifier(10, max_depth=8, random_state=0))
    model.fit(X, y)
    tree = fit_quietly(ModelTree(model, keep_accuracy=0.98), X)
    first, last = tree.curve_[0], tree.curve_[-1]
    assert min(first.held_out, first.chosen_on) >= 0.995  # rare categories are fed as others
    answers = model.predict(X)
    words, counts = np.unique(answers, return_counts=True)
    assert last.n_collected == 0
    held_out = answers[tree.held_out_rows_]
    assert last.held_out == pytest.approx((held_out == words[counts.argmax()]).mean())
    assert tree.chosen_on_.score >= 0.98


def test_a_bound_of_zero_is_a_bound(fit_quietly):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"balance": rng.normal(0, 5, 400).round(1)})

    def model(rows):
        return (rows["balance"] >= 0.0).to_numpy()

    tree = fit_quietly(ModelTree(model, keep_accuracy=1.0), frame)
    assert tree.generalization_["balance"].cuts == (0.0,)
    new = pd.DataFrame({"balance": [-0.1, 0.0, 0.1]})
    assert model(tree.recoding_.apply(new)).tolist() == [False, True, True]


@pytest.mark.parametrize("search", ["responses", "paper"])
@pytest.mark.parametrize("keep", [0.5, 1.0])
def test_only_the_features_named_are_touched(
    fit_quietly, plain_columns, mixed_model, mixed_people, search, keep
):
    frame = mixed_people(np.random.default_rng(0), 300, True)
    model = mixed_model(21)
    tree = fit_quietly(
        ModelTree(model, features=["age", "pay"], search=search, keep_accuracy=keep), frame
    )
    fed = tree.recoding_.apply(frame)
    for name in ("work", "zone", "member", "grade"):
        assert plain_columns(fed)[name] == plain_columns(frame)[name]
    kept = fit_quietly(
        ModelTree(
            model,
            constraints=Constraints(must_keep=["work", "zone", "member", "grade"]),
            search=search,
            keep_accuracy=keep,
        ),
        frame,
    )
    assert kept.recoding_.nodes == tree.recoding_.nodes


TREE = {"farm": ["land"], "office": ["town", "land"], "shop": ["town", "land"], "sea": []}


@pytest.mark.parametrize("search", ["responses", "paper"])
@pytest.mark.parametrize("keep", [0.3, 0.8, 1.0])
def test_demands_hold(fit_quietly, plain_columns, mixed_model, mixed_people, search, keep):
    frame = mixed_people(np.random.default_rng(4), 300, True)
    rules = Constraints(
        must_keep=["zone"], must_drop=["member"], max_buckets={"age": 3}, hierarchies={"work": TREE}
    )
    tree = ModelTree(
        mixed_model(30),
        Roles(categorical=["zone"]),
        constraints=rules,
        search=search,
        keep_accuracy=keep,
    )
    fit_quietly(tree, frame)
    g = tree.generalization_
    assert g["zone"].n_buckets == frame["zone"].nunique()
    assert plain_columns(tree.recoding_.apply(frame))["zone"] == plain_columns(frame)["zone"]
    assert not g["member"].collected
    assert g["age"].n_buckets <= 3
    allowed = [{"office", "shop"}, {"farm", "office", "shop"}, {*TREE}]
    allowed += [{name} for name in TREE]
    assert all(set(group) in allowed for group in g["work"].groups if group)


@pytest.mark.parametrize("search", ["responses", "paper"])
def test_each_cell_is_bounded_where_that_is_asked_for(fit_quietly, search):
    # few are rich, and for them alone the zone decides: over all people it hardly matters
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"rich": rng.random(3_000) < 0.12, "zone": rng.integers(0, 9, 3_000)})

    def model(rows):
        return np.where(rows["rich"], np.where(rows["zone"] > 3, "a", "b"), "c")

    def worst(tree):
        held_out = frame.iloc[tree.held_out_rows_]
        kept = model(held_out) == model(tree.recoding_.apply(held_out))
        return kept.mean(), kept[held_out["rich"].to_numpy()].mean()

    over_all = fit_quietly(ModelTree(model, keep_accuracy=0.9, search=search, kept_in="all"), frame)
    each = fit_quietly(
        ModelTree(model, keep_accuracy=0.9, search=search, kept_in="each cell"), frame
    )
    assert worst(over_all)[0] >= 0.9
    if search == "responses":
        assert worst(over_all)[1] < 0.9
        assert over_all.generalization_.collected != each.generalization_.collected
    assert worst(each)[1] >= 0.9
    assert each.held_out_.score <= worst(each)[0]


def amounts(n_rows, n_columns, seed=0):
    """People with amounts of money, nearly all of them different."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {f"x{a}": np.round(np.exp(rng.normal(8, 1, n_rows)), 2) for a in range(n_columns)}
    )


def wealthy(rows, above=0.8):
    logs = np.log(rows.to_numpy()) - 8
    return logs[:, 0] + 0.7 * logs[:, 1] + 0.3 * logs[:, 1] * logs[:, 2] > above


def test_amounts_are_cut_into_ranges_that_a_person_can_answer(fit_quietly):
    tree = fit_quietly(ModelTree(wealthy, keep_accuracy=0.95), amounts(3_000, 5))
    assert tree.met_
    assert set(tree.generalization_.collected) <= {"x0", "x1", "x2"}
    assert max(partition.n_buckets for partition in tree.generalization_) <= 32


def test_more_ranges_are_cut_only_where_the_target_needs_them(fit_quietly):
    frame = amounts(3_000, 2)

    def model(rows):  # a comb of many teeth in one attribute
        return np.floor(4 * np.log(rows["x0"].to_numpy())).astype(int) % 2

    few = fit_quietly(ModelTree(model, keep_accuracy=0.7), frame)
    many = fit_quietly(ModelTree(model, keep_accuracy=0.99), frame)
    assert few.generalization_["x0"].n_buckets <= 32 < many.generalization_["x0"].n_buckets
    assert not few.generalization_["x1"].collected
    assert not many.generalization_["x1"].collected
    free = Constraints(max_ranges=None)
    any_number = fit_quietly(ModelTree(model, keep_accuracy=0.7, constraints=free), frame)
    assert any_number.met_


def test_a_wide_table_asks_the_model_about_a_bounded_number_of_records(fit_quietly):
    tree = fit_quietly(ModelTree(wealthy, keep_accuracy=0.95), amounts(1_500, 16))
    assert tree.n_asked_ < 1_000_000
    assert tree.met_
    assert len(tree.generalization_.collected) <= 4


def test_a_rare_answer_is_kept_as_well_as_the_others(fit_quietly):
    frame = amounts(6_000, 4)

    def model(rows):
        return np.where(wealthy(rows, 2.0), "yes", "no")

    def kept(tree):
        before, after = model(frame), model(tree.recoding_.apply(frame))
        return {answer: (after[before == answer] == answer).mean() for answer in ("yes", "no")}

    assert 0.03 < (model(frame) == "yes").mean() < 0.12
    over_all = fit_quietly(ModelTree(model, keep_accuracy=0.97, kept_in="all"), frame)
    assert kept(over_all)["yes"] < 0.9
    each = fit_quietly(ModelTree(model, keep_accuracy=0.97), frame)
    assert each.kept_in_ == "each answer"
    assert min(kept(each).values()) > 0.85  # five times as much may be lost of it
    assert each.held_out_.score <= kept(each)["no"]
    told = fit_quietly(ModelTree(model, keep_accuracy=0.97, kept_in="each answer"), frame)
    assert min(kept(told).values()) > 0.95


def test_too_few_people_are_told_with_how_many_would_do(mixed_people):
    frame = mixed_people(np.random.default_rng(0), 300, False)

    def model(rows):
        return np.asarray(rows["age"]) > 15

    tree = ModelTree(model, keep_accuracy=0.98)
    with pytest.warns(SparsamWarning, match=r"too few .* With 373 records in all"):
        tree.fit(frame)  # 120 are tested on, and it takes 149, two fifths of 373
    proof = tree.proof_
    assert (tree.met_, proof.too_few, proof.n_people, proof.n_enough) == (False, True, 120, 373)
    assert pytest.approx(proof.at_least) == 0.05 ** (1 / 120)
    assert tree.generalization_.collected == ("age",)
    sure = ModelTree(model, keep_accuracy=1.0)
    with pytest.warns(SparsamWarning, match="No number of records would do"):
        sure.fit(frame)
    assert sure.proof_.n_enough is None
    enough = ModelTree(model, keep_accuracy=0.97).fit(frame)
    assert (enough.met_, enough.proof_.at_least) == (True, 0.97)


def test_answers_too_rare_to_judge_are_named(fit_quietly):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 100, 2_000), "b": rng.integers(0, 9, 2_000)})

    def model(rows):
        return np.select([rows["a"] < 2, rows["a"] < 30], ["rare", "some"], "most")

    tree = fit_quietly(ModelTree(model, keep_accuracy=0.97, kept_in="each answer"), frame)
    assert tree.met_
    assert tree.proof_.too_rare == ("rare",)
    assert (tree.kept_in_, tree.each_target_) == ("each answer", 0.97)
    auto = fit_quietly(ModelTree(model, keep_accuracy=0.97), frame)
    assert (auto.kept_in_, auto.each_target_) == ("all", 0.97)

    def rarer(rows):
        return np.where(rows["a"] < 10, "rare", "most")

    some = fit_quietly(ModelTree(rarer, keep_accuracy=0.97), frame)
    assert some.kept_in_ == "each answer"
    assert some.each_target_ == some.proof_.each_target == pytest.approx(0.85)


def test_what_is_no_feature_may_still_be_dropped(
    fit_quietly, plain_columns, mixed_model, mixed_people
):
    frame = mixed_people(np.random.default_rng(0), 200, False)
    rules = Constraints(must_drop=["work"])
    tree = ModelTree(mixed_model(3), features=["age"], constraints=rules, keep_accuracy=0.2)
    fit_quietly(tree, frame)
    assert "work" not in tree.generalization_.collected
    assert plain_columns(tree.recoding_.apply(frame))["zone"] == plain_columns(frame)["zone"]


@pytest.mark.parametrize("seed", range(3))
def test_what_is_given_up_is_fed_as_values_that_go_together(fit_quietly, seed):
    # most people are male, but most of the married are wives: alone each would be the usual value
    rng = np.random.default_rng(seed)
    sex = np.repeat(["male", "female"], [330, 270])
    role = np.where(sex == "male", "husband", "wife")
    role[:180] = np.array(["son", "father", "brother"])[np.arange(180) % 3]
    frame = pd.DataFrame({"sex": sex, "role": role, "age": rng.integers(0, 60, 600)})

    def model(rows):
        return (rows["age"] > 30).to_numpy()

    tree = fit_quietly(ModelTree(model, keep_accuracy=0.95, random_state=seed), frame)
    assert tree.generalization_.collected == ("age",)
    fed = tree.recoding_.apply(frame)
    known = set(zip(sex.tolist(), role.tolist(), strict=True))
    assert set(zip(fed["sex"], fed["role"], strict=True)) <= known


def test_weights_say_what_to_spare(fit_quietly):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 40, 600), "b": rng.integers(0, 40, 600)})

    def model(rows):
        return (rows["a"] + rows["b"] > 39).to_numpy()

    found = {}
    for heavy in ("a", "b"):
        tree = fit_quietly(ModelTree(model, keep_accuracy=0.85, weights={heavy: 9.0}), frame)
        g = tree.generalization_
        found[heavy] = (g["a"].n_buckets, g["b"].n_buckets)
    assert found["a"][0] < found["b"][0]
    assert found["b"][1] < found["a"][1]


def test_too_few_people_and_no_model_are_refused(fit_quietly, mixed_model, mixed_people):
    frame = mixed_people(np.random.default_rng(0), 29, False)
    with pytest.raises(DataError, match="at least 30 records"):
        ModelTree(mixed_model(0)).fit(frame)
    with pytest.raises(ParameterError, match="model that already runs"):
        ModelTree().fit(frame)
    small = mixed_people(np.random.default_rng(0), 30, True)
    assert fit_quietly(ModelTree(mixed_model(0)), small).held_out_.n_records == 12


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keep_accuracy": 1.5}, "keep_accuracy"),
        ({"keep_accuracy": "much"}, "keep_accuracy"),
        ({"search": "greedy"}, "search"),
        ({"ilag": "old"}, "ilag"),
        ({"kept_in": "cells"}, "kept_in"),
        ({"representative": "nearest"}, "representative"),
        ({"representative": "response", "search": "paper"}, "representative"),
        ({"features": ["aeg"]}, "'aeg'"),
        ({"features": "age"}, "features"),
        ({"weights": {"aeg": 1.0}}, "'aeg'"),
        ({"weights": {"age": -1.0}}, "at least 0"),
        ({"fractions": (0.5, 0.5)}, "fractions"),
        ({"fractions": (0.5, 0.5, 0.0)}, "fractions"),
        ({"fractions": "abc"}, "fractions"),
        ({"confidence": -1.0}, "confidence"),
        ({"confidence": 1.0}, "confidence"),
        ({"confidence": float("nan")}, "confidence"),
        ({"unseen": "raw"}, "unseen"),
        ({"constraints": Constraints(must_drop=["aeg"])}, "'aeg'"),
        ({"slices": {"x": []}}, "slices"),
    ],
)
def test_bad_parameters_are_named(mixed_model, mixed_people, options, message):
    frame = mixed_people(np.random.default_rng(0), 60, False)
    with pytest.raises(ParameterError, match=message):
        ModelTree(mixed_model(0), **options).fit(frame)


def test_a_constant_model_needs_nothing(fit_quietly, mixed_people):
    frame = mixed_people(np.random.default_rng(2), 60, True)
    for search in ("responses", "paper"):
        tree = ModelTree(lambda rows: np.full(len(rows), "no"), search=search, keep_accuracy=1.0)
        assert fit_quietly(tree, frame).generalization_.collected == ()
        assert tree.held_out_.score == 1.0


def test_whole_numbers_that_are_categories_are_met():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"zone": rng.integers(1, 9, 300), "age": rng.integers(0, 9, 300)})

    def model(rows):
        return rows["zone"].isin([2, 7]).to_numpy()

    tree = ModelTree(model, Roles(categorical=["zone"]), keep_accuracy=0.97).fit(frame)
    assert tree.generalization_.collected == ("zone",)
    assert tree.generalization_["zone"].n_buckets == 2
    fed = tree.recoding_.apply(frame)
    assert fed["zone"].dtype == frame["zone"].dtype
    assert (model(fed) == model(frame)).all()


@pytest.mark.parametrize("search", ["responses", "paper"])
def test_numbers_as_answers(fit_quietly, mixed_model, mixed_people, search):
    frame = mixed_people(np.random.default_rng(6), 500, True)
    model = mixed_model(9, regression=True)
    tree = fit_quietly(ModelTree(model, regression=True, keep_accuracy=0.7, search=search), frame)
    held_out = frame.iloc[tree.held_out_rows_]
    before, after = model(held_out), model(tree.recoding_.apply(held_out))
    r2 = 1 - ((before - after) ** 2).sum() / ((before - before.mean()) ** 2).sum()
    assert tree.held_out_.score == pytest.approx(r2)
    assert tree.chosen_on_.score >= 0.7


def test_a_regressor_says_so_itself_and_may_have_several_outputs():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 20, 500), "b": rng.integers(0, 20, 500)})
    y = np.column_stack([frame["a"] * 2.0, frame["a"] - 3.0])
    tree = ModelTree(LinearRegression().fit(frame, y), keep_accuracy=0.8).fit(frame)
    assert tree.generalization_.collected == ("a",)
    assert tree.held_out_.score >= 0.8
    assert tree.generalization_["a"].n_buckets < 20


@pytest.mark.parametrize("search", ["responses", "paper"])
def test_several_classes_at_once_are_kept_together(fit_quietly, mixed_people, search):
    frame = mixed_people(np.random.default_rng(0), 300, False)

    def model(rows):
        old = np.where(rows["age"] > 15, "old", "young")
        return np.column_stack([old, np.where(rows["member"], "in", "out")])

    tree = fit_quietly(ModelTree(model, keep_accuracy=1.0, search=search), frame)
    assert set(tree.generalization_.collected) == {"age", "member"}
    fed = tree.recoding_.apply(frame)
    assert (model(fed) == model(frame)).all()


def test_any_library_is_taken(fit_quietly):
    rng = np.random.default_rng(0)
    columns = {
        "age": rng.integers(0, 60, 300),
        "work": rng.choice(["farm", "office", "shop"], 300),
    }

    def of_mapping(rows):
        return (np.asarray(rows["age"]) > 30) & (np.asarray(rows["work"]) != "farm")

    found = []
    for X in (columns, pd.DataFrame(columns), pl.DataFrame(columns)):
        tree = ModelTree(of_mapping, keep_accuracy=1.0, random_state=1)
        fit_quietly(tree, X)
        found.append(tree.recoding_)
        fed = tree.feed(X)
        assert type(fed) is type(X)
        assert (of_mapping(fed) == of_mapping(tree.recoding_.apply(X))).all()
    assert len({one.to_json() for one in found}) == 1


def test_arrays_are_taken(fit_quietly):
    X = np.random.default_rng(0).integers(0, 60, (300, 3)).astype(np.float32)
    tree = fit_quietly(ModelTree(lambda rows: rows[:, 1] > 30, keep_accuracy=1.0), X)
    assert tree.generalization_.collected == ("x1",)
    assert tree.transform(X).shape == (300, 1)
    named = pd.DataFrame(X, columns=["a", "b", "c"])
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(named, X[:, 1] > 30)
    tree = fit_quietly(ModelTree(model, keep_accuracy=1.0), X)  # fitted with names, asked without
    assert tree.generalization_.collected == ("x1",)


def test_an_encoder_of_the_users_own(mixed_people):
    frame = mixed_people(np.random.default_rng(0), 200, False)
    encoder = OneHotEncoder(handle_unknown="ignore").fit(frame[["work", "grade"]])
    y = (frame["work"] == "farm") & (frame["grade"] != "low")
    model = RandomForestClassifier(9, random_state=0).fit(
        encoder.transform(frame[["work", "grade"]]), y
    )
    tree = ModelTree(
        model, encoder=lambda rows: encoder.transform(rows[["work", "grade"]]), keep_accuracy=0.96
    ).fit(frame)
    assert set(tree.generalization_.collected) == {"work", "grade"}
    assert tree.generalization_["work"].n_buckets == 2


def test_a_scorer_of_the_users_own(mixed_people):
    frame = mixed_people(np.random.default_rng(0), 500, False)
    heard = []

    def never_miss_an_old_one(before, after):
        heard.append({*before.tolist(), *after.tolist()})
        old = before == "old"
        return float((after[old] == "old").mean()) if old.any() else 1.0

    def model(rows):
        return np.where(rows["age"] > 15, "old", "young")

    tree = ModelTree(model, scorer=never_miss_an_old_one, keep_accuracy=0.9).fit(frame)
    assert set.union(*heard) <= {"old", "young"}
    assert tree.generalization_.collected == ()  # to call everyone old misses nobody
    assert set(model(tree.recoding_.apply(frame))) == {"old"}


def test_the_users_numbers_are_asked_with_even_where_they_were_binned(fit_quietly, monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.setattr("sparsam.data.model._own_records.MAX_CATEGORIES", 50)
    frame = pd.DataFrame({"id": rng.permutation(3_000) * 2, "age": rng.integers(0, 9, 3_000)})
    asked = set()

    def model(rows):
        asked.update(rows["id"].tolist())
        return (rows["id"] > 1_001).to_numpy()

    tree = fit_quietly(ModelTree(model, keep_accuracy=0.9), frame)
    table = tree.recoding_.apply(frame)
    fed = set(table["id"].tolist())
    assert table["id"].dtype == frame["id"].dtype
    assert fed <= asked
    held_out = frame.iloc[tree.held_out_rows_]
    kept = (model(held_out) == model(tree.recoding_.apply(held_out))).mean()
    # what was measured are the bins of the numbers, so that people at a border may differ
    assert tree.held_out_.score == pytest.approx(kept, abs=0.03)


def test_a_classifier_of_our_own_where_there_is_no_model():
    people = load_example().take(range(1_500))
    domains = {one.name: one.domain for one in people.attributes if one.name != "employed"}
    task = resolve(people, Roles("employed", domains=domains))
    tree = ModelTree(keep_accuracy=0.9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SparsamWarning)
        tree.fit_task(task)
    assert 0 < len(tree.generalization_.collected) < len(task.names)
    path = tree.path(task)
    losses = [one.information_loss(task.table).overall for one in path]
    assert losses[0] < 0.01
    assert losses[-1] == 1.0
    with pytest.raises(ParameterError, match="trained its own"):
        tree.feed(people.to_frame("pandas"))


@pytest.mark.parametrize("seed", [4, 5, 6, 7])  # by 6 nobody chosen on gets the rare answer
def test_where_no_answer_may_change_all_values_apart_are_always_there(fit_quietly, seed):
    rng = np.random.default_rng(seed)
    people = {"age": rng.integers(18, 90, 500)}
    tree = ModelTree(
        lambda people: np.where(np.asarray(people["age"]) == 37, "yes", "no"),
        keep_accuracy=1.0,
        random_state=seed,
    )
    fit_quietly(tree, people)
    assert tree.held_out_.score == 1
    assert tree.generalization_["age"].n_buckets > 1
