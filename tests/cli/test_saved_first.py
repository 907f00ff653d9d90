"""What took long is saved before extras are computed: cutting these short loses nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sparsam.cli._main import cli
from sparsam.individual import Mask


@pytest.fixture(scope="module")
def scene(every_command: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    def run(words: list[str]) -> None:
        result = CliRunner().invoke(cli, words)
        assert result.exit_code == 0, result.output

    return every_command.make(tmp_path_factory.mktemp("first"), run=run)


@pytest.mark.parametrize(
    ("command", "more", "extra", "kept"),
    [
        (
            "minimise --model",
            (),
            "sparsam.collect.Questionnaire.ask",
            {"people.json", "recoding.json", "questions.json"},
        ),
        ("minimise --model", (), "sparsam.collect.Questionnaire", {"people.json", "recoding.json"}),
        ("minimise --attack", (), "sparsam.attack.run_attacks", {"people.json", "r.html"}),
        ("individual", (), "sparsam.individual._retention.sparsity_curve", {"mask.npz"}),
        (
            "anonymise",
            ("--sweep-k", "5,10"),
            "sparsam.anonymise.k_scores",
            {"release.csv", "release.certificate.json"},
        ),
        (
            "anonymise",
            ("--drop-one",),
            "sparsam.anonymise.drop_one",
            {"release.csv", "release.certificate.json"},
        ),
        ("explore run", (), "sparsam.report.explore_report", {"answers.json", "seen.json"}),
    ],
)
def test_an_extra_that_is_cut_short(
    command: str,
    more: tuple[str, ...],
    extra: str,
    kept: set[str],
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for path in scene.out.iterdir():
        path.unlink()

    def interrupted(*args: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(extra, interrupted)
    result = CliRunner().invoke(cli, [*scene.commands[command], *more])
    assert result.exit_code == 130, result.output
    assert {path.name for path in scene.out.iterdir()} == kept


def test_a_mask_can_be_used_before_it_is_measured(
    scene: Any, monkeypatch: pytest.MonkeyPatch, run: Callable[..., Result]
) -> None:
    place = Path(scene.out, "mask.npz")
    assert run(*scene.commands["individual"]).exit_code == 0
    whole = Mask.load(place)

    def interrupted(*args: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sparsam.individual._retention.sparsity_curve", interrupted)
    assert run(*scene.commands["individual"]).exit_code == 130
    first = Mask.load(place)
    assert (first.kept == whole.kept).all()
    assert "accuracy" in whole.facts
    assert "accuracy" not in first.facts
    data = scene.commands["individual"][1]
    result = run("apply", place, data, "-o", scene.out / "retained.csv")
    assert result.exit_code == 0, result.output
