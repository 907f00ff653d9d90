"""Read 100,000 damaged documents, and use what is accepted: no crash, and nothing slow.

    python benchmarks/document_fuzz.py [documents] [seed]

Every artifact that sparsam reads from a file is written once, then damaged: values deleted,
repeated, swapped, renamed, made huge or senseless, files cut and flipped. A document must be
refused with an error of sparsam's own, of readable length, or be accepted; then it is printed,
applied, compared, combined, saved and read again. A tenth of this runs as a test.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from document_mutations import change_json, change_lines, change_npz
from sparsam._errors import SparsamError
from sparsam.anonymise.proof._certificate import Certificate, ClosenessTerms, KAnonymityTerms
from sparsam.anonymise.proof._verify import certify, verify
from sparsam.collect import GeneralizationStep, Questionnaire
from sparsam.data import CategoricalDomain, NumericDomain, Roles, read
from sparsam.explore._declared import declared
from sparsam.generalization import (
    Generalization,
    Hierarchy,
    categorical_partition,
    numeric_partition,
)
from sparsam.generalization.recoding import Branch, Leaf, Recoding
from sparsam.individual import Mask
from sparsam.report._collected import members

SLOWEST = 2.0
RELEASE = {"age": [30, 30, 40, 40], "ill": ["a", "b", "a", "b"]}
TOML_VALUES = [
    *(b"nan", b"inf", b"-inf", b"1e400", b"9" * 5_000, b"9" * 30, b"0x" + b"f" * 40, b"[]", b"{}"),
    *(
        b"''",
        b'"\\u0000"',
        b'"\\ud800"',
        b"'\x1b[2J'",
        b"true",
        b"1979-05-27",
        b"[" * 3_000,
        b"a.b",
    ),
    *(b"kind", b"'ordered'", b"'numeric'", b"['x', 'x']", b"[1, 1.0, true]", b"'a b'", b"-0.0"),
]
CSV_VALUES = [
    *(b"", b"*", b"NULL", b'"', b'"a;b"', b"\x00", b"\xff", b"\x1b[2J", b"nan", b"1e999", b"=1+1"),
    *("é\u202e".encode(), b"x" * 200_000, b"a;b;c", b"20.0", b"20"),
]


def generalization() -> Generalization:
    town = CategoricalDomain(("Bern", "Genève", 3, 2.5, True), ordered=True)
    return Generalization(
        [
            numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62], missing=3),
            numeric_partition("height", NumericDomain(0.5, 2.5), [1.625], beyond="error"),
            categorical_partition("town", town, [["Bern", 3], ["Genève", 2.5, True]], 2, 2),
            categorical_partition("idle", CategoricalDomain(("x", "y")), [["x", "y"]]),
            categorical_partition("none", CategoricalDomain(()), []),
        ],
        {"seed": 7, "parameters": {"leaves": [2, 4], "share": 0.25}, "table": "people"},
    )


def recoding() -> Recoding:
    ages = NumericDomain(0, 99, integer=True)
    g = Generalization(
        [
            numeric_partition("age", ages, [17, 30]),
            categorical_partition("sex", CategoricalDomain(("f", "m")), [["f"], ["m"]], unseen=1),
            numeric_partition("hours", ages, [20, 35], missing=3),
            numeric_partition("height", NumericDomain(0.5, 2.5), []),
        ],
        {"seed": 3},
    )
    means: dict[str, list[Any]] = {
        "age": [9, 20, 40],
        "sex": ["f", "m"],
        "hours": [10, 30, 40, None],
        "height": [1.7],
    }
    fixed = {name: values[0] for name, values in means.items()}
    nodes = [
        Branch("age", (0,), 1, 2),
        Leaf((), fixed, "no"),
        Branch("sex", (0,), 3, 4),
        Leaf(("hours",), {name: fixed[name] for name in ("age", "sex", "height")}),
        Branch("hours", (1, 3), 5, 6),
        Leaf((), fixed, "yes"),
        Leaf(("age",), {name: fixed[name] for name in ("sex", "hours", "height")}),
    ]
    return Recoding(g, means, nodes)


def records(g: Generalization) -> Iterator[dict[str, Any]]:
    """Return records that hold members of the domains, and records that do not."""
    yield {p.name: _member(p) for p in g}
    for odd in (None, 1e308, "no such category", True, float("nan"), 2**70):
        yield {p.name: odd for p in g}


def _member(partition: Any) -> Any:
    domain = partition.domain
    if isinstance(domain, NumericDomain):
        return domain.low
    return domain.categories[-1] if domain.categories else "any"


def allow(call: Callable[[], Any]) -> Any:
    """Run what may be refused, such as a value without a bucket; the message must be readable."""
    try:
        return call()
    except SparsamError as error:
        check_message(error)
        return None


def check_message(error: BaseException) -> None:
    text = str(error)
    assert len(text) < 3_000, "a message is too long"
    odd = {c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c != "\n"}
    assert not odd, "a message holds control characters"


def use_generalization(g: Generalization, turn: int) -> None:
    for text in (str(g), repr(g), g._repr_html_(), *(p.words() for p in g)):
        text.encode()
    again = Generalization.from_json(g.to_json())
    assert again == g, "saving changes it"
    assert again.about == g.about, "saving changes what it is about"
    for record in records(g):
        allow(lambda record=record: g.apply_record(record))
    for other in (generalization(), g):
        allow(lambda other=other: (g.refines(other), g.merge(other), g.intersect(other)))
        allow(lambda other=other: g.diff(other))
    columns = {p.name: [_member(p)] * 2 for p in g}
    allow(lambda: g.apply(columns))
    for partition in g:
        members(partition)
    if turn % 5 == 0:
        use_frames(g, columns)


def use_frames(g: Generalization, columns: dict[str, list[Any]]) -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    for step in ({}, {"encoding": "labels"}, {"accept": "raw", "encoding": "codes"}):
        allow(lambda step=step: GeneralizationStep(g, **step).fit().transform(columns))
    allow(lambda: g.apply(pd.DataFrame(columns)))
    allow(lambda: g.apply_codes(read(columns)))
    allow(lambda: g.information_loss(read(columns)))
    allow(lambda: g.apply(pl.DataFrame(columns)))
    allow(lambda: g.apply(pl.LazyFrame(columns)).collect())
    allow(lambda: g.apply(pa.table(columns)))


def use_recoding(r: Recoding, turn: int) -> None:
    for text in (str(r), repr(r)):
        text.encode()
    assert Recoding.from_json(r.to_json()) == r, "saving changes it"
    columns = {p.name: [_member(p)] * 2 for p in r.generalization}
    for record in records(r.generalization):
        allow(lambda record=record: r.apply_record(record))
    allow(lambda: r.apply(columns))
    allow(lambda: r.represent(r.generalization.apply(columns)))
    if turn % 5 == 0:
        import pandas as pd

        allow(lambda: r.apply(pd.DataFrame(columns)))
        allow(lambda: r.information_loss(read(columns)))


def use_questionnaire(q: Questionnaire, turn: int) -> None:
    assert Questionnaire.from_json(q.to_json()) == q, "saving changes it"
    repr(q)
    interview = q.start()
    for _ in range(10):
        if interview.next is None:
            break
        choices = interview.choices(interview.next)
        assert choices, "a question has no answer"
        interview = interview.answer(interview.next, choices[turn % len(choices)])
    assert interview.done, "an interview does not end"
    assert interview.record().keys() == set(q.recoding.generalization.names)
    str(interview.prediction)
    allow(lambda: q.ask({p.name: [_member(p)] * 2 for p in q.recoding.generalization}))


def use_certificate(paper: Certificate, turn: int) -> None:
    assert Certificate.from_json(paper.to_json()) == paper, "saving changes it"
    for terms in paper.demands:
        terms.words.encode()
    found = allow(lambda: verify(RELEASE, paper))
    if found is not None:
        "".join(map(str, found.findings)).encode()


def use_mask(mask: Mask, turn: int) -> None:
    for text in (str(mask), repr(mask)):
        text.encode()
    hash(mask)
    with tempfile.TemporaryDirectory() as folder:
        mask.save(Path(folder) / "m.npz")
        assert Mask.load(Path(folder) / "m.npz") == mask, "saving changes it"
    allow(lambda: mask.apply(np.ones((mask.table_rows or mask.shape[0], mask.shape[1]))))
    allow(lambda: mask.apply({name: [1.0, 2.0] for name in mask.attributes}))
    allow(lambda: mask.overlap(mask))


def use_roles(roles: Roles, turn: int) -> None:
    hash(roles)
    text = roles.to_toml().encode()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "r.toml").write_bytes(text)
        assert Roles.from_toml(Path(folder) / "r.toml") == roles, "saving changes it"
    if turn % 10 == 0:
        allow(lambda: read({"age": [1, 2], "work": ["a", "b"]}, roles=roles))


def use_hierarchy(hierarchy: Any, turn: int) -> None:
    repr(hierarchy)
    with tempfile.TemporaryDirectory() as folder:
        hierarchy.save(Path(folder) / "h.csv")
        assert Hierarchy.load(Path(folder) / "h.csv", delimiter=";") == hierarchy
    for values in (["Bonn", "Ulm"], [20, 30]):
        attribute = read({"place": values}).attributes[0]
        allow(lambda attribute=attribute: hierarchy.levels(attribute))


def use_declared(domains: Any, turn: int) -> None:
    hash(domains)
    type(domains).from_dict(domains.to_dict())


@dataclass(frozen=True)
class Artifact:
    """One kind of document: an example of it, how it is damaged, read and used."""

    name: str
    example: bytes
    damage: Callable[[random.Random, bytes], bytes]
    load: Callable[[Path], Any]
    use: Callable[[Any, int], None]
    ending: str = ".json"


def artifacts(folder: Path) -> list[Artifact]:
    """Write an example of every artifact, as sparsam writes it."""
    mask = Mask([[True, False, True]] * 2, ["age", "sex", "pay"], algorithm="a", facts={"x": 0.5})
    some = Mask([[True, False]], ["age", "sex"], rows=[1], table_rows=3, random_state=4)
    mask.save(folder / "whole.npz")
    some.save(folder / "some.npz")
    levels = [["Bonn", "Ulm", "Wien", ""], ["D", "D", "A", "?"], ["*"] * 4]
    Hierarchy.from_levels(levels).save(folder / "h.csv")
    ill = ClosenessTerms(0.5, "ill", "ordered", ("a", "b"))
    paper = certify(RELEASE, ["age"], [KAnonymityTerms(k=2), ill])
    roles = Roles(
        "pay>3",
        personal=["sex"],
        weights={"sex": 2},
        numeric=["hours"],
        ordered={"grade": ["low", "high"]},
        domains={"age": NumericDomain(0, 99, integer=True), "work": CategoricalDomain(("a", "b"))},
        missing_values=["?"],
    )
    toml = lambda rng, raw: change_lines(rng, raw, b" = ", TOML_VALUES)  # noqa: E731
    cells = lambda rng, raw: change_lines(rng, raw, b";", CSV_VALUES)  # noqa: E731
    plain = declared({"age": (0, 99, "integer"), "sex": ["f", "m"]}).to_dict()
    g = generalization().to_json().encode()
    texts = {
        "recoding": recoding().to_json().encode(),
        "questionnaire": Questionnaire(recoding(), costs={"age": 2}, order="cost").to_json(),
        "declared": json.dumps(plain).encode(),
    }
    return [
        Artifact("generalization", g, change_json, Generalization.load, use_generalization),
        Artifact("recoding", texts["recoding"], change_json, Recoding.load, use_recoding),
        Artifact(
            "questionnaire",
            texts["questionnaire"].encode(),
            change_json,
            Questionnaire.load,
            use_questionnaire,
        ),
        Artifact(
            "certificate", paper.to_json().encode(), change_json, Certificate.load, use_certificate
        ),
        Artifact("declared", texts["declared"], change_json, declared, use_declared),
        Artifact(
            "mask", (folder / "whole.npz").read_bytes(), change_npz, Mask.load, use_mask, ".npz"
        ),
        Artifact(
            "mask of rows",
            (folder / "some.npz").read_bytes(),
            change_npz,
            Mask.load,
            use_mask,
            ".npz",
        ),
        Artifact("roles", roles.to_toml().encode(), toml, Roles.from_toml, use_roles, ".toml"),
        Artifact(
            "hierarchy", (folder / "h.csv").read_bytes(), cells, Hierarchy.load, use_hierarchy
        ),
    ]


@dataclass
class Outcome:
    """What became of the documents."""

    accepted: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    crashed: list[tuple[str, int, str]] = field(default_factory=list)
    slowest: dict[str, float] = field(default_factory=dict)


def fuzz(documents: int, seed: int, folder: Path) -> Outcome:
    """Damage, read and use documents of every kind in turn; crashes are kept with their turn."""
    kinds, outcome = artifacts(folder), Outcome()
    for turn in range(documents):
        kind = kinds[turn % len(kinds)]
        raw = kind.damage(random.Random(f"{seed} {turn}"), kind.example)
        path = folder / f"damaged{kind.ending}"
        path.write_bytes(raw)
        start = time.process_time()  # others may use this machine too
        try:
            try:
                made = kind.load(path)
            except SparsamError as error:
                check_message(error)
                outcome.refused[kind.name] += 1
            else:
                outcome.accepted[kind.name] += 1
                kind.use(made, turn // len(kinds))
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            outcome.crashed.append((kind.name, turn, f"{type(error).__name__}: {error}"[:200]))
        took = time.process_time() - start
        outcome.slowest[kind.name] = max(took, outcome.slowest.get(kind.name, 0.0))
    return outcome


def main() -> None:
    documents = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        outcome = fuzz(documents, seed, Path(folder))
    print(f"{documents:,} documents, seed {seed}, {time.perf_counter() - start:.0f} s")
    print(f"{'artifact':<16}{'accepted':>10}{'refused':>10}{'slowest':>12}")
    for name, slowest in outcome.slowest.items():
        accepted, refused = outcome.accepted[name], outcome.refused[name]
        print(f"{name:<16}{accepted:>10,}{refused:>10,}{slowest:>10.3f} s")
    slow = sum(slowest > SLOWEST for slowest in outcome.slowest.values())
    print(f"crashed: {len(outcome.crashed):,}; kinds with a document above {SLOWEST:g} s: {slow}")
    for crash in outcome.crashed[:50]:
        print(*crash, sep="  ")
    sys.exit(bool(outcome.crashed) or bool(slow))


if __name__ == "__main__":
    main()
