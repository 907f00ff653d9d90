"""Nothing in a file, a name or a label steers the terminal; our own styling does."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

import sparsam
from sparsam._errors import DataError
from sparsam.cli._main import cli
from sparsam.cli._terminal import GuardedStream, SafeConsole, Styled, guarded_streams, messages

EVIL = "\x1b[2J\x1b[8m\x07\r\x08\x9b31m\u202e"
SOURCES = sorted((Path(sparsam.__file__).parent / "cli").glob("*.py"))
SLOW = ("demo", "minimise --attack")
MADE = ("minimise", "individual", "anonymise", "ledger create")  # run to make the scene


def steering(text: str) -> set[str]:
    """All signs in a text that may steer a terminal."""
    return {one for one in text if not one.isprintable() and one not in "\n\u202f"}


def invoke(words: list[str]) -> Any:
    return CliRunner().invoke(cli, words, color=True)  # else click strips what it knows


@pytest.fixture(scope="module")
def scene(every_command: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    def run(words: list[str]) -> None:
        result = invoke(words)
        assert result.exit_code == 0, result.output
        assert not steering(result.output)

    folder = tmp_path_factory.mktemp("evil")
    return every_command.make(folder, EVIL, ending=".parquet", run=run)


def test_every_command_on_evil_names(scene: Any) -> None:
    for name, words in scene.commands.items():
        if name not in (*SLOW, *MADE):
            result = invoke(words)
            assert result.exit_code == 0, (name, result.output)
            assert not steering(result.output), name


def test_every_command_that_fails_on_evil_names(scene: Any, tmp_path: Path) -> None:
    evil_file = tmp_path / f"a{EVIL}.json"
    evil_file.write_text(json.dumps({"format": EVIL, EVIL: [EVIL]}))
    folder = tmp_path / f"folder{EVIL}"
    seen, tried = set(), set()
    for name, words in scene.commands.items():
        for i, word in enumerate(words):
            tries = [f"{word}{EVIL}"]
            if os.path.isfile(word):
                tries.append(str(evil_file))
            elif word.startswith(str(scene.out)):
                tries.append(str(folder / Path(word).name))
            if name in SLOW or word in tried:
                continue
            tried.add(word)
            for other in tries:
                result = invoke([*words[:i], other, *words[i + 1 :]])
                seen.add(result.exit_code)
                assert result.exit_code in (0, 1, 2), (name, result.output)
                assert not steering(result.output), (name, other)
    assert seen >= {0, 2}


def test_warnings_and_prints_of_others(capsys: pytest.CaptureFixture[str]) -> None:
    with guarded_streams():
        sys.stdout.write(f"{EVIL}\n")
        sys.stderr.writelines([EVIL, "\n"])
        click.echo(EVIL, color=True)
        sys.stderr.write(warnings.formatwarning(EVIL, UserWarning, "a.py", 1, EVIL))
    said = capsys.readouterr()
    for text in (said.out, said.err):
        assert "\\u001b[2J" in text
        assert not steering(text)


def test_consoles_make_names_printable_before_they_style_them() -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=EVIL)
    table.add_column(EVIL)
    table.add_row(f"{EVIL}\nanother line")
    table.add_row(Text(EVIL))
    console = SafeConsole(
        force_terminal=True, color_system="truecolor", markup=False, highlight=False
    )
    with console.capture() as caught:
        console.print(table, Text(EVIL, style="bold red"))
        console.print(f"[bold]{EVIL}", style="red")
    text = caught.get()
    assert "\x1b[" in text  # ours
    assert not steering(re.sub(r"\x1b\[[0-9;]*m", "", text))
    assert "\x1b[8m" not in text
    assert "\\u000aanother line" in text
    assert "[bold]" in text


def test_styled_text_stays_styled_and_streams_have_no_way_around() -> None:
    beneath = io.StringIO()
    stream = GuardedStream(beneath)  # type: ignore[arg-type]
    print(Styled("\x1b[1mours\x1b[0m\n").rstrip("\n"), file=stream, end="")  # type: ignore[type-var]
    stream.write("\x1b[1mtheirs")
    assert beneath.getvalue() == "\x1b[1mours\x1b[0m\\u001b[1mtheirs"
    assert not hasattr(stream, "buffer")
    with pytest.raises(TypeError, match="Got bytes"):
        stream.write(b"")  # type: ignore[arg-type]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_what_an_encoding_does_not_have_is_escaped(encoding: str) -> None:
    raw = io.BytesIO()
    beneath = io.TextIOWrapper(raw, encoding=encoding)
    stream = GuardedStream(beneath)
    stream.write("≥ 5 €\n")
    stream.write(Styled("≥ 5 €\n"))
    stream.flush()
    shown = "≥ 5 €\n".encode(encoding, "backslashreplace")
    assert raw.getvalue() == 2 * shown


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_in_a_real_terminal(scene: Any) -> None:
    import pty

    wanted = [scene.commands[name] for name in ("assess in words", "describe a table", "attack")]
    wanted += [["describe", f"none{EVIL}"], [f"none{EVIL}"], ["apply", f"--none{EVIL}"], ["--help"]]
    code = (
        "import sys, json\nfrom sparsam.cli._main import cli\n"
        "for words in json.loads(sys.argv[1]):\n"
        "    try: cli.main(words, prog_name='sparsam')\n"
        "    except SystemExit: pass\n"
    )
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    for name in ("NO_COLOR", "FORCE_COLOR", "CI"):
        environment.pop(name, None)
    done = subprocess.Popen(
        [sys.executable, "-c", code, json.dumps(wanted)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # Linux: the other end is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    assert done.wait() == 0
    text = b"".join(parts).decode()
    assert "\x1b[1m" in text  # our own bold
    for one in ("\x1b[2J", "\x1b[8m", "\x07", "\x08", "\x9b", "\u202e", "\r\x08"):
        assert one not in text
    ours_only = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    assert not steering(ours_only.replace("\r", ""))
    assert text.count("\\u001b[2J") >= len(wanted) - 1


def test_there_is_no_other_way_to_the_terminal() -> None:
    """Only guarded streams and safe consoles are written to."""
    others = ("__stdout__", "__stderr__", "beneath", "status")
    wrong = [
        f"{path.name}:{node.lineno}"
        for path in SOURCES
        if path.name != "_terminal.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.ImportFrom) and node.module == "rich.console")
        or (isinstance(node, ast.Attribute) and node.attr in others)
    ]
    assert not wrong


def test_messages_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    messages().print("Left out: a\nThe release is what its certificate says.")
    assert capsys.readouterr().err.count("\n") == 1


def _fail_inside() -> None:
    with guarded_streams():
        assert isinstance(sys.stdout, GuardedStream)
        raise ValueError("inside")


def test_streams_are_given_back() -> None:
    before = sys.stdout, sys.stderr
    with pytest.raises(ValueError, match="inside"):
        _fail_inside()
    assert (sys.stdout, sys.stderr) == before


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
    for text in ("0 done", "1 a requirement", "2 wrong usage", "70 an unexpected", "130 interr"):
        assert text in said
