"""Print a constraints file with the oldest versions that `pyproject.toml` claims to work with.

Used by `make test-oldest`: `python tools/lower_bounds.py > oldest.txt`. What `constraints.txt` pins
(one build of torch, which is gigabytes otherwise) keeps its pin. Standard library alone, so that it
runs before anything is installed.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENT = re.compile(
    r"^(?P<name>[A-Za-z0-9._-]+)(\[[a-z,]+\])?>=(?P<version>[0-9.]+)(; sys_platform .+)?$"
)


def lower_bounds(project: dict[str, object], pinned: set[str]) -> list[str]:
    """Return one `name==version` per requirement; every requirement has to claim a lower bound.

    Examples
    --------
    >>> lower_bounds({"dependencies": ["numpy>=1.26", "psycopg[binary]>=3.2"]}, set())
    ['numpy==1.26', 'psycopg==3.2']
    """
    groups = [project["dependencies"], *project.get("optional-dependencies", {}).values()]
    bounds = {}
    for requirement in (requirement for group in groups for requirement in group):
        if requirement.startswith("sparsam["):
            continue
        match = REQUIREMENT.match(requirement)
        if match is None:
            raise SystemExit(f"'{requirement}' claims no lower bound, such as 'numpy>=1.26'.")
        bounds[match["name"]] = match["version"]
    return [f"{name}=={version}" for name, version in bounds.items() if name not in pinned]


def main() -> None:
    """Write the lower bounds, and the pins of `constraints.txt`, to standard output."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = [
        line
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    lines = lower_bounds(project, {pin.partition("==")[0] for pin in pins})
    sys.stdout.write("\n".join([*lines, *pins]) + "\n")


if __name__ == "__main__":
    main()
