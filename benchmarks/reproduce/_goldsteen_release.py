"""Goldsteen et al. 2021, Anonymizing Machine Learning Models: models retrained on a release."""

from __future__ import annotations

from typing import Any

import numpy as np

from reproduce._entry import Claim, Entry, Figures, Measured, Row, Run, at_most
from reproduce._peers import ANONYPY, TOOLKIT, peer_python

ADULT = ("adult.csv.gz",)
LOAN = ("lending_club_2018.csv.gz",)
THREE = (0, 1, 2)
ONE_PAPER = "None: the toolkit retrains no models; its speed stands in goldsteen-release-peers."


def _settings_counted(facts: Any) -> dict[str, float]:
    """How many settings the default is ahead in, level within two standard errors, and behind."""
    pairs = [(ahead, error) for _, by in facts.values() for _, ahead, error in by.values()]
    behind = [100 * ahead for ahead, _ in pairs if ahead < 0]
    return {
        "settings": len(pairs),
        "ahead": sum(ahead > 0 for ahead, _ in pairs),
        "surely behind": sum(ahead < -2 * error for ahead, error in pairs),
        "worst": min(behind, default=0.0),
    }


def measure_figures_2_5(run: Run) -> Measured:
    from retrained_accuracy import KS, SETS, compared

    models = run.few(["boosting", "tree", "forest"], ["boosting", "tree"])
    asked = [(n, k) for n in run.few(tuple(SETS), (10,)) for k in run.few(KS, (100, 1000))]
    facts = compared(models, run.few(5, 2), asked, rows=run.few(None, 4_000))
    return Measured(_settings_counted(facts))


def measure_network(run: Run) -> Measured:
    from retrained_accuracy import compared

    asked = [(n, k) for n in run.few((12, 10, 8), (10,)) for k in run.few((10, 100, 1000), (100,))]
    facts = compared(["network"], run.few(5, 2), asked, rows=run.few(None, 5_000))
    return Measured(_settings_counted(facts))


def measure_detail(run: Run) -> Measured:
    from anonymise import EIGHT, TEN, adult, one_split

    settings = [(TEN, 10), (TEN, 100), (EIGHT, 10)]
    methods = ("Hybrid", "Greedy", "Guided", "Mondrian", "Hilbert")
    frame = adult().iloc[: run.few(None, 8_000)]
    rows = [
        row
        for seed in range(run.few(5, 1))
        for row in one_split(frame, seed, "median", methods, settings[: run.few(3, 2)])
    ]
    ours: dict[str, list[float]] = {}
    for method in methods:
        of_method = [row for row in rows if row[0] == method]
        for key, place, scale in (("loss", 3, 1.0), ("points", 4, 100.0)):
            ours[f"{method} {key}"] = [
                scale * float(np.mean([row[place] for row in of_method if row[1:3] == (len(n), k)]))
                for n, k in settings[: run.few(3, 2)]
            ]
    return Measured(ours)


def _accuracies(found: Any) -> tuple[list[float], list[float]]:
    """Mean accuracy on others and of the attack model, before and after."""

    def mean(figure: Any) -> list[float]:
        return [
            float(np.mean([figure(one.before) for one in found])),
            float(np.mean([figure(one.after) for one in found])),
        ]

    return (
        mean(lambda facts: facts.test_accuracy),
        mean(lambda facts: facts.risk("attack model").details["accuracy"]),
    )


def _first_rows(table: tuple[Any, Any], run: Run, most: int) -> tuple[Any, Any]:
    people, labels = table
    return (people.iloc[:most], labels[:most]) if run.quick else table


def measure_table_2_forest(run: Run) -> Measured:
    from anonymise_model import PEOPLE, adult, attacked, forest

    table = _first_rows(adult(), run, 8_000)
    ours: dict[str, Any] = {"attack": [], "test": [], "RMIA": []}
    for k in (50, 100):
        found = attacked(
            forest(),
            table,
            k,
            PEOPLE,
            n_references=run.few(8, 2),
            seeds=run.few(THREE, (0,)),
        )
        test, attack = _accuracies(found)
        areas = [
            float(np.mean([getattr(one, side).risk("RMIA").value for one in found]))
            for side in ("before", "after")
        ]
        for key, pair in (("attack", attack), ("test", test), ("RMIA", areas)):
            ours[key] += pair if k == 50 else pair[1:]
    return Measured(ours)


