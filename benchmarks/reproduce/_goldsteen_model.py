"""Goldsteen et al. 2021, Data Minimization for GDPR Compliance: for a model that runs."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from reproduce._entry import (
    Claim,
    Entry,
    Figures,
    Measured,
    Row,
    Run,
    at_least,
    at_most,
    near,
)
from reproduce._peers import BENCHMARKS, TOOLKIT, peer_python

THREE = (0, 1, 2)
ADULT = ("adult.csv.gz",)


def measure_gss(run: Run) -> Measured:
    from model_tree import gss_evidence

    figures: dict[str, list[float]] = {}
    most = run.few(None, 4_000)
    for seed in run.few(THREE, (0,)):
        for keep, name in ((1.0, "no loss"), (0.98, "2 %")):
            tree, evidence = gss_evidence(seed, keep, most)
            before, after = evidence.disclosure.before, evidence.disclosure.after
            facts = {
                f"loss at {name}": evidence.information_loss.overall,
                f"kept at {name}": tree.held_out_.score,
                f"risk, eq. 4, at {name}": after.as_printed,
                f"risk, counted, at {name}": after.as_reported,
            }
            if keep == 1.0:
                facts |= {
                    "risk, eq. 4, raw": before.as_printed,
                    "risk, counted, raw": before.as_reported,
                    "marital status": float("marital status" in tree.generalization_.collected),
                }
            for key, value in facts.items():
                figures.setdefault(key, []).append(value)
    return Measured(figures)


def measure_ends(run: Run) -> Measured:
    from model_tree import adult, ends, nursery

    ours = {}
    for name, load in (("Adult", adult), ("Nursery", nursery)):
        first, last, null = ends(load)
        ours[name] = [first.held_out, last.held_out, null]
    return Measured(ours)


def _both_ends(figures: Figures) -> bool:
    """Whether both ends are reached, within two standard errors of a curve's 2,000 people."""
    return all(
        everything == 1.0 and abs(nothing - null) <= 0.022
        for everything, nothing, null in figures.values()
    )


def measure_ilag(run: Run) -> Measured:
    from model_tree import ilag_losses

    losses = [ilag_losses(seed, run.few(10_000, 3_000)) for seed in run.few(THREE, (0,))]
    names = {"ours": "our search", "corrected": "paper's search, corrected"}
    names["printed"] = "paper's search, eq. 3 as printed"
    return Measured({key: [one[name] for one in losses] for key, name in names.items()})


def _means_in_order(figures: Figures) -> bool:
    ours, corrected, printed = (np.mean(figures[key]) for key in ("ours", "corrected", "printed"))
    return bool(ours > corrected > printed)


def measure_all_rows(run: Run) -> Measured:
    from model_tree import KINDS, all_rows_seconds

    return Measured(all_rows_seconds(run.few(KINDS, KINDS[:1])))


def measure_questions(run: Run) -> Measured:
    from model_tree import KINDS, questions_spared

    spared = questions_spared((0.98,), run.few(KINDS, KINDS[:1]))
    return Measured({name: 100 * share for (name, _), share in spared.items()})


def measure_toolkit(run: Run) -> Measured:
    python = peer_python(run.beside("ai-privacy-toolkit"), "toolkit", TOOLKIT)
    results = python.parents[2] / "toolkit-results"
    results.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(BENCHMARKS / "ai_privacy_toolkit"))
    from jobs import MODELS, write
    from our_side import compare, their_outcome

    ours: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    enough = []
    for table in run.few(("Adult", "Nursery", "GSS"), ("Adult",)):
        verdicts = []
        for model in run.few(MODELS, MODELS[1:2]):
            job = write(table, model, 0.98, results)
            verdicts.append(compare(job, their_outcome(job, str(python))))
        ours[table] = [verdict.ours for verdict in verdicts]
        theirs[table] = [verdict.theirs for verdict in verdicts]
        enough += [verdict.needed for verdict in verdicts]
    ours["faster"] = min(
        their / own
        for table in theirs
        for own, their in zip(ours[table], theirs[table], strict=True)
    )
    ours["enough"] = 100 * float(np.mean(enough))
    return Measured(ours, theirs)


