"""`sparsam ledger`: a budget on disk, its check and its statement."""

from __future__ import annotations

import getpass
import json
import shutil
import sqlite3
import tomllib

import numpy as np
import pytest

from sparsam.data import Roles
from sparsam.explore import Declared, Ledger, laplace_cost
from sparsam.explore._private_table import PrivateTable

ROLES = """
[roles]
missing_values = ["?"]

[attributes.age]
kind = "numeric"
low = 0
high = 99
integer = true

[attributes.job]
kind = "categorical"
categories = ["farm", "office"]
"""


@pytest.fixture
def place(tmp_path):
    """A small table, what is declared of it, and a ledger with a budget of one."""
    rng = np.random.default_rng(0)
    rows = zip(rng.integers(18, 90, 60), rng.choice(["farm", "office", "?"], 60), strict=True)
    lines = ["age,job,secret name", *(f"{age},{job},Zachariah{age}" for age, job in rows)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "roles.toml").write_text(ROLES, encoding="utf-8")
    return tmp_path


@pytest.fixture
def ledger(run, place):
    made = run(
        "ledger", "create", place / "p.ledger", place / "people.csv", "--epsilon", "1",
        "--domains", place / "roles.toml", "--note", "a first look", "-q",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    return place / "p.ledger"


def ask(path, question, epsilon, answer=42, **options):
    with Ledger.open(path, analyst="ada") as opened:
        table = PrivateTable(path.parent / "people.csv", Declared.from_dict(opened.domains))
        return opened.ask(question, laplace_cost(epsilon), lambda: answer, fingerprint=table,
                          **options)  # fmt: skip


def test_a_template_holds_names_and_no_value(run, place):
    found = run("ledger", "template", place / "people.csv")
    assert found.exit_code == 0
    parsed = tomllib.loads(found.stdout)
    assert list(parsed["attributes"]) == ["age", "job", "secret name"]
    assert all(not declared for declared in parsed["attributes"].values())
    assert "Zachariah" not in found.output
    assert "farm" not in found.output
    filled = found.stdout.replace("# kind", "kind", 1).replace("# low =", "low = 0", 1)
    filled = filled.replace("# high =", "high = 9", 1).replace("# integer", "integer", 1)
    (place / "filled.toml").write_text(filled, encoding="utf-8")
    assert Roles.from_toml(place / "filled.toml").domains["age"].high == 9


def test_a_template_does_not_open_more_than_the_first_line(run, tmp_path):
    (tmp_path / "broken.csv").write_bytes(b"age,job\n\xff\xfe\x00broken,,,,,\n")
    found = run("ledger", "template", tmp_path / "broken.csv")
    assert found.exit_code == 0
    assert "[attributes.age]" in found.stdout


def test_a_template_overwrites_nothing(run, place):
    made = run("ledger", "template", place / "people.csv", "-o", place / "new.toml")
    assert made.exit_code == 0
    again = run("ledger", "template", place / "people.csv", "-o", place / "new.toml")
    assert again.exit_code == 2
    assert "exists already" in again.output


def test_create_and_show(run, ledger):
    found = run("ledger", "show", ledger)
    assert found.exit_code == 0
    assert "budget      1 epsilon (epsilon 1)" in found.stdout
    assert "left        1 epsilon" in found.stdout
    assert "2 declared" in found.stdout
    assert "a first look" in found.stdout
    with Ledger.open(ledger) as opened:
        assert opened.domains["missing_values"] == ["?"]
        assert list(opened.domains["domains"]) == ["age", "job"]


def test_show_lists_the_last_charges(run, ledger):
    for number in range(7):
        ask(ledger, {"ask": "missing", "of": [f"a{number}"]}, 0.01, purpose=f"why {number}")
    found = run("ledger", "show", ledger, "--last", "2")
    assert "missing values of a6 (why 6)" in found.stdout
    assert "missing values of a5" in found.stdout
    assert "of a4" not in found.stdout
    plain = json.loads(run("ledger", "show", ledger, "--json").stdout)
    assert (plain["spent"], plain["left"], plain["budget"]) == ("0.07", "0.93", "1")
    assert [one["what"] for one in plain["charges"]][-1] == "missing values of a6"
    assert plain["charges"][-1]["analyst"] == "ada"
    assert run("ledger", "show", ledger, "--last", "0").stdout.count("missing values") == 0


def test_describe_shows_a_ledger(run, ledger):
    ask(ledger, {"ask": "mean", "of": ["age"]}, 0.25, purpose="a\x1b[2J look")
    shown = run("describe", ledger)
    assert shown.exit_code == 0
    assert shown.output == run("ledger", "show", ledger).output
    assert r"mean of age (a\u001b[2J look)" in shown.output
    found = json.loads(run("describe", ledger, "--json").output)
    assert found == json.loads(run("ledger", "show", ledger, "--json").output)


def test_create_with_a_delta(run, place):
    made = run("ledger", "create", place / "d.ledger", place / "people.csv", "--epsilon", "1",
               "--delta", "1e-6", "--domains", place / "roles.toml", "--json")  # fmt: skip
    plain = json.loads(made.stdout)
    assert (plain["unit"], plain["delta"], plain["epsilon"]) == ("rho", 1e-6, 1.0)
    assert plain["order"] >= 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--epsilon", "0"], "'epsilon' must be above 0"),
        (["--epsilon", "-1"], "'epsilon' must be above 0"),
        (["--epsilon", "nan"], "'epsilon' must be a finite number"),
        (["--epsilon", "much"], "'epsilon' must be a number"),
        (["--epsilon", "1", "--delta", "2"], "delta"),
        (["--epsilon", "1", "--order", "8"], "'order' must be left out"),
        ([], "Missing option '--epsilon'"),
    ],
)
def test_what_create_refuses(run, place, options, said):
    made = run("ledger", "create", place / "no.ledger", place / "people.csv", "--domains",
               place / "roles.toml", *options)  # fmt: skip
    assert made.exit_code == 2
    assert said in " ".join(made.output.split())
    assert not (place / "no.ledger").exists()


