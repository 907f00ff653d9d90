"""What would be released: built, installed into empty environments, and used there."""

from __future__ import annotations

import re
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import ROOT, Environment
from .extras import EXTRAS

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DEPENDENCIES = 15  # beside what scikit-learn brings, fewer than that
# Everything that another package needs, and what these need in turn.
CLOSURE = """
import re
from importlib.metadata import distributions, requires

def needed(name):
    found, waiting = set(), [name]
    while waiting:
        package = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if package not in found:
            found.add(package)
            lines = [line for line in requires(package) or [] if "extra ==" not in line]
            waiting += [re.match(r"[\\w.-]+", line)[0] for line in lines]
    return found

stack = needed("scikit-learn")
everything = {re.sub(r"[-_.]+", "-", d.metadata["Name"]).lower() for d in distributions()}
print(*sorted(everything - stack - {"sparsam", "pip", "setuptools", "wheel"}))
"""
CORE = """
import sparsam as sp
people = sp.load_example()
tree = sp.PrivacyTree(sp.Roles("employed"), max_leaves=3).fit(people)
made = tree.generalization_
made.save("people.json")
made.form().save("form.html")
names = {name: part.labels[0] for name, part in zip(made.names, made.partitions)}
print(made.collected, len(sp.Generalization.load("people.json")))
"""
CONSUMER = """
import sparsam as sp
from sparsam.assess import Choice, check_gates, measure_limits
from sparsam.collect import Store

people: sp.Table = sp.load_example()
roles = sp.Roles(target="employed", personal="categorical")
data = sp.split(sp.resolve(people, roles))
tree = sp.PrivacyTree(roles, max_leaves=4).fit(people)
assessment = sp.assess_generalization(tree.generalization_, data)
gates = check_gates(assessment, measure_limits(data), max_risk=0.5)
passed: list[bool | None] = [gate.passed for gate in gates]


def least(front_of: sp.Table) -> Choice:
    return sp.sweep(front_of, roles).choose(max_utility_loss=0.02)


def stored(path: str, made: sp.Generalization) -> int:
    with Store.open(path, made, keep_days=30) as store:
        return store.count()


reveal_type(sp.run_attacks(tree.generalization_, data))
wrong: int = tree.generalization_
"""


def test_the_version_is_that_of_the_files(distributions: dict[str, Path]) -> None:
    version = re.search(r'__version__ = "(.+)"', (ROOT / "src/sparsam/_version.py").read_text())
    assert version is not None
    assert "dev" not in version[1]
    assert distributions["wheel"].name == f"sparsam-{version[1]}-py3-none-any.whl"
    assert distributions["source"].name == f"sparsam-{version[1]}.tar.gz"
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## {version[1]}\n" in changes


def test_the_wheel_has_all_that_is_no_code(distributions: dict[str, Path]) -> None:
    with zipfile.ZipFile(distributions["wheel"]) as wheel:
        names = set(wheel.namelist())
        metadata = wheel.read(f"{_folder(names)}/METADATA").decode()
    folder = ROOT / "src"
    ours = {
        path.relative_to(folder).as_posix()
        for path in (folder / "sparsam").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert "sparsam/py.typed" in names
    assert {name for name in names if ".dist-info/" not in name} == ours
    # we own no host: nothing points anywhere
    assert not re.search(r"^(Project-URL|Home-page|Download-URL):", metadata, re.MULTILINE)
    assert "License-Expression: Apache-2.0" in metadata
    assert "Requires-Python: >=3.11" in metadata


def _folder(names: set[str]) -> str:
    [folder] = {name.partition("/")[0] for name in names if ".dist-info/" in name}
    return folder


def test_the_source_distribution_has_no_built_pages(distributions: dict[str, Path]) -> None:
    with tarfile.open(distributions["source"]) as source:
        names = {name.partition("/")[2] for name in source.getnames()}
    assert {"docs/conf.py", "docs/start.md", "Makefile", "constraints.txt"} <= names
    built = ("docs/_build/", "docs/api/", "docs/commands/", "docs/examples/")
    assert not [name for name in names if name.startswith(built)]


def test_the_source_distribution_can_be_installed(
    distributions: dict[str, Path], core: Environment, tmp_path: Path
) -> None:
    """Built anew from source, beside what it needs."""
    environment = core.copy(tmp_path / "venv")
    environment.run("-m", "pip", "uninstall", "--quiet", "--yes", "sparsam")
    environment.install(str(distributions["source"]))
    assert environment.run("-m", "sparsam", "--version") == f"sparsam, version {_version()}\n"


def _version() -> str:
    text = (ROOT / "src/sparsam/_version.py").read_text(encoding="utf-8")
    return text.rpartition('= "')[2].strip().strip('"')


def test_few_packages_come_with_it(core: Environment) -> None:
    beside = core.run("-c", CLOSURE).split()
    print(len(beside), beside)
    assert {"click", "duckdb", "jinja2", "msgspec", "numba"} <= set(beside)
    assert len(beside) < DEPENDENCIES, beside


def test_the_core_works_alone(core: Environment, tmp_path: Path) -> None:
    assert core.run("-c", CORE, folder=tmp_path).startswith("('")
    described = core.run("-m", "sparsam", "describe", "people.json", folder=tmp_path)
    assert "not collected" in described
    script = core.place / "bin" / "sparsam"
    assert script.is_file()
    assert core.run(str(script), "--version") == f"sparsam, version {_version()}\n"


def test_every_extra_is_tried() -> None:
    assert EXTRAS.keys() == PROJECT["optional-dependencies"].keys() - {"dev"}


@pytest.mark.parametrize("extra", sorted(EXTRAS))
def test_an_extra_works_alone(
    extra: str, with_extra: Callable[[str], Environment], tmp_path: Path
) -> None:
    environment = with_extra(extra)
    folder = tmp_path / "work"
    folder.mkdir()
    said = environment.run("-c", EXTRAS[extra], folder=folder).split()
    assert set(said) == {"True"}


def test_a_user_s_script_type_checks(core: Environment, tmp_path: Path) -> None:
    """`py.typed` is shipped, and types are complete enough for `mypy --strict`."""
    environment = core.copy(tmp_path / "venv")
    environment.install("mypy")
    (tmp_path / "script.py").write_text(CONSUMER, encoding="utf-8")
    check = "import subprocess, sys; print(subprocess.run([sys.executable, '-m', 'mypy', "
    check += "'--strict', 'script.py'], capture_output=True, text=True).stdout)"
    said = environment.run("-c", check, folder=tmp_path)
    assert 'Revealed type is "sparsam.attack._bench.Attacks"' in said
    errors = [line for line in said.splitlines() if ": error:" in line]
    assert len(errors) == 1, said  # the one that is wrong on purpose
    assert "Incompatible types in assignment" in errors[0]
