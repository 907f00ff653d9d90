"""The README and the guide show code that runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]


def blocks(document: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def test_the_readme_runs_and_keeps_its_promise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The chosen point loses at most one point and collects at most half of the attributes."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks("README.md"):
        exec(compile(block, "README.md", "exec"), names)
    assert "not collected" in capsys.readouterr().out
    best = names["best"]
    assert best.met
    assert best.utility_loss <= 0.01
    assert len(best.generalization.collected) <= len(best.generalization) / 2
    assert (tmp_path / "minimisation.html").read_text(encoding="utf-8").startswith("<!doctype html")
    record = {name: best.generalization[name].labels[0] for name in best.generalization.collected}
    assert names["model"].predict([record])[0] in ("no", "yes")


def test_the_guide_is_valid_python() -> None:
    found = blocks("docs/guide.md")
    assert len(found) >= 4
    for block in found:
        compile(block, "docs/guide.md", "exec")


@pytest.mark.parametrize("document", ["README.md", "docs/guide.md", "docs/papers.md"])
def test_links_lead_somewhere(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert ((ROOT / document).parent / link).exists(), link


def test_own_minimiser_of_the_guide_works() -> None:
    import sparsam as sp

    names: dict[str, Any] = {}
    for block in blocks("docs/guide.md"):
        if "class KeepOne" in block:
            exec(compile(block, "docs/guide.md", "exec"), names)
    fitted = names["KeepOne"](sp.Roles("employed"), name="age").fit(sp.load_example())
    assert fitted.generalization_.collected == ("age",)


def test_own_adversary_of_the_guide_works(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for block in blocks("docs/guide.md"):
        if "sp.run_attacks(" in block or "class AlwaysTheFirst" in block:
            exec(compile(block, "docs/guide.md", "exec"), names)
    assert "A8 singling out" in capsys.readouterr().out
    own = names["AlwaysTheFirst"]("sex")
    found = names["sp"].run_attacks(names["tree"].generalization_, names["data"], [own])
    assert found["always the first"].attribute == "sex"


def test_anonymising_in_the_guide_works(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for block in blocks("docs/guide.md"):
        if "DistinctDiversity" in block or "sp.anonymise_model(" in block:
            exec(compile(block, "docs/guide.md", "exec"), names)
    assert names["hybrid"].certificate_.smallest >= 10
    assert "anonymised: accuracy" in capsys.readouterr().out
    found = names["found"]
    assert found.after.risk("attack model").value < found.before.risk("attack model").value
