"""Nothing in a file, a name or a label steers the terminal; our own styling does."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import sparsam
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


def test_work_that_goes_on_is_a_line_in_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    with messages().working("Choosing\x1b[2J …"):
        pass
    with messages(quiet=True).working("Choosing …"):
        pass
    assert capsys.readouterr().err == "Choosing\\u001b[2J …\n"
