"""One of everything that can be drawn, of made-up people; and what every chart must show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import sparsam as sp
from sparsam.anonymise import Anonymiser, Greedy, KScores, KSweep, k_scores, k_sweep
from sparsam.assess import (
    Choice,
    Drift,
    Front,
    Groups,
    ModelAssessment,
    Monitoring,
    PurposesChoice,
    assess_groups,
    assess_model,
    drift,
    minimise_for_purposes,
    monitor,
)
from sparsam.attack import Attacks
from sparsam.explore import Exploration
from sparsam.individual import Retention, read_people, retain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

ROLES = sp.Roles("works", personal=["age", "education", "sex", "region"])
_OVERLAP = 1.5  # pixels that two texts may share: the frames of letters are larger than letters


@pytest.fixture(scope="session")
def people(make_people: Callable[..., Any]) -> Any:
    """Three thousand made-up people."""
    return make_people(3000)


@pytest.fixture(scope="session")
def front(people: Any) -> Front:
    """A front with points of two minimisers."""
    return sp.sweep(people, ROLES, minimisers=["uniform", "privacy tree"], repeats=1)


@pytest.fixture(scope="session")
def choice(front: Front) -> Choice:
    """What was chosen from it."""
    return front.choose(max_utility_loss=0.1)


@pytest.fixture(scope="session")
def generalization(choice: Choice) -> sp.Generalization:
    """What is collected from now on."""
    return choice.generalization


@pytest.fixture(scope="session")
def attacks(choice: Choice, front: Front) -> Attacks:
    """What adversaries achieve who know little and who know much."""
    names = ["A1", "A2", "A3", "A5", "A4", "A7", "A8", "control"]
    return sp.run_attacks(choice.generalization, front.data, names)


@pytest.fixture(scope="session")
def groups(choice: Choice, front: Front) -> Groups:
    """What groups lose where nothing but the education is collected."""
    assessment = next(p for p in front.points if not p.candidate.generalization.collected)
    return assess_groups(assessment.assessment, front.limits, front.data, ["sex", "age=25/65"])


@pytest.fixture(scope="session")
def exploration(people: Any, tmp_path_factory: pytest.TempPathFactory) -> Exploration:
    """Numbers in even cells and in cells of other widths, some missing, and categories."""
    rng = np.random.default_rng(0)
    table = people[["age", "sex", "region", "zip"]].copy()
    table["children"] = rng.integers(0, 4, len(table)).astype(float)
    table.loc[:300, "children"] = np.nan
    table["income"] = np.minimum(99_999, np.exp(rng.normal(10, 0.6, len(table))))
    domains = {
        "age": (15, 79, "integer"),
        "sex": ["female", "male"],
        "region": ["north", "south", "east"],
        "zip": ["01", "02", "10"],
        "children": (0, 3, "integer"),
        "income": (0, 100_000),
    }
    place = tmp_path_factory.mktemp("ledger") / "people.ledger"
    with sp.Ledger.create(place, epsilon=20) as ledger:
        return sp.explore_table(table, ledger, epsilon=10, domains=domains)


@pytest.fixture(scope="session")
def retention(people: Any) -> Retention:
    """A mask of 600 people, beside others along four shares."""
    return retain(
        read_people(people.iloc[:600], "works"),
        keep=0.2,
        shares=[0.1, 0.25, 0.5],
        algorithms=["feature selection", "individualised random"],
        n_runs=0,
        n_references=2,
    )


@pytest.fixture(scope="session")
def sweep_of_k(people: Any) -> KSweep:
    """What every k costs."""
    known = ["age", "sex", "region"]
    table = people.iloc[:800][known]
    return k_sweep(table, quasi_identifiers=known, anonymiser=Anonymiser(Greedy()))


@pytest.fixture(scope="session")
def scores_of_k(people: Any) -> KScores:
    """What a model learns at every k, by three methods."""
    known = ["age", "sex", "education"]
    table = people.iloc[:1000]
    anonymiser = Anonymiser(quasi_identifiers=known)
    return k_scores(table[known], table["works"], ks=(5, 20, 80), anonymiser=anonymiser)


@pytest.fixture(scope="session")
def periods(people: Any) -> Drift:
    """Errors in three years."""
    years = people.assign(year=[f"{2022 + row // 1000}" for row in range(len(people))])
    return drift(years, ROLES, "year", sp.PrivacyTree(ROLES, max_leaves=6))


@pytest.fixture(scope="session")
def monitoring(people: Any, generalization: sp.Generalization) -> Monitoring:
    """Later people who are older, of another region too."""
    later = people[(people["age"] > 40)].copy()
    return monitor(generalization, later, ROLES, baseline=people)


@pytest.fixture(scope="session")
def purposes() -> PurposesChoice:
    """What serves two purposes: one hangs on the age, the other on the town."""
    rng = np.random.default_rng(0)
    age, town = rng.integers(20, 80, 2000), rng.choice(list("abcd"), 2000)
    table = {
        "age": age,
        "town": town,
        "sex": rng.choice(["f", "m"], 2000),
        "works": (age < 60) ^ (rng.random(2000) < 0.1),
        "ill": np.isin(town, ["a", "b"]) ^ (rng.random(2000) < 0.15),
    }
    roles = sp.Roles(targets=["works", "ill"])
    settings: dict[str, Any] = {"minimisers": ("merging", "uniform"), "min_leaf": 20, "n_jobs": 1}
    return minimise_for_purposes(table, roles, max_utility_loss=0.08, **settings)


def pension(frame: Any) -> Any:
    """A model: who is old, or hardly learned anything and is not young."""
    age = frame["age"].to_numpy()
    return (age >= 67) | ((age >= 50) & (frame["education"].to_numpy() == "low"))


@pytest.fixture(scope="session")
def tree(people: Any) -> sp.ModelTree:
    """What that model needs."""
    return sp.ModelTree(pension, sp.Roles("works"), keep_accuracy=0.95).fit(people)


@pytest.fixture(scope="session")
def model(tree: sp.ModelTree, people: Any) -> ModelAssessment:
    """What it keeps."""
    return assess_model(tree, people, rows=tree.held_out_rows_)


@pytest.fixture(scope="session")
def asked(tree: sp.ModelTree, people: Any) -> Any:
    """Whom a questionnaire asks what."""
    return sp.Questionnaire(tree.recoding_).ask(people.iloc[tree.held_out_rows_])


@pytest.fixture(scope="session")
def everything(
    front: Front,
    choice: Choice,
    generalization: sp.Generalization,
    attacks: Attacks,
    groups: Groups,
    exploration: Exploration,
    retention: Retention,
    sweep_of_k: KSweep,
    scores_of_k: KScores,
    periods: Drift,
    monitoring: Monitoring,
    purposes: PurposesChoice,
    model: ModelAssessment,
    asked: Any,
) -> dict[str, Callable[..., Any]]:
    """Every chart of one axes, by a name."""
    return {
        "front": front.plot,
        "choice": choice.plot,
        "generalization": generalization.plot,
        "attacks": attacks.plot,
        "attacks by attribute": lambda *a, **k: attacks.plot(*a, by="attribute", **k),
        "risk": attacks["A1"].plot,
        "groups": groups.plot,
        "age": lambda *a, **k: exploration.plot(*a, attribute="age", **k),
        "children": lambda *a, **k: exploration.plot(*a, attribute="children", **k),
        "income": lambda *a, **k: exploration.plot(*a, attribute="income", **k),
        "region": lambda *a, **k: exploration.plot(*a, attribute="region", **k),
        "spearman": lambda *a, **k: exploration.plot(*a, matrix="spearman", **k),
        "cramers_v": lambda *a, **k: exploration.plot(*a, matrix="cramers_v", **k),
        "curve": retention.curve.plot,
        "weighed": lambda *a, **k: retention.plot(*a, measure="weighed", **k),
        "mask": retention.mask.plot,
        "k sweep": sweep_of_k.plot,
        "k scores": scores_of_k.plot,
        "drift": periods.plot,
        "monitoring": monitoring.plot,
        "target": lambda *a, **k: monitoring.plot(*a, about="target", **k),
        "purposes": purposes.plot,
        "model": model.plot,
        "asked": asked.plot,
    }


@pytest.fixture(scope="session")
def drawn(everything: dict[str, Callable[..., Any]]) -> dict[str, Axes]:
    """Every chart, each on a figure of its own."""
    from matplotlib import pyplot as plt

    charts = {}
    for name, draw in everything.items():
        charts[name] = draw()
        plt.close("all")  # they can be looked at all the same
    return charts


@pytest.fixture
def texts_apart() -> Callable[[Axes], None]:
    """A check that no two texts of a figure cover each other, and that none is cut off."""

    def check(axes: Axes) -> None:
        figure = axes.get_figure(root=True)
        assert figure is not None
        figure.draw_without_rendering()
        frames = [(text, text.get_window_extent()) for text in shown_texts(figure)]
        assert frames
        for text, frame in frames:
            inside = figure.bbox.padded(1.0)
            assert inside.contains(frame.x0, frame.y0), text
            assert inside.contains(frame.x1, frame.y1), text
        for (first, one), (second, other) in combinations(frames, 2):
            across = min(one.x1, other.x1) - max(one.x0, other.x0)
            up = min(one.y1, other.y1) - max(one.y0, other.y0)
            assert min(across, up) <= _OVERLAP, (first.get_text(), second.get_text())

    return check


def shown_texts(figure: Any) -> Iterator[Text]:
    """Every text that is drawn: numbers at axes only where the axes show them."""
    from matplotlib.text import Text

    for axes in figure.axes:
        if not axes.axison:
            continue
        texts = [child for child in axes.get_children() if isinstance(child, Text)]
        if (legend := axes.get_legend()) is not None:
            texts += legend.get_texts()
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            texts.append(axis.label)
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if low - 1e-9 <= tick.get_loc() <= high + 1e-9:
                    texts += (tick.label1, tick.label2)
        yield from (text for text in texts if text.get_visible() and text.get_text().strip())


@pytest.fixture
def blank() -> Iterator[Axes]:
    """Axes of somebody else."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(layout="constrained", figsize=(9, 7))
    yield axes
    plt.close(figure)


def lines_of(axes: Axes) -> dict[str, Any]:
    """The named lines of a chart."""
    return {str(line.get_label()): line for line in axes.lines}


@pytest.fixture
def named_lines() -> Callable[[Axes], dict[str, Any]]:
    """The named lines of a chart."""
    return lines_of


@pytest.fixture
def palette() -> set[str]:
    """The colours of the reports."""
    import re

    import sparsam

    css = (Path(sparsam.__file__).parent / "report/templates/page.css").read_text(encoding="utf-8")
    light = css.partition(":root {")[2].partition("}")[0]
    return set(re.findall(r"#[0-9a-f]{6}", light))