def measure_table_2_network(run: Run) -> Measured:
    from anonymise_model import PEOPLE, adult, attacked, network

    table = _first_rows(adult(), run, 5_000)
    found = attacked(network(run.few(40, 10)), table, 25, PEOPLE, seeds=run.few(THREE, (0,)))
    test, attack = _accuracies(found)
    return Measured({"attack": attack, "test": test})


def measure_table_2_loan(run: Run) -> Measured:
    from anonymise_model import LOAN_QUASI_IDENTIFIERS, attacked, forest, loans, network

    table = _first_rows(loans(), run, 5_000)
    seeds = run.few(THREE, (0,))
    ours: dict[str, Any] = {}
    for names, words in ((LOAN_QUASI_IDENTIFIERS, "8"), (None, "all")):
        found = attacked(forest(), table, 100, names, seeds=seeds)
        ours[f"forest, {words}, test"], ours[f"forest, {words}, attack"] = _accuracies(found)
    found = attacked(
        network(run.few(30, 8)), table, 200, LOAN_QUASI_IDENTIFIERS, seeds=seeds[: run.few(2, 1)]
    )
    ours["network, 8, test"], ours["network, 8, attack"] = _accuracies(found)
    return Measured(ours)


def measure_table_3(run: Run) -> Measured:
    from anonymise_model import inferred

    ours: dict[str, Any] = {}
    kinds = ((True, "two values"), (False, "three values"))
    for binary, words in kinds[: run.few(2, 1)]:
        found = inferred(binary, 100, seeds=run.few(THREE, (0,)))
        for place, name in enumerate(("Fredrikson", "learned")):
            ours[f"{name}, {words}"] = [
                float(np.mean([getattr(one, side).attribute[place].value for one in found]))
                for side in ("before", "after")
            ]
    return Measured(ours)


def measure_attacks(run: Run) -> Measured:
    from anonymise_model import ATTACKED, attack_areas

    ours = {}
    for name in ATTACKED:
        areas = attack_areas(name, run.few(THREE, (0,)))
        strong = next(how for how in areas if how.startswith("RMIA") and "other" in how)
        ours[name] = [float(np.mean(areas["attack model"])), float(np.mean(areas[strong]))]
    return Measured(ours)


def measure_million(run: Run) -> Measured:
    from anonymise_peers.speed import METHODS, measured

    n_rows = run.few(1_000_000, 50_000)
    ours = {}
    for method in METHODS:
        facts = measured(method, n_rows)
        ours[method] = [n_rows / facts["seconds"] / 1e6, facts["memory"]]
    return Measured(ours)


def measure_peers(run: Run) -> Measured:
    folder = run.beside("anonypy and ai-privacy-toolkit")
    pythons = {
        "anonypy": str(peer_python(folder, "anonypy", ANONYPY)),
        "toolkit": str(peer_python(folder, "toolkit", TOOLKIT)),
    }
    from anonymise_peers.speed import peers

    taken = peers(run.few(22_793, 4_000), pythons)
    return Measured(
        {"Mondrian": list(taken["Mondrian"]), "Guided": list(taken["Guided"])},
        {"Mondrian": taken["anonypy"][0], "Guided": taken["toolkit"][0]},
    )


def _falls_to_half(figures: Figures) -> bool:
    return figures["attack"][-1] <= 0.52 and figures["attack"][0] > figures["attack"][-1]


_COUNTED = (
    Row("settings", "settings (quasi-identifiers, k, model)", "", "d"),
    Row("ahead", "of these the default is ahead of Mondrian, Hilbert and R⁺", "most", "d"),
    Row("surely behind", "of these behind by more than two standard errors", "", "d"),
    Row("worst", "the furthest behind, points", "", ".2f"),
)
_MOST = (
    Claim(
        "ahead in most settings",
        lambda figures: figures["ahead"] > figures["settings"] / 2,
        whole=True,
    ),
    Claim("nowhere surely behind", at_most("surely behind", 0), whole=True),
)

