"""Every way a command can end has its exit code, and no message of a stranger."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

import sparsam.cli
from sparsam._errors import DataError
from sparsam.cli._main import LoadedWhenAsked, cli
from sparsam.cli._terminal import SafeContext

SECRET = "Jane Roe, born 1971-03-02"


@pytest.fixture
def fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Let `describe` meet an error."""
    table = tmp_path / "people.csv"
    table.write_text("age\n1\n2\n")

    def call(error: BaseException) -> Result:
        def broken(*args: Any, **options: Any) -> None:
            raise error

        monkeypatch.setattr("sparsam.data.read", broken)
        return CliRunner().invoke(cli, ["describe", str(table)])

    return call


class Strange(BaseException):
    """Like the panics of some libraries, which are no Exceptions."""


@pytest.mark.parametrize(
    "error",
    [
        ValueError(SECRET),
        MemoryError(SECRET),
        RecursionError(SECRET),
        AssertionError(SECRET),
        KeyError(SECRET),
        UnicodeDecodeError("utf-8", SECRET.encode(), 0, 1, SECRET),
        OSError(SECRET),  # a library's own: the system gives a number
        EOFError(SECRET),
        Strange(SECRET),
        ExceptionGroup(SECRET, [ValueError(SECRET)]),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("traceback", [False, True])
def test_an_unexpected_error_has_its_own_code_and_no_values(
    fails: Callable[..., Result],
    error: BaseException,
    traceback: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if traceback:
        monkeypatch.setenv("SPARSAM_TRACEBACK", "1")
    error.__cause__ = TypeError(SECRET)
    result = fails(error)
    assert result.exit_code == 70
    assert SECRET not in result.output
    assert "Roe" not in result.output
    assert f"unexpected {_name(error)} in sparsam.cli._describe:" in result.output
    assert ("SPARSAM_TRACEBACK" in result.output) != traceback
    assert ("which came from TypeError" in result.output) == traceback
    assert ("sparsam.cli._main:" in result.output) == traceback


def _name(error: BaseException) -> str:
    kind = type(error)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def test_errors_of_the_user_and_of_the_system_are_wrong_usage(
    fails: Callable[..., Result],
) -> None:
    result = fails(DataError("The table is empty."))
    assert (result.exit_code, result.output) == (2, "Error: The table is empty.\n")
    result = fails(PermissionError(13, "Permission denied", "/home/jane/people.csv"))
    assert (result.exit_code, result.output) == (2, "Error: Permission denied: 'people.csv'.\n")


@pytest.mark.parametrize(
    "error", [click.ClickException("no"), click.FileError("a"), click.UsageError("b")]
)
def test_every_error_of_click_is_wrong_usage(
    fails: Callable[..., Result], error: click.ClickException
) -> None:
    assert fails(error).exit_code == 2


def test_interrupted(fails: Callable[..., Result]) -> None:
    result = fails(KeyboardInterrupt())
    assert (result.exit_code, result.output) == (130, "Interrupted.\n")


def test_a_library_that_makes_another_error_of_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(RuntimeError):
        def __init__(self) -> None:
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)

    def broken(*args: Any, **options: Any) -> None:
        raise Interrupted

    monkeypatch.setattr("sparsam.data.read", broken)
    # whoever starts the tests in the background has them ignore Ctrl-C
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        result = CliRunner().invoke(cli, ["describe", __file__])
        assert (result.exit_code, result.output) == (130, "Interrupted.\n")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_outside_of_a_command_is_no_failed_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: Any, **options: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("sparsam.cli._main.exit_codes", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert CliRunner().invoke(cli, ["describe", __file__]).exit_code == 130
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_question_that_is_interrupted(fails: Callable[..., Result]) -> None:
    result = fails(click.Abort())
    assert (result.exit_code, result.output) == (130, "Interrupted.\n")


def test_ctrl_c_before_anything_is_imported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted:
        def find_spec(self, name: str, path: object, target: object = None) -> None:
            if name == "sparsam.cli._main":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "sparsam.cli._main")
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    with pytest.raises(SystemExit) as caught:
        sparsam.cli.main()
    assert (caught.value.code, capsys.readouterr().err) == (130, "Interrupted.\n")


def test_the_package_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "sparsam", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("sparsam, version ")


def test_an_error_before_the_command_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **options: Any) -> None:
        raise ValueError(SECRET)

    monkeypatch.setattr(click.Group, "parse_args", broken)
    result = CliRunner().invoke(cli, ["demo"])
    assert result.exit_code == 70
    assert SECRET not in result.output


def test_the_reader_of_the_output_leaves(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text(",".join(f"c{i}" for i in range(30)) + "\n" + "1," * 29 + "1\n")
    command = [sys.executable, "-m", "sparsam.cli", "describe", table]
    done = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.stdout is not None
    assert done.stderr is not None
    done.stdout.close()
    errors = done.stderr.read()
    done.stderr.close()
    assert done.wait() == 141
    assert errors == b""


def _heed_ctrl_c() -> None:
    """Whoever starts the tests in the background has all processes ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("wait", [0.0, 0.2, 0.4])
def test_interrupted_by_a_signal(wait: float, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sparsam.cli", "demo", "--folder", tmp_path, "--jobs", "1"]
    done = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        preexec_fn=_heed_ctrl_c,  # noqa: PLW1509 - no threads of ours run here
    )
    assert done.stderr is not None
    assert done.stderr.readline().startswith("Task")
    time.sleep(wait)
    done.send_signal(signal.SIGINT)
    errors = done.stderr.read()
    done.stderr.close()
    # Python itself may end by the signal where it met it in the code of `exec`: 130 for a shell too
    assert done.wait() in (130, -signal.SIGINT)
    assert errors.endswith("Interrupted.\n")
    assert "Traceback" not in errors
    assert os.listdir(tmp_path) == []


def test_the_codes_are_in_the_help() -> None:
    said = " ".join(CliRunner().invoke(cli, ["--help"]).output.split())
    for text in (
        "0 done",
        "1 a requirement",
        "2 wrong usage",
        "3 too few",
        "70 an unexpected",
        "130 interr",
    ):
        assert text in said


def test_a_command_is_loaded_when_it_is_asked_for() -> None:
    script = (
        "import sys\nfrom sparsam.cli._main import cli\n"
        "named = lambda: {m for m in sys.modules if m.startswith('sparsam.cli.release')}\n"
        "assert 'verify' in cli.commands and not named()\n"
        "assert cli.commands['verify'] is cli.get_command(None, 'verify')\n"
        "assert named() == {'sparsam.cli.release', 'sparsam.cli.release._verify'}\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_commands_are_a_mapping() -> None:
    commands = LoadedWhenAsked({"verify": "release._verify"})
    other = click.Command("other")
    commands["other"] = other
    assert (list(commands), len(commands), commands["other"]) == (["verify", "other"], 2, other)
    assert commands["verify"].name == "verify"
    assert commands["verify"].context_class is SafeContext
    del commands["verify"], commands["other"]
    assert (commands.get("verify"), len(commands)) == (None, 0)
