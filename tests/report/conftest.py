"""A realistic report to test on, with names that try to break the page."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from sparsam.assess import Choice, Score, sweep
from sparsam.attack import Reconstruction
from sparsam.data import Roles
from sparsam.minimise import PrivacyTree
from sparsam.report._score_words import score_data
from sparsam.report.plot._plot import Picture

SCRIPT = "<script>alert(1)</script>"
LONG = "a category whose name goes on and on because the codebook says so " * 3
Names = list[tuple[str, str, int, list[str]]]

CENSUS: Names = [
    ("age", "numeric", 93, ["under 17", "17–61", "62 and over"]),
    ("education", "ordered", 24, ["no schooling – grade 11", "grade 12 – GED", "college"]),
    ("marital_status", "categorical", 5, ["married", "never married", "divorced, widowed"]),
    ("relationship", "categorical", 18, ["reference person, spouse", "child and 14 more"]),
    ("disability", "categorical", 2, ["no", "yes"]),
    ("parents_employment", "categorical", 9, ["not applicable", "both parents work and 7 more"]),
    ("citizenship", "categorical", 5, ["born in the US", "naturalised and 3 more"]),
    ("moved_last_year", "categorical", 3, ["no", "yes, within the US", "yes, from abroad"]),
    ("military_service", "categorical", 5, ["not applicable (under 17)", "never and 3 more"]),
    ("ancestry_reported", "categorical", 4, ["single", "multiple, unclassified, not reported"]),
    ("nativity", "categorical", 2, ["native", "foreign born"]),
    ("hearing_difficulty", "categorical", 2, ["no", "yes"]),
    ("vision_difficulty", "categorical", 2, ["no", "yes"]),
    ("cognitive_difficulty", "categorical", 3, ["no", "yes", "missing"]),
    ("sex", "categorical", 2, ["female", "male"]),
    ("race", "categorical", 9, ["White", "Black or African American and 7 more"]),
]  # fmt: skip

HOSTILE: Names = [
    (SCRIPT, "categorical", 3, ['"><img src=x onerror=alert(2)>', "a|b\nc", "{{ 7*7 }}"]),
    ("Ünïcödé – 年齢 – العمر", "ordered", 40, [LONG, "日本語のラベル", "emoji 🙂"]),
    ("x" * 90, "categorical", 529, [f"occupation group {i}" for i in range(1, 61)]),
]


def _risk_of(attribute: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    name, collected = attribute["name"], attribute["collected"]
    baseline = rng.uniform(0.02, 0.6)
    recovered = rng.uniform(0.4, 0.95) if collected else rng.uniform(-0.03, 0.4)
    error = baseline * (1 - recovered)
    return {
        "attribute": name,
        "measure": "error",
        "value": error,
        "baseline": baseline,
        "advantage": baseline - error,
        "recovered": recovered,
        "interval": [max(0.0, error - 0.012), error + 0.012],
        "model": rng.choice(["look-up", "gradient boosting"]),
        "absolute_error": 4.237 if name == "education" else None,
    }


def _attribute(row: tuple[str, str, int, list[str]], keep: int) -> dict[str, Any]:
    name, kind, before, buckets = row
    collected = keep > 1
    shown = buckets[:keep] if collected else ["not collected"]
    return {
        "name": name,
        "kind": kind,
        "personal": kind != "numeric",
        "before": before,
        "before_words": f"{before} values",
        "after": len(shown),
        "collected": collected,
        "buckets": shown,
        "words": f"{name}: {before} values → {', '.join(shown)}",
    }


def _point(
    number: int, names: Names, front: bool, total: int, rng: random.Random
) -> dict[str, Any]:
    share = number / max(total - 1, 1)
    error = 0.176 + 0.11 * share**2 + (0 if front else rng.uniform(0.004, 0.06))
    attack = 0.17 + 0.075 * share**0.6 - (0 if front else rng.uniform(0.002, 0.02))
    needed = max(0, round((1 - share) * 0.55 * len(names)))
    order = rng.sample(range(len(names)), len(names)) if not front else range(len(names))
    kept = set(list(order)[:needed])
    attributes = [_attribute(row, 99 if i in kept else 1) for i, row in enumerate(names)]
    leaves, privacy = rng.choice([2, 4, 10, 20, 50, 200]), rng.choice([0.0, 0.3, 0.7, 0.9])
    personal = [a for a in attributes if a["personal"]]
    return {
        "id": number + (0 if front else 100),
        "minimiser": "PrivacyTree",
        "parameters": {"max_leaves": leaves, "privacy": privacy},
        "label": f"privacy tree, {leaves} leaves, privacy {privacy}",
        "on_front": front,
        "utility": {
            "error": error,
            "interval": [error - 0.0095, error + 0.0095],
            "split": "test",
            "model": "gradient boosting",
            "validation_error": error - 0.002,
            "loss": error - 0.1731,
            "loss_interval": [error - 0.1731 - 0.006, error - 0.1731 + 0.006],
        },
        "risk": {
            "adversary": "A1 reconstruction",
            "measure": "error",
            "value": attack,
            "baseline": 0.249,
            "advantage": 0.249 - attack,
            "recovered": (0.249 - attack) / 0.249,
            "interval": [attack - 0.0035, attack + 0.0035],
            "split": "test",
            "validation_error": attack - 0.001,
            "n": 6000,
            "attributes": [_risk_of(a, rng) for a in personal] if front else [],
            "confident": [
                {"share": s, "error": attack * (0.15 + 3 * s)} for s in (0.01, 0.05, 0.1, 0.25)
            ]
            if front
            else [],
        },
        "classes": {
            "distinct": round(900 * (1 - share)) + 1,
            "smallest": 1,
            "alone": round(120 * (1 - share)) if share < 0.8 else 3,
            "under": {"5": round(400 * (1 - share)) + 4, "10": round(700 * (1 - share)) + 9},
        },
        "information_loss": 0.4 + 0.6 * share,
        "n_buckets": sum(a["after"] for a in attributes),
        "n_collected": needed,
        "attributes": attributes if front else [],
    }  # fmt: skip


def build(
    front: int = 14, other: int = 40, hostile: bool = True, chosen: int = 3
) -> dict[str, Any]:
    rng = random.Random(7)
    names = CENSUS[:13] + HOSTILE if hostile else CENSUS
    if hostile:
        names = names[-3:] + names[:-3]
    points = [_point(i, names, True, front, rng) for i in range(front)]
    points += [_point(i, names, False, other, rng) for i in range(other)]
    return {
        "title": "Data minimisation report: employed",
        "task": {
            "target": "employed",
            "classes": ["no", "yes"],
            "rows": 20000,
            "attributes": len(names),
            "personal": [name for name, kind, *_ in names if kind != "numeric"],
            "split": {"train": 12000, "validation": 2000, "test": 6000},
        },
        "limits": {
            "everything": {"error": 0.1731, "interval": [0.1637, 0.1828], "model": "boosting"},
            "nothing": {"error": 0.4905, "interval": [0.478, 0.503], "model": "majority"},
            "adds": {"tells": True, "interval": [0.3, 0.335]},
            "naive": {"error": 0.249},
        },
        "score": score_data(Score("accuracy", "no class is much more common than the others")),
        "requirement": {"words": "accuracy within 1.0 points of everything collected", "met": True},
        "chosen": min(chosen, front - 1),
        "points": points,
        "meaning": [
            {
                "heading": "A low risk here is not anonymity",
                "text": "The attacker was measured on this sample, with the models named above. "
                "Someone who knows more about a person, or holds a second table, may learn more.",
            },
            {
                "heading": "The majority guess is not harmless",
                "text": "What almost everyone shares can be guessed without any record. The "
                "figures show only what the collected records add.",
            },
            {
                "heading": "Accuracy is an average",
                "text": "A group of people may fare worse. Check the groups you care about.",
            },
        ],
        "reproduce": {
            "versions": {"sparsam": "0.1.0", "python": "3.11.7", "numpy": "2.2.0"},
            "seed": 0,
            "input": {"name": "people.csv", "hash": "left out", "rows": 20000},
            "command": "sparsam minimise people.csv --target employed -o p.json --report r.html",
            "settings": {"leaves": [2, 4, 6, 8, 10, 20, 50, 100, 200], "split": "60 / 10 / 30"},
        },
    }  # fmt: skip


@pytest.fixture(scope="session")
def make_data() -> Callable[..., dict[str, Any]]:
    """Build report data; every call gives a fresh copy."""
    return lambda **options: copy.deepcopy(build(**options))


class ReadHtml(HTMLParser):
    """The elements, ids and texts of a page; checks that elements close in order."""

    VOID = frozenset(("meta", "link", "br", "wbr", "input", "img"))

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.texts.append(data)

    @property
    def ids(self) -> list[str | None]:
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]


@pytest.fixture(scope="session")
def read_html() -> type[ReadHtml]:
    """The one reader of pages for all tests."""
    return ReadHtml


@pytest.fixture(scope="session")
def read_picture() -> Callable[[Picture], list[Element]]:
    """Parse the drawings of a picture; fail where one is not described or leaves its paper."""
    return _read_picture


def _read_picture(picture: Picture) -> list[Element]:
    drawings = [ElementTree.fromstring(drawing) for drawing in picture.drawings]
    for drawing in drawings:
        assert drawing.get("role") == "img"
        assert drawing.findtext("title") == picture.title != ""
        assert drawing.findtext("desc", "") == picture.words
        if picture.words:
            labels = {drawing.find(name).get("id") for name in ("title", "desc")}  # type: ignore[union-attr]
            assert set(drawing.get("aria-labelledby", "").split()) == labels
            _check_inside(drawing)
    return drawings


def _check_inside(drawing: Element) -> None:
    left, top, width, height = map(float, drawing.attrib["viewBox"].split())
    for element in drawing.iter():
        xs = [float(element.get(key, left)) for key in ("x", "cx", "x1", "x2")]
        ys = [float(element.get(key, top)) for key in ("y", "cy", "y1", "y2")]
        if (place := element.get("transform", "")).startswith("translate"):
            x, y = map(float, place[10:-1].split())
            xs, ys = [*xs, x], [*ys, y]
        xs.append(xs[0] + float(element.get("width", 0)))
        ys.append(ys[0] + float(element.get("height", 0)))
        assert all(left - 0.5 <= x <= left + width + 0.5 for x in xs), element.attrib
        assert all(top - 0.5 <= y <= top + height + 0.5 for y in ys), element.attrib


@pytest.fixture(scope="session")
def choice(make_people: Callable[[int], Any]) -> Choice:
    """A real choice on a real front, of a few people and with a quick adversary."""
    people = make_people(700)
    people.loc[::9, "education"] = None
    trees = [PrivacyTree(max_leaves=leaves, min_leaf=20) for leaves in (2, 6)]
    adversary = Reconstruction(models=("look-up",))
    front = sweep(
        people, Roles("works"), minimisers=["uniform", *trees], adversary=adversary, n_jobs=1
    )
    return front.choose(max_utility_loss=0.2)