NO_PEER = "None run here: the toolkit takes minutes for 1,000 rows (see goldsteen-model-toolkit)."
ENTRIES = (
    Entry(
        "goldsteen-model-table-2",
        "goldsteen-model",
        "table 2",
        "GSS, network: information loss and disclosure risk at no loss and at 2 %",
        measure_gss,
        (
            Row("loss at no loss", "information loss at 100 %, eq. 2", 0.1747),
            Row("kept at no loss", "relative accuracy, held out", 1.0, ".4f"),
            Row("loss at 2 %", "information loss at 98 %, eq. 2", 0.1897),
            Row("kept at 2 %", "relative accuracy, held out", 0.98),
            Row("risk, eq. 4, raw", "disclosure risk, raw, eq. 4 as printed"),
            Row("risk, counted, raw", "disclosure risk, raw, as the paper counts", 0.788),
            Row("risk, eq. 4, at 2 %", "disclosure risk at 98 %, eq. 4"),
            Row("risk, counted, at 2 %", "disclosure risk at 98 %, as the paper counts", 0.047),
        ),
        (
            Claim(
                "at no loss at least the paper's information loss by eq. 2 (.1747)",
                at_least("loss at no loss", 0.1747),
                because="the paper's is an average over groups and seven attributes, by eq. 2 its "
                "ranges lose .2065; ours are chosen with a margin for people held out",
            ),
            Claim("at 2 % at least the paper's information loss", at_least("loss at 2 %", 0.1897)),
            Claim(
                "no answer changes at a target of 100 % (.999 on people held out)",
                at_least("kept at no loss", 0.999),
                because="what changes no answer on the people it was chosen on changes up to two "
                "in a thousand on others",
            ),
            Claim("98 % are kept on people held out", at_least("kept at 2 %", 0.975)),
            Claim(
                "the raw disclosure risk as the paper counts, within .02",
                lambda figures: near("x", 0.788, 0.02)(
                    {"x": float(np.mean(figures["risk, counted, raw"]))}
                ),
                whole=True,
            ),
            Claim(
                "the disclosure risk at 2 % falls to .047",
                at_most("risk, counted, at 2 %", 0.047, 0.02),
                "does not hold as stated",
                "222 distinct records of 2,446 cannot come from the ranges of the paper's own "
                "table 2, which leave age in 54 ranges",
            ),
            Claim("marital status is not needed", at_most("marital status", 0)),
        ),
        ("gss_happiness.csv.gz",),
        ("pandas",),
        peer=NO_PEER,
        settings="Three seeds, disclosure of 2,446 records as in the paper; quick: one seed, 4,000 "
        "people.",
        version=2,
    ),
    Entry(
        "goldsteen-model-figures-2-3",
        "goldsteen-model",
        "figures 2 and 3",
        "both ends of the curve of accuracy against information loss",
        measure_ends,
        tuple(
            Row(
                name,
                f"{name}: accuracy with everything, with nothing, commonest answer",
                "100 % … null accuracy",
                ".4f",
            )
            for name in ("Adult", "Nursery")
        ),
        (Claim("from 1 to the share of the commonest answer, within .022", _both_ends),),
        (*ADULT, "nursery.csv.gz"),
        ("pandas",),
        peer=NO_PEER,
        settings="10,000 rows, boosting, one seed; quick: the same.",
    ),
    Entry(
        "goldsteen-model-ilag",
        "goldsteen-model",
        "section 3.1, eq. 3",
        "Adult, boosting, 98 %: the order of eq. 3 as printed, corrected, and our search",
        measure_ilag,
        (
            Row("ours", "information loss, our search"),
            Row("corrected", "the paper's search, zero gain counted as infinite"),
            Row("printed", "the paper's search, eq. 3 as printed"),
        ),
        (
            Claim(
                "our search loses at least .30",
                at_least("ours", 0.30),
                because="one seed of three reaches .24; .425 to .466 on the same seeds was of "
                "everyone together, until the target had to hold of an answer that less than a "
                "fifth of people get as well: with `kept_in='all'` the search reaches .408, .422 "
                "and .364, and the rest of the difference came with the promise that is tested on "
                "people held out (.431, .410 and .342 at a confidence of .5, so that it is the way "
                "of testing more than how sure it must be)",
                whole=True,
            ),
            Claim(
                "on average ours is above the corrected order, and that above the printed one",
                _means_in_order,
                whole=True,
            ),
        ),
        ADULT,
        ("pandas",),
        peer=NO_PEER,
        settings="10,000 rows, three seeds; quick: 3,000 rows, one seed.",
    ),
    Entry(
        "goldsteen-model-toolkit",
        "goldsteen-model",
        "section 4",
        "the same model, rows and target in ai-privacy-toolkit: forest, boosting, network",
        measure_toolkit,
        (
            *(
                Row(table, f"{table}, CPU-seconds to fit: forest, boosting, network", "", ".2f")
                for table in ("Adult", "Nursery", "GSS")
            ),
            Row("faster", "times less CPU, the least", "", ".0f"),
            Row(
                "enough",
                "per cent of settings where ours loses as much at equal accuracy",
                "",
                ".0f",
            ),
        ),
        (
            Claim("at least twenty times less CPU", at_least("faster", 20)),
            Claim(
                "at least as much information lost at equal accuracy, in every setting",
                at_least("enough", 100),
                because="for Adult's network the toolkit gives nothing up (information loss .000) "
                "and keeps .988 of the answers of people held out; ours keeps .982 at a loss of "
                ".131, whatever is asked for: 1,000 rows tell too little of more",
            ),
        ),
        (*ADULT, "nursery.csv.gz", "gss_happiness.csv.gz"),
        ("pandas",),
        peer="ai-privacy-toolkit 0.2.1, the authors' own, in its own environment.",
        has_peer=True,
        settings="1,000 rows of Adult, 2,000 of the others; quick: Adult, boosting.",
    ),
    Entry(
        "goldsteen-model-all-rows",
        "goldsteen-model",
        "speed",
        "all 48,842 rows of Adult",
        measure_all_rows,
        tuple(
            Row(name, f"CPU-seconds, {name}", "", ".0f")
            for name in ("boosting", "forest", "network")
        ),
        (
            Claim(
                "at most 30 CPU-seconds each",
                lambda figures: all(value <= 30 for value in figures.values()),
            ),
        ),
        ADULT,
        ("pandas",),
        peer=NO_PEER,
        settings="One seed; quick: boosting alone.",
    ),
    Entry(
        "goldsteen-model-questions",
        "goldsteen-model",
        "section 3.2, third way",
        "questions that a questionnaire spares, bundled table, 98 %",
        measure_questions,
        tuple(
            Row(name, f"per cent fewer questions than the form, {name}", "", ".0f")
            for name in ("boosting", "forest", "network")
        ),
        (
            Claim("at least 30 per cent fewer for boosting", at_least("boosting", 30)),
            Claim(
                "at least 30 per cent fewer for a forest and a network",
                lambda figures: min(figures["forest"], figures["network"]) >= 30,
                because="their recodings need most of the form's answers before the model's answer "
                "is settled",
                whole=True,
            ),
        ),
        (),
        ("pandas",),
        peer="None: no other program asks adaptively.",
        settings="One seed; quick: boosting alone.",
    ),
)
