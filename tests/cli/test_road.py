"""The whole road, from a raw file to every result, in which nothing is said twice."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparsam.data import Roles
from sparsam.generalization import Generalization

pd = pytest.importorskip("pandas")
pytest.importorskip("opendp")


def raw(frame: Any, target: str, columns: list[str]) -> Any:
    """A file as people get it: numbered rows, codes for what is not known, no target in some."""
    some = frame.sample(400, random_state=0).reset_index(drop=True)[[*columns, target]].astype(str)
    some.insert(0, "row_id", [str(1_000 + row) for row in range(len(some))])
    some.loc[::11, columns[0]] = "N"
    some.loc[::20, target] = ""
    return some.assign(file="2024")


TABLES = {
    "german_credit.csv.gz": (
        "class",
        ["age", "duration", "credit_amount", "personal_status", "job", "housing"],
        "age,job",
    ),
    "bank_balanced_11162.csv.gz": (
        "deposit",
        ["age", "balance", "job", "marital", "education", "contact"],
        "age,marital",
    ),
}

# So few people can show no small loss; something must be collected to go on with.
MUCH = ("--max-risk", 1, "--must-keep", "job")


@pytest.fixture(scope="module", params=list(TABLES))
def start(
    request: pytest.FixtureRequest,
    run: Callable[..., Any],
    shared_data: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, Path]:
    """A raw file, and its roles as they are proposed and then edited."""
    target, columns, recognised = TABLES[request.param]
    folder = tmp_path_factory.mktemp("road")
    table, roles = folder / "people.csv", folder / "roles.toml"
    raw(pd.read_csv(shared_data / request.param), target, columns).to_csv(table, index=False)
    assert run("roles", table, "--target", target, "-o", roles).exit_code == 0
    text = roles.read_text(encoding="utf-8")
    text = text.replace("# drop_missing_target = true", "drop_missing_target = true")
    before, age, after = text.partition("[attributes.age]\n")
    kind, *rest = after.split("\n")
    assert kind.startswith('kind = "numeric"')
    text = "\n".join([before + age + kind, "low = 0", "high = 120", *rest])
    first, _, last = text.partition("quasi_identifiers = [")
    listed = ", ".join(f'"{name}"' for name in recognised.split(","))
    text = f"{first}quasi_identifiers = [{listed}]{last.partition(']')[2]}"
    roles.write_text(text, encoding="utf-8")
    return table, roles


@pytest.fixture(scope="module")
def people(start: tuple[Path, Path], run: Callable[..., Any]) -> Path:
    table, roles = start
    artifact = table.with_name("people.json")
    result = run("minimise", table, "--roles", roles, "-o", artifact, "--jobs", 1, *MUCH)
    assert result.exit_code in (0, 1, 3), result.stderr  # these are too few people to tell
    assert artifact.is_file()
    return artifact


def test_what_was_proposed(start: tuple[Path, Path]):
    roles = Roles.from_toml(start[1])
    assert (roles.identifiers, roles.ignore) == (("row_id",), ("file",))
    assert roles.missing_in == {"age": ("N",)}
    assert roles.drop_missing_target


def test_the_artifact_carries_what_it_needs(people: Path, start: tuple[Path, Path]):
    carried = Roles.from_dict(Generalization.load(people).about["roles"])
    told = Roles.from_toml(start[1])
    for name in ("identifiers", "ignore", "missing_in", "drop_missing_target", "target", "units"):
        assert getattr(carried, name) == getattr(told, name)
    assert "row_id" not in Generalization.load(people)


def test_attack_and_assess(run: Callable[..., Any], people: Path, start: tuple[Path, Path]):
    result = run("attack", people, start[0], "--adversary", "A1,A8", "--json")
    assert result.exit_code == 0, result.stderr
    assert {risk["id"] for risk in json.loads(result.stdout)["risks"]} >= {"A1", "A8"}
    result = run("assess", people, start[0], "--json")
    assert result.exit_code in (0, 1, 3), result.stderr
    assert json.loads(result.stdout)["risk"]["n"] <= 380 * 0.3 + 1


def test_apply(run: Callable[..., Any], people: Path, start: tuple[Path, Path]):
    out = people.with_name("minimised.csv")
    result = run("apply", people, start[0], "-o", out)
    assert result.exit_code == 0, result.stderr
    with out.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 400
    assert not {"row_id", "file"} & set(rows[0])
    assert not {"N", "2024"} & {cell for row in rows for cell in row.values()}


def test_anonymise(run: Callable[..., Any], start: tuple[Path, Path]):
    table, roles = start
    release = table.with_name("release.csv")
    result = run("anonymise", table, "--roles", roles, "-o", release, "--k", 5)
    assert result.exit_code == 0, result.stderr
    assert len(pd.read_csv(release)) == 380
    assert run("verify", release, release.with_name("release.certificate.json")).exit_code == 0


def test_individual(run: Callable[..., Any], start: tuple[Path, Path]):
    table, roles = start
    mask, retained = table.with_name("mask.npz"), table.with_name("retained.csv")
    result = run("individual", table, "--roles", roles, "--keep", 0.4, "-o", mask, "--runs", 0,
                 "--references", 2, "--membership", "none", "--algorithm", "random-rows",
                 )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    result = run("apply", mask, table, "-o", retained)
    assert result.exit_code == 0, result.stderr
    kept = pd.read_csv(retained, dtype=str)
    assert len(kept) == 380
    assert not {"row_id", "file"} & set(kept.columns)
    assert "N" not in set(kept["age"])


def test_explore(run: Callable[..., Any], start: tuple[Path, Path]):
    table, roles = start
    ledger = table.with_name("people.ledger")
    result = run("ledger", "create", ledger, table, "--roles", roles, "--epsilon", 2)
    assert result.exit_code == 0, result.stderr
    result = run("explore", "run", table, "--ledger", ledger, "--epsilon", 1, "--purpose", "look",
                 "--json")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["attributes"][0]["name"] == "age"
