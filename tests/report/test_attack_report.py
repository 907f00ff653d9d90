"""The report of attacks alone, and the section on attacks in the report of a choice."""

from __future__ import annotations

import json
import math
import re
from itertools import pairwise

import numpy as np
import pytest

from sparsam._errors import ParameterError
from sparsam._small_counts import joined
from sparsam._small_counts import publish_nested as suppress_nested
from sparsam.assess import attack_along
from sparsam.attack import Attacks, Reconstruction, Risk, run_attacks
from sparsam.report import AttackReport, Report, attack_report, report_on
from sparsam.report._attack_report import attack_brief
from sparsam.report._attack_view import (
    achieved_by,
    attack_view,
    control_words,
    not_run,
    strongest_run,
)
from sparsam.report._closing import NO_HASH
from sparsam.report._publish import publishable_attacks
from sparsam.report._words import THIN

SCRIPT = "<script>alert(1)</script>"
EVIL = "</style></title><script>alert(9)</script>\"'><b onclick=x>"
NAMES = ("sex", SCRIPT, "a|b `c`", "x" * 90)


def risk(adversary, error, baseline=0.25, *, n=6000, split="test", parts=(), **details):
    first = adversary.split(" ")[0]
    return {
        "adversary": adversary,
        "id": first if first[0] == "A" or first == "control" else None,
        "measure": "error",
        "attribute": None,
        "value": error,
        "baseline": baseline,
        "advantage": baseline - error,
        "recovered": (baseline - error) / baseline,
        "interval": [max(0.0, error - 0.01), error + 0.01],
        "n": n,
        "split": split,
        "random_state": 0,
        "model": None,
        "parts": [
            risk(adversary, error * place / 4, baseline, n=n)
            | {"attribute": name, "model": "look-up"}
            for place, name in enumerate(parts, start=1)
        ],
        "details": details,
    }


def bench():
    histogram = [
        {"from": 1, "to": 1, "people": 3},
        {"from": 2, "to": 4, "people": 9},
        {"from": 5, "to": 9, "people": 70},
        {"from": 10, "to": 900, "people": 11918},
    ]
    under = {"2": 3, "5": 12, "10": 82}
    surest = [
        risk(f"A2 high-certainty reconstruction (surest {s:.0%})", 0.19 * s**0.4, share=s,
             n=round(6000 * s))
        for s in (0.5, 0.01, 0.1)
    ]  # fmt: skip
    return {
        "complete": True,
        "risks": [
            risk("A1 reconstruction", 0.19, parts=NAMES, smallest_error=0.05),
            *surest,
            risk("A3 non-personal knowledge", 0.18, parts=NAMES),
            risk("A4 leave one out", 0.13, parts=NAMES),
            risk("A5 partial personal knowledge", 0.15, parts=NAMES[:2]),
            risk("A6 multi-breach", 0.04, parts=NAMES, single_breaches=[0.19, 0.06]),
            risk("A7 linkability", 0.90, 0.96, first=[SCRIPT], second=["sex"], value_matched=0.021,
                 value_matched_by_chance=0.008, people_at_once=500, n=2000),
            risk("A8 singling out", 0.27, 0.70, n=12000, split="train", distinct=308,
                 smallest=1, rarest=3, alone=3, under=under, histogram=histogram),
            risk("control (A1 on the sample)", 0.189, 0.191, n=12000, split="train",
                 control_interval=[0.18, 0.2], control_records=2500),
        ],
        "bounds": [
            {"attribute": name, "accuracy": 0.9 - place / 10, "on_these_records": 0.5,
             "confidence": 0.95, "n": 8000}
            for place, name in enumerate(NAMES)
        ],
        "along_front": [
            {"id": place, "label": f"{place} {SCRIPT}", "utility_error": 0.3 - 0.01 * place,
             "errors": {"A1": 0.2 - 0.01 * place, "A3": 0.19, "A4": 0.13, "A5": 0.15}}
            for place in range(5)
        ],
    }  # fmt: skip


@pytest.fixture
def attacks():
    return bench()


