"""Tables on the command line: how a file is written, pipes, and what was guessed."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from sparsam.cli._main import cli
from sparsam.cli._tables import show_notes
from sparsam.cli._terminal import GuardedStream, messages, write_out
from sparsam.data import Roles, read
from sparsam.generalization import Generalization

GERMAN = "größe;ort;id\n" + "".join(f"1,{i % 90 + 10};{'Köln' if i % 2 else 'Ulm'};P{i}\n"
                                    for i in range(60))  # fmt: skip


@pytest.fixture
def pipe():
    def call(content, *arguments):
        return CliRunner().invoke(cli, [str(word) for word in arguments], input=content)

    return call


@pytest.fixture
def german(tmp_path):
    path = tmp_path / "leute.csv"
    path.write_bytes(GERMAN.encode("cp1252"))
    return path


def test_the_format_of_a_file_is_said_by_options(run, german):
    refused = run("describe", german)
    assert refused.exit_code == 2
    assert "--encoding latin-1" in refused.stderr
    found = json.loads(run("describe", german, "--encoding", "cp1252", "--json").stdout)
    assert [row["kind"] for row in found["attributes"]] == ["numeric", "categorical", "categorical"]
    assert any("decimal commas" in note for note in found["notes"])
    said = run("describe", german, "--encoding", "cp1252", "--delimiter", "semicolon",
               "--decimal", ",", "--thousands", "none", "--json")  # fmt: skip
    assert not [note for note in json.loads(said.stdout)["notes"] if "say so" in note]
    assert run("describe", german, "--encoding", "martian").exit_code == 2


def test_the_format_of_a_file_is_said_by_its_roles(run, german, tmp_path):
    roles = tmp_path / "roles.toml"
    roles.write_text('[file]\nencoding = "cp1252"\ndecimal = ","\n')
    found = run("describe", german, "--roles", roles)
    assert "größe  numeric" in found.stdout


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"x,y\n1,a\n2,b\n", ()),
        (b"x;y\n1;a\n2;b\n", ()),
        ("x,y\n1,a\n2,b\n".encode("utf-16"), ("--encoding", "utf-16")),
        (b'{"x": 1, "y": "a"}\n{"x": 2, "y": "b"}\n', ()),
        (b'[{"x": 1, "y": "a"}, {"x": 2, "y": "b"}]', ("--format", "json")),
    ],
)
def test_a_pipe_in(pipe, content, words):
    found = pipe(content, "describe", "-", *words, "--json")
    assert found.exit_code == 0, found.stderr
    kinds = {row["attribute"]: row["kind"] for row in json.loads(found.stdout)["attributes"]}
    assert kinds == {"x": "numeric", "y": "categorical"}


def test_a_pipe_through(pipe, run, artifact, folder, tmp_path):
    file = tmp_path / "out.csv"
    run("apply", artifact, folder / "people.csv", "-o", file, "--keep", "works")
    content = (folder / "people.csv").read_bytes()
    found = pipe(content, "apply", artifact, "-", "-o", "-", "--keep", "works")
    assert found.exit_code == 0, found.stderr
    assert found.stdout == file.read_text()
    assert "records to standard output." in found.stderr


def test_an_artifact_into_a_pipe(pipe, folder, tmp_path):
    content = (folder / "people.csv").read_bytes()
    words = ("--target", "works", "--personal", "sex", "--min-leaf", "60", "--jobs", "1")
    found = pipe(content, "minimise", "-", *words, "-o", "-")
    assert found.exit_code in (0, 1), found.stderr
    saved = tmp_path / "g.json"
    saved.write_text(found.stdout)
    assert Generalization.load(saved).names
    assert "standard output" in found.stderr
    assert "Attribute" in found.stderr
    both = pipe(content, "minimise", "-", *words, "-o", "-", "--json")
    assert both.exit_code == 2
    assert "--json and --output -" in both.stderr


def test_a_stream_that_takes_a_little_at_a_time(monkeypatch):
    class Narrow(io.RawIOBase):
        taken = b""

        def write(self, part):
            self.taken += bytes(part[:7])
            return min(len(part), 7)

    narrow = Narrow()
    beneath = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    stream = GuardedStream(beneath)
    monkeypatch.setattr(stream, "beneath", SimpleNamespace(buffer=narrow, flush=lambda: None,
                                                           isatty=lambda: False))  # fmt: skip
    monkeypatch.setattr("sys.stdout", stream)
    write_out("größe,ort\n1,Köln\n" * 9)
    assert narrow.taken.decode() == "größe,ort\n1,Köln\n" * 9


def test_a_pipe_is_read_once(pipe):
    found = pipe(b"x\n1\n", "attack", "-", "-")
    assert found.exit_code == 2
    assert "once only" in found.stderr


def test_what_was_guessed_is_one_table(tmp_path, capsys):
    path = tmp_path / "people.csv"
    cells = ["NA", "1", "2", "3"] * 20
    path.write_text("id,x,y,: z\n" + "".join(f"{i},{c},a,b\n" for i, c in enumerate(cells)))
    table = read(path, roles=Roles(identifiers=["id"]))
    show_notes(table, messages())
    said = capsys.readouterr()
    assert said.out == ""
    assert "Note: id: identifier, left out" in said.err
    assert "column   read as       values   missing   remark" in " ".join(said.err.splitlines())
    assert "x        categorical        4         0   numbers but for 'NA'" in said.err
    assert "sparsam roles" in said.err
    show_notes(read({"x": [1, 2], "y": ["a", "b"]}), messages())
    assert capsys.readouterr().err == ""


def test_a_budget_for_what_comes_through_a_pipe(pipe, run, german, tmp_path):
    pytest.importorskip("opendp", reason="exploring needs the extra 'dp'")
    domains, ledger = tmp_path / "roles.toml", tmp_path / "people.ledger"
    domains.write_text(
        '[file]\nencoding = "cp1252"\ndecimal = ","\n[attributes."größe"]\nkind = "numeric"\n'
        "low = 1\nhigh = 2\n",
        encoding="utf-8",
    )
    created = pipe(german.read_bytes(), "ledger", "create", ledger, "-", "--epsilon", 1,
                   "--domains", domains)  # fmt: skip
    assert created.exit_code == 0, created.stderr
    words = ("--ledger", ledger, "--domains", domains, "--epsilon", "1", "--purpose", "a look")
    found = run("explore", "run", german, *words, "--json")
    assert found.exit_code == 0, found.stderr


def test_what_is_certified_is_a_file(run, german):
    found = run("anonymise", german, "--quasi-identifiers", "ort", "-o", "-")
    assert found.exit_code == 2
    assert "give a file" in found.stderr