def test_create_needs_declared_columns_that_are_there(run, place):
    (place / "other.toml").write_text(
        '[attributes.wage]\nkind = "numeric"\nlow = 0\nhigh = 9\n', encoding="utf-8"
    )
    made = run("ledger", "create", place / "no.ledger", place / "people.csv", "--epsilon", "1",
               "--domains", place / "other.toml")  # fmt: skip
    assert made.exit_code == 2
    assert "wage" in made.output
    assert "Zachariah" not in made.output
    (place / "empty.toml").write_text("[roles]\n", encoding="utf-8")
    made = run("ledger", "create", place / "no.ledger", place / "people.csv", "--epsilon", "1",
               "--domains", place / "empty.toml")  # fmt: skip
    assert made.exit_code == 2
    assert "at least one domain" in made.output
    assert not (place / "no.ledger").exists()


def test_create_does_not_overwrite(run, place, ledger):
    before = ledger.read_bytes()
    made = run("ledger", "create", ledger, place / "people.csv", "--epsilon", "9", "--domains",
               place / "roles.toml")  # fmt: skip
    assert made.exit_code == 2
    assert "exists already" in made.output
    assert ledger.read_bytes() == before


def test_verify_a_whole_ledger(run, ledger):
    found = run("ledger", "verify", ledger)
    assert found.exit_code == 0
    assert "as they were written" in found.stdout
    assert "Not checked: whether this is an older copy" in found.stdout
    head = json.loads(run("ledger", "verify", ledger, "--json").stdout)["head"]
    found = run("ledger", "verify", ledger, "--at-least", head, "--json")
    assert json.loads(found.stdout)["rollback_checked"] is True
    assert run("ledger", "verify", ledger, "-q").stdout == ""


def test_verify_shows_a_rollback(run, ledger, tmp_path):
    shutil.copy(ledger, tmp_path / "old.ledger")
    head = ask(ledger, {"ask": "count", "of": []}, 0.5).head
    assert run("ledger", "verify", ledger, "--at-least", head).exit_code == 0
    found = run("ledger", "verify", tmp_path / "old.ledger", "--at-least", head, "--json")
    assert found.exit_code == 1
    assert json.loads(found.stdout)["ok"] is False
    assert "older copy" in found.stderr
    (tmp_path / "witness").write_text(json.dumps({"sequence": 2, "head": head}), encoding="utf-8")
    found = run("ledger", "verify", tmp_path / "old.ledger", "--witness", tmp_path / "witness")
    assert found.exit_code == 1


def test_verify_shows_a_change(run, ledger):
    ask(ledger, {"ask": "count", "of": []}, 0.5)
    connection = sqlite3.connect(ledger)
    triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    for name, _ in triggers.fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("UPDATE entries SET amount = 1, spent = 1 WHERE kind = 'reserve'")
    connection.commit()
    connection.close()
    found = run("ledger", "verify", ledger)
    assert found.exit_code == 1
    assert "tampered" in found.stderr


def test_what_is_no_ledger(run, place):
    assert run("ledger", "verify", place / "people.csv").exit_code == 1
    found = run("ledger", "show", place / "people.csv")
    assert found.exit_code == 2
    assert "Zachariah" not in found.output
    found = run("ledger", "show", place / "none.ledger")
    assert found.exit_code == 2
    assert "Invalid value for 'LEDGER'" in found.output


def test_statement(run, ledger, tmp_path):
    ask(ledger, {"ask": "value_counts", "of": ["job"]}, 0.25, answer=[987654321], purpose="why")
    printed = run("ledger", "statement", ledger)
    assert printed.exit_code == 0
    assert "(ada) | value counts of job (why) |" in printed.stdout
    assert "987654321" not in printed.output
    for ending in ("html", "md", "json"):
        made = run("ledger", "statement", ledger, "-o", tmp_path / f"s.{ending}", "-q")
        assert made.exit_code == 0
        assert made.output == ""
        text = (tmp_path / f"s.{ending}").read_text(encoding="utf-8")
        assert "value counts of job" in text
        assert "987654321" not in text
    plain = json.loads(run("ledger", "statement", ledger, "--json").stdout)
    assert (plain["spent"], plain["remaining"]) == ("0.25", "0.75")
    refused = run("ledger", "statement", ledger, "-o", tmp_path / "s.pdf")
    assert refused.exit_code == 2


def test_the_analyst_is_the_login_by_default(run, place, ledger):
    with Ledger.open(ledger) as opened:
        assert opened.entries()[0]["analyst"] == getpass.getuser()
    run("ledger", "create", place / "b.ledger", place / "people.csv", "--epsilon", "1",
        "--domains", place / "roles.toml", "--analyst", "grace")  # fmt: skip
    with Ledger.open(place / "b.ledger") as opened:
        assert opened.entries()[0]["analyst"] == "grace"
