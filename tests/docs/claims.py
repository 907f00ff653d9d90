"""What pages claim beside their code, held against what the code gave."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import sparsam as sp

from .blocks import ROOT
from .walk import Walk


def _words(page: str) -> str:
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


def _readme(walk: Walk) -> None:
    """The chosen point loses at most two points and collects at most half of the attributes."""
    best = walk.names["best"]
    assert best.met
    assert best.utility_loss < best.proof.bound <= 0.02
    assert len(best.generalization.collected) <= len(best.generalization) / 2
    for page in ("minimisation.html", "report.html", "form.html"):
        assert Path(page).read_text(encoding="utf-8").startswith("<!doctype html"), page


def _minimise(walk: Walk) -> None:
    tree, model = walk.names["tree"], walk.names["model"]
    made = tree.generalization_
    record = {name: made[name].labels[0] for name in made.collected}
    assert model.predict([record])[0] in ("no", "yes")
    held = walk.names["held"]
    assert held["age"].n_buckets <= 3
    assert "race" not in held.collected
    assert held["disability"].labels == ("no", "yes")


def _model(walk: Walk) -> None:
    """What is said of the forest is what its code gives."""
    text = _words(walk.page)
    said = re.search(r"This forest needs (\d+) of (\d+) attributes", text)
    assert said is not None
    made, asked = walk.names["least"].generalization_, walk.names["asked"]
    assert said.groups() == (str(len(made.collected)), str(len(made)))
    assert 2 < made["age"].n_buckets < 96
    said = re.search(r"asks about (\d+) questions instead of (\d+)", text)
    assert said is not None
    assert said.groups() == (f"{asked.mean:.0f}", str(asked.form))
    assert len(sp.Questionnaire(walk.names["least"].recoding_).form().html.encode()) < 15_000
    assert walk.names["rule"].generalization_.collected == ("age", "disability")
    assert walk.names["rule"].generalization_["age"].n_buckets == 3
    assert walk.names["after"].needed == ()


def _explore(walk: Walk) -> None:
    again, eda = walk.names["again"], walk.names["eda"]
    assert again.paid is False
    assert again.answers == eda.answers
    assert len(walk.names["rows"]["age"]) == 1000
    for page in ("eda.html", "example.html", "statement.html"):
        assert Path(page).read_text(encoding="utf-8").startswith("<!doctype html>"), page


def _anonymise(walk: Walk) -> None:
    assert walk.names["anonymiser"].certificate_.smallest >= 10
    assert walk.names["scored"].scores["raw"] < 1
    anonymised = walk.names["anonymised"]
    before, after = (facts.risk("attack model") for facts in (anonymised.before, anonymised.after))
    assert after.value < before.value


def _attack(walk: Walk) -> None:
    assert "A8 singling out" in str(walk.names["attacks"])


def _collect(walk: Walk) -> None:
    """A form of about ten kilobytes."""
    assert 5_000 < len(Path("form.html").read_bytes()) < 15_000


CLAIMS: dict[str, Callable[[Walk], None]] = {
    "README.md": _readme,
    "docs/guide/minimise.md": _minimise,
    "docs/guide/model.md": _model,
    "docs/guide/explore.md": _explore,
    "docs/guide/anonymise.md": _anonymise,
    "docs/guide/attack.md": _attack,
    "docs/guide/collect.md": _collect,
}