@pytest.fixture
def alone(make_data):
    """Data of a report of attacks alone."""

    def build(attacks):
        data = make_data(hostile=True)
        point = data["points"][0]
        collected = {
            name: point[name]
            for name in ("attributes", "n_buckets", "n_collected", "information_loss")
        }
        kept = {name: data[name] for name in ("title", "task", "meaning", "reproduce")}
        return {**kept, "collected": collected, "attacks": attacks, "confidence": 0.95}

    return build


def both(make_data, alone, attacks, front=2, other=1):
    """The same attacks in the large report and in the one of their own."""
    data = make_data(front=front, other=other)
    return [Report(data | {"attacks": attacks}), AttackReport(alone(attacks))]


def test_page_is_sound_and_loads_nothing(make_data, alone, attacks, read_html):
    large, own = both(make_data, alone, attacks)
    for report, scripts in ((large, 3), (own, 0)):
        html = report.to_html()
        page = read_html(html)
        assert [tag for tag, _ in page.elements].count("script") == scripts
        assert not re.search(r"https?://|//[a-z]+\.|@import|url\(", html)
        assert len(page.ids) == len(set(page.ids))


def test_section_comes_after_the_risk_and_moves_the_others(make_data, alone, attacks):
    large, own = both(make_data, alone, attacks)
    for text in (large.to_html(), large.to_markdown()):
        titles = ["What someone could still learn", "How hard we tried", "What these numbers"]
        places = [text.rindex(title) for title in titles]
        assert places == sorted(places)
    assert "## 4. How hard we tried" in large.to_markdown()
    assert "## 6. How to reproduce" in large.to_markdown()
    assert re.findall(r"^## (.*)$", own.to_markdown(), re.MULTILINE) == [
        "1. What is collected",
        "2. How hard we tried",
        "3. What these numbers do not mean",
        "4. How to reproduce",
    ]


def test_without_attacks_there_is_no_section(make_data):
    small = make_data(front=2, other=1)
    for data in (small, small | {"attacks": None}):
        report = Report(data)
        assert "How hard we tried" not in report.to_html() + report.to_markdown()
        assert "attacks" not in report.to_dict()


def test_all_attackers_in_plain_words(make_data, alone, attacks):
    for report in both(make_data, alone, attacks):
        html, text = report.to_html(), report.to_markdown()
        for code in ("A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8"):
            assert f'<span class="code">{code}</span>' in html
            assert f"| {code} " in text
        for page in (html, text):
            assert "10.0\u202f%" in page  # A7: people linked, not errors avoided
            assert "of people linked to their own record" in page
            assert "of attempts isolate one person" in page
            assert "2.10\u202f%" in page
            assert "0.80\u202f% by chance" in page
            assert "recovered as often as others" in page
            assert "From this one alone it is wrong 19.0\u202f%" in page
            assert "for more than 60.0\u202f% of people" in page
            assert "2,000" in page
            assert "training data" in page


def test_table_has_one_row_for_the_surest_guesses(attacks):
    view = attack_view(publishable_attacks(attacks), {})
    assert [row.code for row in view.attackers] == [
        "A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "control",
    ]  # fmt: skip
    assert "1\u202f% of guesses" in view.attackers[1].attacker.knows
    assert [step["n"] for step in view.curve] == [60, 600, 3000, 6000]


def test_attributes_most_exposed_first(attacks):
    view = attack_view(publishable_attacks(attacks), {"sex": "not collected"})
    shares = [row.recovered for row in view.attributes]
    assert shares == sorted(shares, reverse=True)
    assert view.codes == ("A1", "A3", "A5", "A4")
    assert "A5" not in view.attributes[-1].risks
    assert view.attributes[0].collected == "not collected"


def test_names_are_escaped(make_data, alone, attacks, read_html):
    for facts in attacks["risks"]:
        facts["model"] = facts["split"] = EVIL
    attacks["risks"].append(risk(EVIL, 0.2, parts=[EVIL]) | {"split": EVIL})
    attacks["bounds"][0]["attribute"] = EVIL
    attacks["along_front"][0]["label"] = EVIL
    for report in both(make_data, alone, attacks):
        page, text = report.to_html(), report.to_markdown()
        elements = read_html(page).elements
        assert {facts.get("type") for tag, facts in elements if tag == "script"} <= {
            None,
            "text/plain",
        }
        assert not any("onclick" in facts for _, facts in elements)
        assert "&lt;script&gt;alert(1)" in page
        assert "<script" not in text
        for lines in (block.splitlines() for block in text.split("\n\n") if block[0] == "|"):
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1
        assert "<script>alert(9)" not in (report._repr_html_())


