"""Print what `make test` covered: all of it, each folder, and the files covered least.

Reads the JSON file that slipcover writes: `python tools/coverage_summary.py .coverage.json`.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

LEAST = 8
SOURCE = "src/sparsam/"


def summarise(files: dict[str, dict[str, list[int]]]) -> str:
    """Return the shares of lines that ran, as lines of text.

    Examples
    --------
    >>> lines = {"executed_lines": [1, 2, 3], "missing_lines": [4]}
    >>> print(summarise({"src/sparsam/attack/_risk.py": lines}))
    coverage 75.0 % of 4 lines
      attack 75.0 %
    least covered
      attack/_risk.py 75.0 %, 1 lines not run
    """
    ran: dict[str, tuple[int, int]] = {}
    folders: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for path, lines in files.items():
        name = path.partition(SOURCE)[2] or path
        covered, missing = len(lines["executed_lines"]), len(lines["missing_lines"])
        ran[name] = (covered, covered + missing)
        folder = folders[name.partition("/")[0] if "/" in name else "."]
        folder[0] += covered
        folder[1] += covered + missing
    covered, total = (sum(counts) for counts in zip(*ran.values(), strict=True))
    least = sorted(ran.items(), key=lambda item: item[1][0] - item[1][1])[:LEAST]
    return "\n".join(
        [
            f"coverage {_percent(covered, total)} of {total} lines",
            *(f"  {name} {_percent(*counts)}" for name, counts in sorted(folders.items())),
            "least covered",
            *(
                f"  {name} {_percent(covered, total)}, {total - covered} lines not run"
                for name, (covered, total) in least
            ),
        ]
    )


def _percent(covered: int, total: int) -> str:
    return f"{100 * covered / max(total, 1):.1f} %"


if __name__ == "__main__":
    report = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.stdout.write(summarise(report["files"]) + "\n")