ENTRIES = (
    Entry(
        "goldsteen-release-figures-2-5",
        "goldsteen-release",
        "figures 2-5",
        "accuracy of boosting, tree and forest retrained on anonymised people, Adult",
        measure_figures_2_5,
        _COUNTED,
        _MOST,
        ADULT,
        ("pandas",),
        peer=ONE_PAPER,
        settings="Five splits, 12/10/8 quasi-identifiers, k from 10 to 1000; quick: two splits of "
        "4,000 people, boosting and tree, two settings.",
    ),
    Entry(
        "goldsteen-release-network",
        "goldsteen-release",
        "figures 2 and 3, network",
        "accuracy of a network retrained on anonymised people, five splits",
        measure_network,
        _COUNTED,
        _MOST,
        ADULT,
        ("pandas",),
        peer=ONE_PAPER,
        settings="Five splits, 12/10/8 quasi-identifiers, k = 10/100/1000; quick: two splits of "
        "5,000 people, one setting.",
    ),
    Entry(
        "goldsteen-release-detail",
        "goldsteen-release",
        "figures 4 and 5, detail",
        "points of accuracy that boosting loses, and tight GCP: 10 quasi-identifiers at k = 10 and "
        "100, 8 at k = 10",
        measure_detail,
        tuple(
            Row(f"{method} {key}", f"{words}, {method}", "", form)
            for key, words, form in (
                ("points", "points lost", ".2f"),
                ("loss", "tight GCP", ".3f"),
            )
            for method in ("Hybrid", "Greedy", "Guided", "Mondrian", "Hilbert")
        ),
        (
            Claim(
                "the default loses fewer points than Mondrian, at both k",
                lambda f: all(
                    a < b
                    for a, b in zip(f["Hybrid points"][:2], f["Mondrian points"][:2], strict=True)
                ),
                whole=True,
            ),
            Claim(
                "greedy hides no more detail than Mondrian, in each setting",
                lambda f: all(
                    a <= b for a, b in zip(f["Greedy loss"], f["Mondrian loss"], strict=True)
                ),
            ),
        ),
        ADULT,
        ("pandas",),
        peer=ONE_PAPER,
        settings="Five splits, medians published; quick: one split of 8,000 people, two settings.",
    ),
    Entry(
        "goldsteen-release-table-2-forest",
        "goldsteen-release",
        "table 2, Adult, forest",
        "membership inference, raw, k = 50, k = 100",
        measure_table_2_forest,
        (
            Row("attack", "accuracy of the attack model", [0.58, 0.51, 0.50], ".2f"),
            Row("test", "test accuracy", [0.83, 0.83, 0.81]),
            Row("RMIA", "RMIA with 8 references, AUC", "", ".2f"),
        ),
        (
            Claim("the attack falls to at most .52", _falls_to_half),
            Claim(
                "at most two points of test accuracy are lost",
                lambda f: f["test"][0] - min(f["test"][1:]) <= 0.02,
                whole=True,
            ),
            Claim(
                "RMIA falls to at most .53 too", lambda f: max(f["RMIA"][1:]) <= 0.53, whole=True
            ),
        ),
        ADULT,
        ("pandas",),
        peer=ONE_PAPER,
        settings="Three splits, 12 quasi-identifiers, 40 % for training; quick: one split of 8,000 "
        "people, 2 references.",
    ),
    Entry(
        "goldsteen-release-table-2-network",
        "goldsteen-release",
        "table 2, Adult, network",
        "membership inference, raw and k = 25",
        measure_table_2_network,
        (
            Row("attack", "accuracy of the attack model", [0.53, 0.50]),
            Row("test", "test accuracy", [0.89, 0.82]),
        ),
        (
            Claim("the attack falls to at most .52", _falls_to_half),
            Claim(
                "no more test accuracy is lost than in the paper (.07)",
                lambda f: f["test"][0] - f["test"][1] <= 0.07,
            ),
        ),
        ADULT,
        ("pandas",),
        peer=ONE_PAPER,
        settings="Three splits, layers of 256, 128 and 64 (the paper's are four times as wide), 40 "
        "epochs; quick: one split of 5,000 people, 10 epochs.",
    ),
    Entry(
        "goldsteen-release-table-2-loan",
        "goldsteen-release",
        "table 2, Loan",
        "membership inference on loans of 2018: forest, k = 100; network, k = 200",
        measure_table_2_loan,
        (
            Row("forest, 8, attack", "forest, 8 quasi-identifiers: attack model", [0.67, 0.51]),
            Row("forest, 8, test", "forest, 8 quasi-identifiers: test accuracy", [0.92, 0.92]),
            Row("forest, all, attack", "forest, every column: attack model"),
            Row("forest, all, test", "forest, every column: test accuracy"),
            Row("network, 8, attack", "network, 8 quasi-identifiers: attack model", [0.54, 0.50]),
            Row("network, 8, test", "network, 8 quasi-identifiers: test accuracy", [0.95, 0.92]),
        ),
        (
            Claim(
                "with every column a quasi-identifier the attack falls to at most .52",
                lambda f: f["forest, all, attack"][1] <= 0.52,
            ),
            Claim(
                "with the paper's quasi-identifiers alone it does as well",
                lambda f: f["forest, 8, attack"][1] <= 0.52,
                because="this table has eight of the paper's 18, what is none stays raw, and the "
                "forest remembers people by it",
            ),
            Claim(
                "a network with these quasi-identifiers gives away at most .52",
                lambda f: f["network, 8, attack"][1] <= 0.52,
                because="the other columns stay raw, and the network remembers people by them",
            ),
            Claim(
                "the forest loses at most two points with every column",
                lambda f: f["forest, all, test"][0] - f["forest, all, test"][1] <= 0.02,
                whole=True,
            ),
        ),
        LOAN,
        ("pandas",),
        peer=ONE_PAPER,
        settings="31,766 loans of 2018 for the paper's 421,095 of 2015, which are not to be had; 8 "
        "of its 18 quasi-identifiers are in them. Three splits (network two); quick: one of 5,000.",
    ),
    Entry(
        "goldsteen-release-table-3",
        "goldsteen-release",
        "table 3",
        "attribute inference of Nursery's social, raw and k = 100",
        measure_table_3,
        (
            Row("Fredrikson, two values", "Fredrikson, problematic or not", [0.61, 0.56]),
            Row("Fredrikson, three values", "Fredrikson, three values"),
            Row("learned, two values", "a learned attack, problematic or not"),
            Row("learned, three values", "a learned attack, three values"),
        ),
        (
            Claim(
                "the attack of Fredrikson falls by at least .04, as in the paper (.05)",
                lambda f: f["Fredrikson, two values"][0] - f["Fredrikson, two values"][1] >= 0.04,
                whole=True,
            ),
            Claim(
                "a learned attack falls too",
                lambda f: f["learned, two values"][1] < f["learned, two values"][0],
                "does not hold as stated",
                "a model that errs more says more about its input: the attack gains on people whom "
                "the model never saw as well",
            ),
        ),
        ("nursery.csv.gz",),
        ("pandas",),
        peer=ONE_PAPER,
        settings="Three splits; quick: one, two values only.",
    ),
    Entry(
        "goldsteen-release-attacks",
        "goldsteen-release",
        "section 4.2, beyond",
        "RMIA beside the paper's attack model, forests, AUC",
        measure_attacks,
        tuple(
            Row(name, f"{name}: attack model, RMIA with other people's references")
            for name in ("bank", "digits")
        ),
        (
            Claim(
                "RMIA is ahead by at least .05",
                lambda figures: all(rmia - model >= 0.05 for model, rmia in figures.values()),
            ),
        ),
        ("bank_balanced_11162.csv.gz",),
        ("pandas",),
        peer="The paper's attack model as described is the yardstick.",
        settings="Three seeds; quick: one.",
    ),
    Entry(
        "goldsteen-release-million",
        "goldsteen-release",
        "speed",
        "a million rows of ten quasi-identifiers, one core, from codes",
        measure_million,
        tuple(
            Row(method, f"{method}: million rows a CPU-second, memory by the codes", "", ".2f")
            for method in ("Mondrian", "Greedy", "Guided", "Hybrid", "Hilbert", "BulkLoad")
        ),
        (
            Claim(
                "each method at least 300,000 rows a second",
                lambda figures: all(speed >= 0.3 for speed, _ in figures.values()),
                whole=True,
            ),
        ),
        (),
        ("pandas",),
        peer="None at this size: see goldsteen-release-peers.",
        settings="Generated rows; quick: 50,000.",
    ),
    Entry(
        "goldsteen-release-peers",
        "goldsteen-release",
        "speed beside peers",
        "Adult, ten quasi-identifiers, k = 10, CPU-seconds",
        measure_peers,
        (
            Row("Mondrian", "Mondrian from codes, and with reading and proof; anonypy", "", ".3f"),
            Row("Guided", "guided, likewise; ai-privacy-toolkit", "", ".3f"),
        ),
        (
            Claim(
                "at most half a CPU-second from a frame to a proven release",
                lambda figures: max(figures["Mondrian"][1], figures["Guided"][1]) <= 0.5,
            ),
        ),
        ADULT,
        ("pandas",),
        peer="anonypy 0.2.1 and ai-privacy-toolkit 0.2.1, each in its own environment. ARX is a "
        "Java program that no package index here has.",
        has_peer=True,
        settings="22,793 rows; quick: 4,000.",
    ),
)