def test_interrupted_attacks_say_so(make_data, alone, attacks):
    attacks |= {"complete": False, "risks": attacks["risks"][:1], "bounds": []}
    for report in both(make_data, alone, attacks):
        for text in (report.to_html(), report.to_markdown()):
            assert "interrupted" in text
            assert "no sign of safety" in text
            assert "What no attack can exceed" not in text


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"complete": True, "risks": [], "bounds": []},
        {"risks": [risk("A1 reconstruction", math.nan)]},
        {"risks": [risk(f"A{n} x", 0.5) for n in range(1, 9)]},
        {"risks": [risk("control x", 0.5, control_records=7)]},
        {"risks": [risk("A2 x", 0.1, share=math.nan)]},
        {"risks": [risk("A8 x", 0.1, under={"x": 1})]},
        {"along_front": [{"id": 1}, {}]},
        {"along_front": [{"id": 1, "utility_error": 0.2, "errors": {"A1": math.nan, "A4": 0.1}}]},
    ],
)
def test_gaps_are_no_crash_and_no_nan(make_data, alone, given, read_html):
    for report in both(make_data, alone, given):
        page, text = report.to_html(), report.to_markdown()
        read_html(page)
        for written in (page, text, report.to_json()):
            assert "None" not in written
            assert not re.search(r"\bnan\b|\bNaN\b|\binf\b", written)
        report._repr_html_()


def test_figures_that_are_not_numbers_become_dashes(make_data, alone, attacks):
    for facts in attacks["risks"]:
        facts |= {"value": math.nan, "interval": [math.nan, math.nan], "recovered": math.inf}
    for report in both(make_data, alone, attacks):
        json.loads(report.to_json(), parse_constant=pytest.fail)
        assert "nan" not in report.to_markdown().lower().replace("finance", "")


def test_few_people_are_not_counted(make_data, alone, attacks):
    for report in both(make_data, alone, attacks, 14, 40):
        published = report.to_dict()["attacks"]
        details = next(r for r in published["risks"] if r["adversary"].startswith("A8"))["details"]
        assert details["alone"] == details["smallest"] == "fewer than 5"
        assert details["rarest"] is None
        assert sum(bar["people"] for bar in details["histogram"]) == 12000
        assert "fewer than 5 stand alone" in report.to_markdown()
        assert "fewer than 5 stand alone" in report.to_html()
    assert details["under"] == {"2": "fewer than 5", "5": 12, "10": 82}
    assert details["histogram"][0] == {"from": 1, "to": 4, "people": 12}
    # Beside the points of a front, which tell of 9 and 80 people, 12 and 82 would tell of 3 and 2.
    large = both(make_data, alone, attacks, 14, 40)[0].to_dict()
    details = next(r for r in large["attacks"]["risks"] if r["adversary"][:2] == "A8")["details"]
    assert details["under"] == {"2": "fewer than 5", "5": "fewer than 14", "10": "fewer than 85"}
    assert 9 in {n for p in large["points"] for n in p["classes"]["under"].values()}


def test_figures_on_few_people_are_left_out(make_data, alone, attacks):
    attacks["risks"][2]["n"] = 3
    attacks["risks"][0]["parts"][0]["n"] = 2
    attacks["risks"][-1]["details"]["control_records"] = 4
    attacks["bounds"][0]["n"] = 1
    for report in both(make_data, alone, attacks):
        published = report.to_dict()["attacks"]
        hidden = published["risks"][2]
        assert hidden["n"] == "fewer than 5"
        assert hidden["value"] is hidden["interval"] is hidden["recovered"] is None
        assert hidden["details"] == {}
        assert published["risks"][0]["parts"][0]["value"] is None
        assert published["bounds"][0]["accuracy"] is None
        view = attack_view(published, {})
        assert [step["n"] for step in view.curve] == [600, 3000, 6000]
        assert len(view.bounds) == len(NAMES) - 1
        again = type(report)(report.to_dict())
        assert again.to_json() == report.to_json()


