"""Recodings to ask about: one by hand, and random ones."""

from __future__ import annotations

import random
from typing import Any

from sparsam.collect import Questionnaire
from sparsam.data import CategoricalDomain, NumericDomain, load_example
from sparsam.generalization import (
    Generalization,
    NumericPartition,
    categorical_partition,
    numeric_partition,
)
from sparsam.generalization.recoding._recoding import Recoding
from sparsam.generalization.recoding._tree import Branch, Leaf, Node

AGES = NumericDomain(0, 99, integer=True)


def example() -> Recoding:
    """Under 17: no. Otherwise women are asked their town, men their hours (open leaf)."""
    g = Generalization(
        [
            numeric_partition("age", AGES, [17, 30, 62]),
            categorical_partition("sex", CategoricalDomain(("f", "m")), [["f"], ["m"]]),
            categorical_partition(
                "town", CategoricalDomain(("Bern", "Chur", "Genf")), [["Bern"], ["Chur"], ["Genf"]]
            ),
            numeric_partition("hours", AGES, [20, 35]),
            numeric_partition("height", NumericDomain(0.5, 2.5), []),
            categorical_partition("idle", CategoricalDomain(("x", "y")), [["x"], ["y"]]),
        ]
    )
    means: dict[str, list[Any]] = {
        "age": [9, 20, 40, 70],
        "sex": ["f", "m"],
        "town": ["Bern", "Chur", "Genf"],
        "hours": [10, 30, 40],
        "height": [1.7],
        "idle": ["x", "y"],
    }

    def fixed(*out: str) -> dict[str, Any]:
        return {name: values[0] for name, values in means.items() if name not in out}

    nodes: list[Node] = [
        Branch("age", (0,), 1, 2),
        Leaf((), fixed(), "no"),
        Branch("sex", (0,), 3, 4),
        Branch("town", (1,), 5, 6),
        Leaf(("hours",), fixed("hours") | {"sex": "m"}),
        Leaf((), fixed(), "yes"),
        Leaf((), fixed() | {"age": 20}, "no"),
    ]
    return Recoding(g, means, nodes)


def random_recoding(seed: int) -> Recoding:
    """Grow a random tree over random partitions; few values, so that outcomes often agree."""
    rng = random.Random(seed)
    parts: list[Any] = []
    means: dict[str, list[Any]] = {}
    for i in range(rng.randint(1, 4)):
        name, n = f"a{i}", rng.choice([1, 2, 2, 3, 4])
        if rng.random() < 0.5:
            cuts = [10.0 * (j + 1) for j in range(n - 1)]
            parts.append(numeric_partition(name, NumericDomain(0, 50, integer=True), cuts))
            means[name] = [10 * j + 5 for j in range(n)]
        else:
            groups = [[f"c{j}", f"d{j}"] for j in range(n)]
            domain = CategoricalDomain(tuple(c for group in groups for c in group))
            parts.append(categorical_partition(name, domain, groups, unseen=n))
            # the bucket of unseen categories may share the value of another one
            means[name] = [group[0] for group in groups] + ["c0"] * (n > 1)
            means[name] = (means[name] + ["c0"])[: parts[-1].n_buckets]
    g = Generalization(parts)
    return Recoding(g, means, random_nodes(rng, g, means))


def random_nodes(
    rng: random.Random,
    g: Generalization,
    means: dict[str, list[Any]],
    most: int = 14,
    *,
    thresholds: bool = False,
) -> list[Node]:
    nodes: list[Node | None] = [None]
    waiting = [(0, {part.name: set(range(part.n_buckets)) for part in g})]
    closed = rng.random()
    while waiting:
        place, still = waiting.pop(rng.randrange(len(waiting)))
        open_to = [name for name, buckets in still.items() if len(buckets) > 1]
        if not open_to or len(nodes) > most or rng.random() < 0.1:
            asks: tuple[str, ...] = ()
            if rng.random() > closed:
                asks = tuple(name for name in g.collected if rng.random() < 0.4)
            values = {n: means[n][:2] if g[n].collected else [means[n][0], 7] for n in g.names}
            fixed = {n: rng.choice(values[n]) for n in g.names if n not in asks}
            label = None if asks or rng.random() > closed else rng.choice(["no", "yes"])
            nodes[place] = Leaf(asks, fixed, label)
            continue
        name = rng.choice(open_to)
        left = set(rng.sample(sorted(still[name]), rng.randint(1, len(still[name]) - 1)))
        if thresholds and isinstance(g[name], NumericPartition):
            left = set(sorted(still[name])[: len(left)])
        nodes[place] = Branch(name, tuple(left), len(nodes), len(nodes) + 1)
        for side in (left, still[name] - left):
            waiting.append((len(nodes), {**still, name: side}))
            nodes.append(None)
    return [node for node in nodes if node is not None]


def census(n_questions: int, n_nodes: int, seed: int = 0) -> Recoding:
    """Ask for attributes of the bundled table, each category and many ages apart, in a wide tree.

    About as large as what `ModelTree` finds for a forest on that table: 9 questions with 57 buckets
    of which 98 % of its answers depend, 14 with 106 for 99.5 %.
    """
    rng = random.Random(seed)
    people = load_example()
    ages = [7, 12, *range(17, 24), 26, 30, 33, *range(39, 60, 2), *range(62, 73, 2)]
    parts: list[Any] = []
    means: dict[str, list[Any]] = {}
    for name in [name for name in people.names if name != "employed"][:n_questions]:
        domain = people.attribute(name).domain
        if isinstance(domain, NumericDomain):
            parts.append(numeric_partition(name, domain, ages))
            means[name] = [0, *ages]
            continue
        groups = [[category] for category in domain.categories]
        if len(groups) > 20:  # some together
            groups = [list(domain.categories[:4]), *groups[4:]]
        parts.append(categorical_partition(name, domain, groups, unseen=0))
        means[name] = [group[0] for group in groups]
    g = Generalization(parts)
    while True:
        nodes = random_nodes(rng, g, means, n_nodes, thresholds=True)
        if len(Questionnaire(Recoding(g, means, nodes)).names) == n_questions:
            return Recoding(g, means, nodes)
