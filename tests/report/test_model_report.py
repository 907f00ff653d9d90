"""The report on a model: true words, safe numbers, one page that needs nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from sparsam._errors import ParameterError
from sparsam.assess import assess_model
from sparsam.assess.model._assessment import AnswerKept
from sparsam.data import Roles
from sparsam.generalization import Generalization
from sparsam.minimise import ModelTree
from sparsam.report import ModelReport, model_report
from sparsam.report._closing import NO_HASH
from sparsam.report._words import range_words, telling

THIN = "\u202f"


@dataclass(frozen=True)
class Asked:
    """What a questionnaire counted."""

    mean: float = 1.5
    saved: float = 0.25
    form: int = 2
    per_attribute: dict[str, float] = field(default_factory=lambda: {"age": 1.0, "education": 0.5})


def works(people):
    age, school = people["age"].to_numpy(), people["education"].to_numpy()
    return np.where((age > 25) & (age < 65) & (school != "low"), "yes", "no")


@pytest.fixture(scope="module")
def tree(make_people):
    return ModelTree(works, Roles("works"), keep_accuracy=0.9).fit(make_people(900))


@pytest.fixture(scope="module")
def assessment(tree, make_people):
    return assess_model(tree, make_people(900), rows=tree.held_out_rows_)


@pytest.fixture(scope="module")
def report(assessment, tree):
    return model_report(
        assessment, tree.generalization_, Asked(), source="people.csv", rows=900,
        command="sparsam minimise people.csv --model model.onnx",
    )  # fmt: skip


def changed(assessment, **kept):
    """The same assessment with another score."""
    return replace(assessment, relative_accuracy=replace(assessment.relative_accuracy, **kept))


def plain(text: str) -> str:
    return text.replace(THIN, " ")


def test_a_met_target_in_words(assessment, tree):
    document = model_report(changed(assessment, score=0.983, n_records=2000), tree.generalization_)
    assert plain(document.verdict) == (
        "The model needs 2 of 5 attributes. 98.3 % of its answers stay the same on 2,000 people "
        "held out: with 95 % confidence at least 90 % of all people get the same answer."
    )
    assert "Target missed" not in document.to_html()


def test_a_missed_target_comes_first(assessment, tree):
    missed = replace(changed(assessment, score=0.968, n_records=2000), target=0.98, met=False)
    document = model_report(missed, tree.generalization_)
    assert plain(document.verdict) == (
        "The target of 98 % is missed by 1.2 points. 96.8 % of the model’s answers stay the same "
        "on 2,000 people held out, when the model is given 2 of 5 attributes."
    )
    page = document.to_html()
    assert "✗ Target missed." in page
    assert page.index("is missed by") < page.index("attributes to collect")
    assert (
        plain(document.to_markdown()).splitlines()[4].startswith("**The target of 98 % is missed")
    )
    assert repr(document).startswith(
        "<ModelReport 'Data minimisation report for a model': The target"
    )


def test_a_narrowly_missed_target_does_not_look_met(assessment, tree):
    missed = replace(changed(assessment, score=0.97996), target=0.98, met=False)
    document = model_report(missed, tree.generalization_)
    assert "missed by 0.004 points. 97.996 %" in plain(document.verdict)
    for text in (document.to_html(), document.to_markdown()):
        words = plain(text).replace("0% where", "").split("the steps of the search")[0]
        assert "98.0 %" not in words
    assert telling(0.98, 0.98) == 1


def test_the_worst_group_decides_where_it_must(assessment, tree):
    cell = replace(assessment.relative_accuracy, score=0.8, n_records=60)
    document = model_report(replace(assessment, worst_cell=cell, met=False), tree.generalization_)
    assert "is missed by 10.0 points" in plain(document.verdict)
    assert "in the worst group" in document.verdict
    assert "the worst group, people held out" in document.to_html()


def of_answer(assessment, answer, score, share):
    """What is kept of one answer."""
    n_records = round(share * 2000)
    kept = replace(assessment.relative_accuracy, score=score, n_records=n_records)
    return AnswerKept(answer, share, kept)


@pytest.fixture
def rare(assessment):
    """An average of 98.3 % over all people that hides what the rare answer loses."""
    answers = tuple(
        of_answer(assessment, *each) for each in (("yes", 0.7412, 0.08), ("no", 0.999, 0.92))
    )
    average = changed(assessment, score=0.983, n_records=2000)
    return replace(average, per_answer=answers, target=0.98, each_target=0.98, kept_in="all")


def test_a_rare_answer_that_is_lost_is_told_beside_what_is_met(rare, tree):
    document = model_report(rare, tree.generalization_)
    assert plain(document.verdict) == (
        "The model needs 2 of 5 attributes. 98.3 % of its answers stay the same, but of “yes” only "
        "74.1 %, on 2,000 people held out: with 95 % confidence at least 98 % of all people get "
        "the same answer, but not of each answer."
    )
    told = document.to_dict()["kept"]["per_answer"]
    assert [each["answer"] for each in told] == ["yes", "no"]
    assert told[0]["score"] == 0.7412
    for text in (document.to_html(), document.to_markdown()):
        assert "Met over all people only." in text
        assert "--kept-in each-answer" in re.sub("</?span[^>]*>", "", text)
        assert "Of the answer “yes”" in text
        assert "74.1 %" in plain(text)


def test_each_answer_is_said_to_be_kept_where_it_must_be(rare, tree):
    kept = of_answer(rare, "yes", 0.9875, 0.08), rare.per_answer[1]
    proof = replace(rare.proof, too_rare=("perhaps", "soon"))
    each = replace(rare, kept_in="each answer", per_answer=kept, n_rarer=2, proof=proof)
    verdict = plain(model_report(each, tree.generalization_).verdict)
    assert verdict.endswith(
        "98.3 % of its answers stay the same, of “yes” 98.8 %, on 2,000 people held out: with 95 % "
        "confidence at least 98 % of all people get the same answer, and at least 98 % of each "
        "answer (2 rarer answers with too few people to tell)."
    )


def test_too_few_people_to_tell_are_told_with_how_many_would_do(assessment, tree):
    proof = replace(
        assessment.proof, shown=False, too_few=True, at_least=0.9253, n_enough=373, target=0.98
    )
    few = replace(changed(assessment, score=1.0, n_records=120), target=0.98, met=False)
    document = model_report(replace(few, proof=proof), tree.generalization_)
    assert plain(document.verdict) == (
        "Too few people to tell whether 98 % is kept. 100.0 % of the model’s answers stay the same "
        "on 120 people held out, when it is given 2 of 5 attributes: with 95 % confidence at least "
        "92.5 % is. A table of 373 people could show it."
    )
    assert "Too few people to tell." in document.to_html()
    never = replace(few, proof=replace(proof, n_enough=None, target=1.0), target=1.0)
    assert "No number of people could show it" in model_report(never, tree.generalization_).verdict


def test_what_a_rare_answer_costs_is_said_where_little_is_spared(rare, tree):
    kept = of_answer(rare, "yes", 0.99, 0.08), rare.per_answer[1]
    each = replace(rare, kept_in="each answer", per_answer=kept)
    dear = replace(each, information_loss=replace(each.information_loss, overall=0.01))
    text = model_report(dear, tree.generalization_).to_markdown()
    assert "Little is spared." in text
    assert "To keep “yes”, which few people get" in text
    assert "Little is spared." not in model_report(each, tree.generalization_).to_markdown()


def test_a_rare_answer_that_is_lost_is_a_missed_target_where_each_one_counts(rare, tree):
    document = model_report(replace(rare, kept_in="each answer", met=False), tree.generalization_)
    assert plain(document.verdict) == (
        "The target of 98 % of each answer is missed by 23.9 points. 74.1 % of the model’s “yes” "
        "answers stay the same on 2,000 people held out, when the model is given 2 of 5 attributes."
    )


def test_numbers_speak_of_r2(assessment, tree, read_html):
    both = {
        "relative_accuracy": replace(assessment.relative_accuracy, score=0.97, measure="r2"),
        "chosen_on": replace(assessment.chosen_on, measure="r2"),
    }
    for met in (True, False):
        numbers = replace(assessment, **both, regression=True, met=met, target=0.98)
        document = model_report(numbers, tree.generalization_)
        assert "R² of 0.970" in document.verdict
        read_html(document.to_html())
    assert "is missed by 0.010" in document.verdict
    own = replace(
        assessment, relative_accuracy=replace(assessment.relative_accuracy, measure="own")
    )
    assert "a score of" in model_report(own, tree.generalization_).verdict
    assert range_words((0.5, 0.75), "r2") == "0.500 to 0.750"


def test_everything_that_was_measured_is_there(report, assessment):
    data = report.to_dict()
    assert json.loads(report.to_json()) == data
    assert data["kept"]["held_out"]["score"] == assessment.relative_accuracy.score
    assert set(data["kept"]) == {
        "held_out", "chosen_on", "worst_cell", "kept_in", "per_answer", "n_rarer_answers",
        "target", "met", "shortfall", "null_accuracy",
        "each_target",
        "proof",
    }  # fmt: skip
    losses = {each["name"]: each["information_loss"] for each in data["collected"]["attributes"]}
    assert losses == assessment.information_loss.per_attribute
    assert data["stored"]["before"]["distinct"] == assessment.disclosure.before.distinct
    assert data["questions"]["saved"] == 0.25
    assert data["reproduce"]["input"] == {"name": "people.csv", "hash": NO_HASH, "rows": 900}
    assert data["reproduce"]["settings"]["model asked"] == assessment.n_asked
    assert data["reproduce"]["seed"] == 0
    facts = assessment.to_dict()
    stored, truth = facts["disclosure"], facts["true_accuracy"]
    for text in map(plain, (report.to_html(), report.to_markdown())):
        for share in (
            assessment.relative_accuracy.score, assessment.chosen_on.score, facts["null_accuracy"],
            assessment.information_loss.overall, assessment.local_information_loss.overall,
            stored["before"]["as_printed"], stored["before"]["as_reported"],
            stored["after"]["as_printed"], stored["after"]["as_reported"],
            truth["before"]["score"], truth["after"]["score"],
        ):  # fmt: skip
            assert f"{100 * share:.1f} %" in text
        assert "Relative accuracy compares the model with itself" in text
        assert "sparsam minimise people.csv --model model.onnx" in text
        assert f"asked about {assessment.n_asked:,} records" in text
        assert "25.0 % fewer" in text


def test_without_questions_and_without_truth(assessment, tree):
    document = model_report(replace(assessment, true_accuracy=None, curve=()), tree.generalization_)
    assert document.to_dict()["questions"] is None
    for text in (document.to_html(), document.to_markdown()):
        assert "What a person is asked" not in text
        assert "Answers that are right" not in text
        assert "disclosure risk" in text
    assert "<figure>" not in document.to_html()


def test_nothing_collected(make_people, read_html):
    people = make_people(400)
    dull = ModelTree(lambda rows: np.full(len(rows), "no"), Roles("works")).fit(people)
    assessment = assess_model(dull, people, rows=dull.held_out_rows_)
    document = model_report(assessment, dull.generalization_)
    assert "The model needs none of the 5 attributes." in document.verdict
    for text in (document.to_html(), document.to_markdown()):
        assert "Nothing needs to be collected" in text
    read_html(document.to_html())


def test_everything_collected(make_people):
    people = make_people(400)[["age", "works"]]
    exact = ModelTree(lambda rows: rows["age"].to_numpy() % 2, Roles("works"), keep_accuracy=0.98)
    assessment = assess_model(exact.fit(people), people, rows=exact.held_out_rows_)
    document = model_report(assessment, exact.generalization_)
    assert "The model needs its only attribute." in document.verdict
    assert "none can be spared" in document.to_markdown()


def test_small_counts_become_words(assessment, tree):
    few = changed(assessment, n_records=3)
    stored = assessment.disclosure
    few = replace(few, disclosure=replace(stored, before=replace(stored.before, n_records=3)))
    document = model_report(few, tree.generalization_)
    assert document.to_dict()["kept"]["held_out"]["n_records"] == "fewer than 5"
    assert document.to_dict()["stored"]["before"]["n_records"] == "fewer than 5"
    assert "fewer than 5 people held out" in document.to_markdown()


def test_the_page_needs_nothing_but_itself(report, read_html):
    page = read_html(report.to_html())
    assert sum(tag == "h1" for tag, _ in page.elements) == 1
    assert all(tag != "script" for tag, _ in page.elements)
    assert len(page.ids) == len(set(page.ids))
    for _, attributes in page.elements:
        assert not {"src", "onclick"} & set(attributes)
        assert (attributes.get("href") or "#").startswith(("#", "data:"))
    assert "url(" not in report.to_html()
    assert "@import" not in report.to_html()
    assert "prefers-color-scheme: dark" in report.to_html()
    assert "@media print" in report.to_html()
    targets = {attributes["href"][1:] for tag, attributes in page.elements if tag == "a"}
    sections = [attributes for tag, attributes in page.elements if tag == "section"]
    assert targets == {attributes["id"] for attributes in sections if "id" in attributes}


def test_sections_are_numbered_in_order(report):
    headings = re.findall(r"<h2><span>(\d)</span> ([^<]+)</h2>", report.to_html())
    assert [int(number) for number, _ in headings] == list(range(1, 8))
    assert [f"{number}. {title}" for number, title in headings] == re.findall(
        r"^## (.+)$", report.to_markdown(), re.MULTILINE
    )


def test_names_cannot_break_out(report, read_html):
    evil = "</title><script>alert(1)</script>|`*"
    data = report.to_dict()
    data["title"] = data["reproduce"]["command"] = data["reproduce"]["input"]["name"] = evil
    for attribute in data["collected"]["attributes"]:
        attribute["name"] = attribute["before_words"] = evil
        attribute["buckets"] = [evil] * len(attribute["buckets"])
        attribute["members"] = {evil: [evil]}
    data["stored"]["quasi_identifiers"] = [evil]
    data["questions"]["per_attribute"] = {evil: 0.5}
    document = ModelReport(data)
    assert all(tag != "script" for tag, _ in read_html(document.to_html()).elements)
    assert "<script" not in document.to_markdown().split("```")[0]
    assert "<script" not in document._repr_html_()


def test_gaps_do_not_show(report):
    data = report.to_dict()
    for accuracy in (data["kept"]["held_out"], data["kept"]["chosen_on"], *data["truth"].values()):
        accuracy |= {"score": None, "interval": None, "n_records": None}
    data["kept"]["null_accuracy"] = None
    for part in ("before", "after", "recoded"):
        data["stored"][part] = dict.fromkeys(data["stored"][part])
    data["collected"] |= {"information_loss": None, "local_information_loss": float("nan")}
    for point in data["curve"]:
        point["held_out"] = None
    data["reproduce"] |= {"command": None, "seed": None}
    data["reproduce"]["input"] |= {"rows": None}
    document = ModelReport(data)
    for text in (document.to_html(), document.to_markdown()):
        assert "None" not in text
        assert "nan" not in text


def test_saved_in_every_way(report, tmp_path):
    for name in ("r.html", "r.htm", "r.md", "r.json"):
        report.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    with pytest.raises(ParameterError, match="must end in"):
        report.save(tmp_path / "r.pdf")
    assert "Do not collect" in report._repr_html_()


def test_the_generalization_must_be_the_one_that_was_assessed(assessment, tree):
    other = Generalization([tree.generalization_["age"]])
    with pytest.raises(ParameterError, match="the generalization that was assessed"):
        model_report(assessment, other)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"search": "paper", "ilag": "paper"}, "useless ones first"),
        ({"weights": {"age": 2.0}}, "by the weights below"),
        ({"kept_in": "each answer"}, "had to be shown of each answer"),
        ({}, "an exact binomial test"),
    ],
)
def test_how_it_was_done(assessment, tree, options, words, read_html):
    settings = {**assessment.settings, **options}
    document = model_report(replace(assessment, settings=settings), tree.generalization_)
    assert words in document.to_markdown()
    read_html(document.to_html())