def test_what_an_own_adversary_says_beyond_the_known_is_left_out(make_data, alone, attacks):
    attacks["risks"].append(risk("my own", 0.1, secret="Mrs Jones, 47", parts=["sex"]))
    for report in both(make_data, alone, attacks):
        assert "Jones" not in report.to_json() + report.to_html() + report.to_markdown()
        assert "my own" in report.to_html()
        assert "an adversary of your own" in report.to_markdown()


def test_a_new_adversary_is_not_taken_for_one_of_the_users_own(make_data, alone, attacks):
    attacks["risks"].append({**risk("nearest neighbours", 0.1), "id": "neighbours"})
    for report in both(make_data, alone, attacks):
        assert "nearest neighbours" in report.to_html()
        assert "of your own" not in report.to_markdown()


@pytest.mark.parametrize("seed", range(30))
def test_no_subtraction_uncovers_a_few_people(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.choice([1, 2, 3, 4, 5, 7, 12, 30], size=rng.integers(1, 40)).tolist()
    total, edges = sum(sizes), [1, 2, 5, 10, 100]
    bars = [
        {"from": low, "to": high - 1, "people": sum(s for s in sizes if low <= s < high)}
        for low, high in pairwise(edges)
    ]
    shown = joined(bars)
    assert all(bar["people"] in (0, "fewer than 5") or bar["people"] >= 5 for bar in shown)
    assert all(bar["people"] != "fewer than 5" for bar in shown) or len(shown) == 1
    under = [sum(s for s in sizes if s < high) for high in edges[1:]]
    known = [0, *(n for n in suppress_nested(under, total) if isinstance(n, int)), total]
    if total >= 5:
        assert not any(0 < high - low < 5 for low, high in pairwise(known))


def test_control_in_three_ways():
    def control(inside):
        facts = risk(
            "control (A1 on the sample)",
            inside,
            0.2,
            control_interval=[0.19, 0.21],
            control_records=999,
        )
        return publishable_attacks({"risks": [facts]})["risks"][0]

    assert "as often as others" in control_words(control(0.195))
    assert "more often than others" in control_words(control(0.1))
    assert "less often than others" in control_words(control(0.3))
    assert achieved_by(control(0.1)).value == "more often than"


def test_the_strongest_attack_is_one_that_was_run(make_data, attacks):
    known = {"confident": [{"share": 0.1}], "recovered": 0.24}
    assert not_run(known, None) == "A3 to A8 were not run: sparsam attack, or minimise --attack."
    assert not_run({}, None).startswith("A2 to A8")
    assert not_run(known, attacks) == ""
    some = attacks | {"risks": [r for r in attacks["risks"] if r["id"] not in ("A3", "A8")]}
    assert not_run(known, some).startswith("A3, A8 were not run")
    without = attacks | {"risks": [r for r in attacks["risks"] if r["id"] != "A6"]}
    assert not_run(known, without).startswith("A6 was not run: sparsam attack, with what else")
    assert strongest_run(known, None) == ("A1", known)
    assert strongest_run(known, attacks)[0] == "A6"
    assert strongest_run(known, without)[0] == "A4"
    alone, together = Report(make_data()), Report(make_data() | {"attacks": without})
    assert "(A1: sees a person’s collected record)" in alone.to_markdown()
    assert "A3 to A8 were not run" in alone.to_markdown()
    assert "strongest attack that was run (A4: sees the record, and" in together.to_markdown()
    assert "A8 were not run" not in str(together)


def test_what_is_known_without_the_records_is_not_recovered(make_data, alone):
    informed = {"naive": 0.4, "advantage_interval": [0.0, 0.0]}
    parts = [risk("A4 leave one out", 0.25, 0.25, **informed) | {"attribute": "sex"}]
    knows = risk("A4 leave one out", 0.25, 0.25, **informed) | {"parts": parts}
    same = risk("A8 singling out", 0.632, 0.632, split="train", distinct=1, smallest=12000)
    attacks = {"complete": True, "risks": [knows, same], "bounds": []}
    report = AttackReport(alone(attacks))
    words = report.to_markdown().replace(THIN, " ")
    assert "Whoever also knows everything else about a person learns nothing from them." in words
    assert "the same attacker without the records" in words
    assert "25.0 % without the records" in words or "without 25.0 %" in words
    assert "singled out beyond chance" in words
    assert "all records are the same" in words
    assert achieved_by(knows).remark == "within the noise"
    [row] = attack_view(publishable_attacks(attacks), {}).attributes
    assert (row.naive, row.recovered) == (0.4, 0.0)
    brief = "".join(str(block) for block in attack_brief(publishable_attacks(attacks)))
    assert "A4: the same attacker without the records; of A8: random descriptions" in brief


def test_within_the_noise():
    published = publishable_attacks({"risks": [risk("A1 reconstruction", 0.245)]})["risks"][0]
    assert achieved_by(published).remark == "within the noise"


def test_same_attacks_same_bytes(make_data, alone, attacks):
    for report, other in zip(
        both(make_data, alone, attacks), both(make_data, alone, bench()), strict=True
    ):
        assert report.to_html() == other.to_html()
        assert report.to_markdown() == other.to_markdown()


def numbers(value):
    if isinstance(value, dict):
        for inner in value.values():
            yield from numbers(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from numbers(inner)
    elif isinstance(value, int | float):
        yield value


LAZY = Reconstruction(models=("look-up",))


@pytest.fixture(scope="module")
def attacked(choice):
    return run_attacks(choice.generalization, choice.front.data, reconstruction=LAZY)


def test_real_attacks_in_the_large_report(choice, attacked, tmp_path):
    along = attack_along(choice.front, reconstruction=LAZY, n_jobs=1)
    report = report_on(choice, attacks=attacked, along_front=along)
    data = report.to_dict()
    assert len(data["attacks"]["risks"]) == len(attacked.risks)
    assert len(data["attacks"]["bounds"]) == len(attacked.bounds)
    assert set(data["attacks"]["along_front"][0]["errors"]) == {"A1", "A3", "A4", "A5"}
    ids = {point["id"] for point in data["points"] if point["on_front"]}
    assert {point["id"] for point in data["attacks"]["along_front"]} == ids
    assert len(data["meaning"]) > len(report_on(choice).to_dict()["meaning"])
    assert "How hard we tried" in report.to_html()
    for name in ("r.html", "r.md", "r.json"):
        report.save(tmp_path / name)
    assert all(math.isfinite(number) for number in numbers(data))


def test_real_attacks_alone(choice, attacked, tmp_path):
    report = attack_report(
        attacked,
        choice.generalization,
        choice.front.data,
        source="people.csv",
        command="sparsam attack people.json people.csv",
    )
    data = report.to_dict()
    assert json.loads(report.to_json()) == data
    assert data["title"] == "Attack report: works"
    assert data["reproduce"]["input"] == {"name": "people.csv", "hash": NO_HASH, "rows": 700}
    assert data["reproduce"]["settings"]["adversaries"][0] == "A1"
    assert data["collected"]["n_collected"] == len(choice.generalization.collected)
    assert data["collected"]["information_loss"] == choice.assessment.information_loss
    for name in ("a.html", "a.htm", "a.md", "a.json"):
        report.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    with pytest.raises(ParameterError, match="must end in"):
        report.save(tmp_path / "a.pdf")
    assert repr(report).startswith("<AttackReport 'Attack report: works'")
    for text in (report.to_html(), report.to_markdown()):
        assert "sparsam attack people.json people.csv" in text
        assert "accuracy is for this task" not in text


def test_nothing_but_an_interrupted_start(choice):
    started = Attacks((), complete=False)
    report = attack_report(started, choice.generalization, choice.front.data)
    assert "How hard we tried" in report.to_html()
    assert "interrupted" in report.to_markdown()


def test_an_adversary_of_your_own(choice):
    class Mine:
        def attack(self, generalization, data):
            return Risk(
                adversary="mine & yours",
                measure="error",
                value=0.3,
                baseline=0.4,
                interval=(0.2, 0.4),
                n=data.test.n_rows,
                split="test",
                random_state=0,
                details={"record": "Mrs Jones"},
            )

    mine = run_attacks(choice.generalization, choice.front.data, [Mine()])
    report = attack_report(mine, choice.generalization, choice.front.data)
    assert "mine &amp; yours" in report.to_html()
    assert "25.0\u202f%" in report.to_markdown()  # 0.1 of 0.4
    assert "Jones" not in report.to_json()
