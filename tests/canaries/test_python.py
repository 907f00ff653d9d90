"""No entry of Python shows a planted value, whether it does its work or fails."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sparsam as sp
from sparsam.anonymise import Anonymiser, Certificate, Hybrid, verify
from sparsam.assess import assess_model
from sparsam.data import NumericDomain
from sparsam.explore import declared
from sparsam.explore.ledger._costs import laplace_cost
from sparsam.individual import Mask, read_people, retain
from sparsam.report import individual_report, model_report, release_report

from . import sightings
from .planted import BROKEN, HIGHEST, INTERIOR, LATIN, MODEL_TAKES, people
from .road import walk
from .sightings import Sighting, in_digests, in_text
from .spoken import error_of, overheard, renderings
from .stage import Stage

WRITTEN = {
    "minimisation.html",
    "people.json",
    "recoding.json",
    "model.html",
    "release.certificate.json",
    "release.html",
    "retain.html",
    "people.ledger",
    "eda.html",
}
SHOWN = (
    "people",
    "tree",
    "front",
    "best",
    "least",
    "asked",
    "anonymiser",
    "release",
    "retention",
    "eda",
    "ledger",
)
# It explores with declared domains, and the noise is drawn anew each time.
NOISY = {"eda", "ledger"}


@pytest.fixture(scope="module")
def road(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, str], Path]:
    """Walk the whole road with planted people: what was made, what it said, its files."""
    folder = tmp_path_factory.mktemp("road")
    table = sp.read(people().head(360).drop(columns=["patient", "phone"]))
    with contextlib.chdir(folder), overheard() as said:
        made = walk(table)
    return made, said, folder


def test_the_road_says_nothing(road: Any, stage: Stage) -> None:
    seen = [s for name, text in road[1].items() for s in in_text(text, name)]
    assert not seen


def test_the_road_writes_nothing(road: Any, stage: Stage) -> None:
    files = sorted(road[2].iterdir())
    assert {file.name for file in files} >= WRITTEN
    seen = [
        one
        for file in files
        for one in sightings.in_file(file, stage.known, noisy=file.stem in ("eda", "people"))
    ]
    assert not seen, "\n".join(map(str, seen[:20]))


def test_objects_of_the_road_show_nothing(road: Any, stage: Stage) -> None:
    texts = list(renderings(road[0]))
    shown = {name for name, _ in texts}
    assert shown >= {f"repr({name})" for name in SHOWN}
    assert any("generalization_" in name for name in shown)
    assert any("certificate_" in name for name in shown)
    seen: list[Sighting] = []
    for name, text in texts:
        noisy = any(one in name for one in NOISY)
        seen += in_text(text, name, noisy=noisy) + in_digests(text, name, stage.known)
    places = sorted({(one.place, one.column) for one in seen})
    assert not seen, "\n".join(map(str, places)) + "\n\n" + "\n".join(map(str, seen[:20]))


def test_reports_show_nothing_in_any_form(road: Any, stage: Stage, tmp_path: Path) -> None:
    """The road saves pages; the same reports as Markdown and as JSON."""
    names = road[0]
    reports = {
        "choice": names["best"].report(),
        "model": model_report(names["evidence"], names["least"].generalization_, names["asked"]),
        "release": release_report(road[2] / "release.csv", names["release"].certificate),
        "individual": individual_report(names["retention"], target="employed"),
    }
    seen = []
    for name, report in reports.items():
        for ending in ("html", "md", "json"):
            report.save(tmp_path / f"{name}.{ending}")
            seen += sightings.in_file(tmp_path / f"{name}.{ending}", stage.known)
    assert not seen, "\n".join(map(str, seen[:20]))


def anonymiser(names: list[str], k: int = 5) -> Anonymiser:
    return Anonymiser(quasi_identifiers=names, k=k)


def spoilt(**cells: Any) -> pd.DataFrame:
    """The table with other cells in its eighth row."""
    frame = people().astype(dict.fromkeys(cells, object))
    for name, value in cells.items():
        frame.loc[7, name] = value
    return frame


def parts_of(*names: str) -> Any:
    """Some columns of the table, divided."""
    return sp.split(sp.resolve(sp.read(people()[[*names, "employed"]]), sp.Roles("employed")))


ROLES = sp.Roles("employed", identifiers=("patient",))
NUMBERS = sp.Roles("employed", numeric=("income", "rent"))
KNOWN = ["age", "sex", "education", "region"]


@pytest.fixture(scope="module")
def things(stage: Stage) -> dict[str, Any]:
    """Artifacts of the planted people, to be used in wrong ways."""
    frame = people()
    model = stage.run("minimise model").folder
    declared_ = stage.run("minimise declared").folder
    masked = read_people(frame.drop(columns="patient"), "employed")
    return {
        "generalization": sp.Generalization.load(declared_ / "people.json"),
        "recoding": sp.Recoding.load(model / "recoding.json"),
        "questions": sp.Questionnaire.load(model / "questions.json"),
        "mask": Mask.load(stage.run("individual").folder / "mask.npz"),
        "people": masked,
        "certificate": Certificate.load(stage.run("anonymise").folder / "release.certificate.json"),
        "folder": stage.tables,
    }


def _failing_model(frame: Any) -> Any:
    raise ValueError(f"could not convert string to float: '{BROKEN}'")


WAYS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "read text as numbers": lambda _: sp.read(spoilt(income=BROKEN), roles=NUMBERS),
    "read objects": lambda _: sp.read(spoilt(region=[BROKEN])),
    "read mixed": lambda _: sp.read(spoilt(region=(HIGHEST, BROKEN))),
    "read infinite": lambda _: sp.read(spoilt(income=float("inf"))),
    "read a path that is not there": lambda t: sp.read(t["folder"] / "nobody.csv"),
    "read Latin-1": lambda t: sp.read(t["folder"] / "latin.parquet"),
    "read a damaged file": lambda t: sp.read(t["folder"] / "damaged.parquet"),
    "read a cut file": lambda t: sp.read(t["folder"] / "cut.csv.gz"),
    "read without a header": lambda t: sp.read(t["folder"] / "headless.csv", roles=ROLES),
    "read ragged columns": lambda _: sp.read({"income": [INTERIOR, HIGHEST], "sex": [BROKEN]}),
    "read a narrow domain": lambda _: sp.read(
        people(), roles=sp.Roles("employed", domains={"income": NumericDomain(0, 9)})
    ),
    "read an undeclared category": lambda _: sp.read(
        people(), roles=sp.Roles("employed", ordered={"region": ["north", "south", "east"]})
    ),
    "wrong target": lambda _: sp.PrivacyTree(sp.Roles("emploied")).fit(people()),
    "target of surnames": lambda _: sp.PrivacyTree(sp.Roles("surname")).fit(people()),
    "threshold of a text": lambda _: sp.PrivacyTree(sp.Roles("surname>5")).fit(people()),
    "one class": lambda _: sp.sweep(people().assign(employed=BROKEN), ROLES),
    "nothing fits": lambda _: sp.PrivacyTree(ROLES, max_leaves=-1).fit(people()),
    "apply an unseen category": lambda t: t["generalization"].apply(
        spoilt(region=BROKEN, education=BROKEN, sex=BROKEN)
    ),
    "apply text for a number": lambda t: t["generalization"].apply(
        spoilt(age=BROKEN, income=BROKEN, rent=BROKEN)
    ),
    "apply to an unseen record": lambda t: t["generalization"].apply_record(
        dict.fromkeys(t["generalization"].names, BROKEN)
    ),
    "apply without columns": lambda t: t["generalization"].apply(people()[["phone", "surname"]]),
    "apply to polars": lambda t: t["generalization"].apply(
        pl.from_pandas(people().assign(age=BROKEN, income=BROKEN))
    ),
    "attack other people": lambda t: sp.run_attacks(t["generalization"], parts_of("phone")),
    "assess other people": lambda t: sp.assess_generalization(
        t["generalization"], parts_of("phone")
    ),
    "step on raw records": lambda t: sp.GeneralizationStep(
        t["generalization"], accept="generalized"
    ).fit().transform(people()),
    "step on a raw record": lambda t: sp.GeneralizationStep(
        t["generalization"], accept="raw"
    ).fit().transform([dict.fromkeys(t["generalization"].names, BROKEN)]),
    "recode text for a number": lambda t: t["recoding"].apply(spoilt(age=BROKEN, income=BROKEN)),
    "recode without columns": lambda t: t["recoding"].apply(people()[["phone"]]),
    "recode a record": lambda t: t["recoding"].apply_record({"age": BROKEN, "income": BROKEN}),
    "answer with a text": lambda t: t["questions"].start().answer("age", BROKEN),
    "answer another question": lambda t: t["questions"].start().answer("agee", INTERIOR),
    "a model that fails": lambda _: sp.ModelTree(_failing_model).fit(people()[MODEL_TAKES]),
    "a model of other columns": lambda t: sp.ModelTree(
        sp.data.load_model(t["folder"] / "model.joblib", trust=True)
    ).fit(people()[["phone"]]),
    "evidence on other people": lambda t: assess_model(t["recoding"], people()[["phone"]]),
    "k of more than there are": lambda _: anonymiser(KNOWN, 601).fit_transform(
        people(), people()["employed"]
    ),
    "anonymise text for a number": lambda _: anonymiser(["income"]).fit_transform(
        spoilt(income=[BROKEN])
    ),
    "anonymise labels of other rows": lambda _: anonymiser(KNOWN).fit_transform(
        people(), people()["employed"].to_numpy()[:9]
    ),
    "anonymise without a column": lambda _: anonymiser(["agee"]).fit_transform(
        people(), people()["employed"]
    ),
    "verify with a wrong certificate": lambda t: verify(people(), t["folder"] / "wrong.json"),
    "people without a target": lambda _: read_people(people(), "emploied"),
    "people with texts for targets": lambda _: read_people(spoilt(employed=[BROKEN]), "employed"),
    "people with holes": lambda _: read_people(spoilt(employed=None), "employed"),
    "retain of nobody": lambda t: retain(t["people"].encoded, keep=2.0),
    "mask of other people": lambda t: t["mask"].apply(people().head(9)),
    "mask of other columns": lambda t: t["people"].retained(
        Mask(np.zeros((3, 2), dtype=bool), attributes=("surname", "phone"))
    ),
    "declare from data": lambda _: declared(people()),
    "declare from a table": lambda _: declared(sp.read(people())),
    "load a table": lambda t: sp.Generalization.load(t["folder"] / "wrong.json"),
    "load a table as a recoding": lambda t: sp.Recoding.load(t["folder"] / "wrong.json"),
    "load a table as questions": lambda t: sp.Questionnaire.load(t["folder"] / "wrong.json"),
    "load a table as a mask": lambda t: Mask.load(t["folder"] / "wrong.npz"),
    "load a table as a ledger": lambda t: sp.Ledger.open(t["folder"] / "wrong.ledger"),
    "load a table as roles": lambda t: sp.Roles.from_toml(t["folder"] / "wrong.toml"),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_errors_show_nothing(things: dict[str, Any], way: str) -> None:
    with overheard() as said:
        text = error_of(lambda: WAYS[way](things))
    # the lines of this file that a traceback quotes hold names of canaries, not canaries
    seen = in_text(text, "traceback")
    for name, words in said.items():
        seen += in_text(words, name)
    assert not seen, f"{seen}\n{text[-3000:]}"


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    with sp.Ledger.create(tmp_path / "x.ledger", people(), epsilon=1, domains=WIDE) as made:
        yield made


WIDE = declared({"age": (0, 130, "integer"), "region": ["north", "south", "east"]})
LEDGER_WAYS: dict[str, Callable[[Any], Any]] = {
    "another table": lambda ledger: sp.explore_table(
        people()[["age", "region"]], ledger, epsilon=0.1
    ),
    "over budget": lambda ledger: sp.explore_table(people(), ledger, epsilon=9),
    "unreadable": lambda ledger: sp.explore_table(spoilt(region=[BROKEN]), ledger, epsilon=0.1),
    "a computation that fails": lambda ledger: ledger.ask(
        {"count": "rows"},
        laplace_cost(0.1),
        lambda: _failing_model(None),
        fingerprint=next(iter(ledger.entries()))["hash"],
    ),
}


@pytest.mark.parametrize("way", LEDGER_WAYS)
def test_errors_of_a_ledger_show_nothing(ledger: Any, way: str) -> None:
    with overheard() as said:
        text = error_of(lambda: LEDGER_WAYS[way](ledger))
    said["traceback"], said["statement"] = text, str(ledger.statement())
    said["entries"] = str(ledger.entries())
    seen = [one for name, words in said.items() for one in in_text(words, name)]
    assert not seen, f"{seen}\n{text}"


def test_reprs_of_tables_show_nothing() -> None:
    table = sp.read(people(), roles=ROLES)
    task = sp.resolve(table, ROLES)
    rows = read_people(people(), "employed")
    whole = Anonymiser(Hybrid(), quasi_identifiers=KNOWN, k=10).fit(people(), people()["employed"])
    for thing in (table, table.attributes, task, sp.split(task), rows, rows.encoded, WIDE, whole):
        assert not in_text(f"{thing!r} {thing}", type(thing).__name__), type(thing)


def test_the_planted_text_is_found_in_tracebacks() -> None:
    """The suite would see a value in an error, in its cause and in its context."""

    def fails() -> None:
        try:
            raise KeyError(LATIN)
        except KeyError:
            raise ValueError("a person's value") from None

    def shows() -> None:
        try:
            raise KeyError(LATIN)
        except KeyError as error:
            raise ValueError("something else") from error

    assert not in_text(error_of(fails), "suppressed")
    assert in_text(error_of(shows), "chained")
