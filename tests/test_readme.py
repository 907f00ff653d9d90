"""The README and the guide show code that runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import sparsam as sp
from sparsam.cli._main import cli

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
    assert best.utility_loss < best.proof.bound <= 0.02
    assert len(best.generalization.collected) <= len(best.generalization) / 2
    assert (tmp_path / "minimisation.html").read_text(encoding="utf-8").startswith("<!doctype html")
    record = {name: best.generalization[name].labels[0] for name in best.generalization.collected}
    assert names["model"].predict([record])[0] in ("no", "yes")
    _check_the_forest(names)


def _check_the_forest(names: dict[str, Any]) -> None:
    """What the README says of its forest is what its code gives."""
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    said = re.search(r"This forest needs (\d+) of (\d+) attributes", text)
    assert said is not None
    made, asked = names["least"].generalization_, names["asked"]
    assert said.groups() == (str(len(made.collected)), str(len(made)))
    assert 2 < made["age"].n_buckets < 96
    said = re.search(r"asks about (\d+) questions instead of (\d+)", text)
    assert said is not None
    assert said.groups() == (f"{asked.mean:.0f}", str(asked.form))
    page = sp.Questionnaire(names["least"].recoding_).form()
    assert len(page.html.encode()) < 15_000  # type: ignore[attr-defined]


def test_the_release_of_the_readme_is_what_its_command_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    part = text.partition("## Publish a table, and prove it")[2]
    command = re.search(r"    sparsam (anonymise .*?)\n    sparsam verify", part, re.DOTALL)
    shown = re.search(r"```text\n(.*?)```", part, re.DOTALL)
    assert command is not None
    assert shown is not None
    monkeypatch.chdir(tmp_path)
    people = sp.load_example().take(range(2000)).to_frame("pandas")
    people.to_csv("people.csv", index=False)
    words = command[1].replace("\\\n", " ").split()
    result = CliRunner().invoke(cli, [*words, "--quiet"])
    assert result.exit_code == 0, result.output
    before, after = shown[1].split("...")
    for line in before.strip().splitlines():
        assert line in result.stdout.splitlines()
    assert " ".join(after.split()) in " ".join(result.stdout.split())


def chapters(document: str) -> dict[str, str]:
    """The Python of each chapter, as a script of its own."""
    text = (ROOT / document).read_text(encoding="utf-8")
    parts = {part.partition("\n")[0]: part for part in re.split(r"^## ", text, flags=re.MULTILINE)}
    scripts = {
        title: "\n".join(re.findall(r"```python\n(.*?)```", part, flags=re.DOTALL))
        for title, part in parts.items()
    }
    return {title: script for title, script in scripts.items() if script}


# Folders are modules, to Python and to mypy alike.
FOLDERS = """
import sparsam as sp

print(sp.attack.Reconstruction(), sp.run_attacks, sp.assess.Front, sp.assess_generalization)
print(sp.anonymise.Mondrian, sp.individual.mask_people, sp.explore.Ledger, sp.minimise.Merging)
print(sp.collect.Questionnaire, sp.data.Roles, sp.generalization.Recoding, sp.report.attack_report)
"""


def test_folders_can_be_reached_from_the_top() -> None:
    subprocess.run([sys.executable, "-c", FOLDERS], capture_output=True, check=True)


def test_documented_code_type_checks(tmp_path: Path) -> None:
    """As a user's own scripts do under `mypy --strict`.

    The README is one script, and each chapter of the guide another. With our own settings, which
    are strict, mypy knows our modules already after `make lint`.
    """
    pytest.importorskip("mypy", reason="mypy is not installed (extra 'dev')")
    (tmp_path / "readme.py").write_text("\n".join(blocks("README.md")), encoding="utf-8")
    (tmp_path / "folders.py").write_text(FOLDERS, encoding="utf-8")
    for number, script in enumerate(chapters("docs/guide.md").values()):
        (tmp_path / f"guide_{number}.py").write_text(script, encoding="utf-8")
    scripts = sorted(map(str, tmp_path.glob("*.py")))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *scripts],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": "src"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout.replace(str(tmp_path), "")


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


def test_anonymising_in_the_guide_works(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: dict[str, Any] = {}
    pages = blocks("docs/guide.md")
    monkeypatch.chdir(tmp_path)
    for block in pages:
        if "DistinctDiversity" in block or "sp.anonymise_model(" in block:
            exec(compile(block, "docs/guide.md", "exec"), names)
    assert names["anonymiser"].certificate_.smallest >= 10
    assert names["scored"].scores["raw"] < 1
    assert "anonymised: accuracy" in capsys.readouterr().out
    anonymised = names["anonymised"]
    before, after = (facts.risk("attack model") for facts in (anonymised.before, anonymised.after))
    assert after.value < before.value
