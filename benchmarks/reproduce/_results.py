"""What was measured, kept in one JSON file that is written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from reproduce._entry import Entry, Measured, Run, judge
from sparsam._errors import DataError
from sparsam._writing import write_text
from sparsam.report._document import plain

FORMAT = 1
Record = dict[str, Any]
"""What is kept of one entry."""


def read_results(path: Path) -> dict[str, Record]:
    """Read what was measured before, by the name of the entry; nothing where there is no file."""
    if not path.exists():
        return {}
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
        entries = whole["entries"] if whole["format"] == FORMAT else None
    except (ValueError, KeyError, TypeError):
        entries = None
    if not isinstance(entries, dict):
        raise DataError(
            f"The results must be those of an earlier run. {path.name} holds something else.\n\n"
            "Hint: name another file by --results."
        )
    return entries


def write_results(path: Path, records: Mapping[str, Record], order: Iterable[str]) -> None:
    """Write all results, whole or not at all, in the order of the list."""
    places = {name: place for place, name in enumerate(order)}
    ordered = dict(sorted(records.items(), key=lambda item: places.get(item[0], len(places))))
    whole = {"format": FORMAT, "entries": ordered}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def is_finished(record: Record | None, entry: Entry, run: Run) -> bool:
    """Whether an entry need not be measured again.

    A whole run stands for a quick one too. Peers that are asked for and were not measured are
    reason enough to begin again.
    """
    if record is None or record.get("version") != entry.version or "ours" not in record:
        return False
    if entry.has_peer and run.peers is not None and not record["peer"]:
        return False
    return record["mode"] == "whole" or run.quick


def measured_record(entry: Entry, run: Run, measured: Measured, cpu_seconds: float) -> Record:
    """Return what is kept of an entry that was measured."""
    judgement = judge(entry.claims, measured.ours, quick=run.quick)
    return {
        **_head(entry, run),
        "verdict": judgement.verdict,
        "why": judgement.why,
        "claims": [{"words": words, "holds": holds} for words, holds in judgement.claims],
        "ours": plain(dict(measured.ours)),
        "paper": {row.key: plain(row.paper) for row in entry.rows},
        "peer": plain(dict(measured.peer)),
        "cpu_seconds": round(cpu_seconds, 1),
    }


def judged_again(record: Record, entry: Entry) -> Record:
    """Hold kept figures against the claims as they are now; no figure changes."""
    if "ours" not in record or record["version"] != entry.version:
        return record
    measured = Measured(record["ours"], record["peer"])
    return measured_record(entry, Run(record["mode"] == "quick"), measured, record["cpu_seconds"])


def skipped_record(entry: Entry, run: Run, reason: str) -> Record:
    """Return what is kept of an entry that cannot be measured here."""
    return {**_head(entry, run), "verdict": "skipped", "why": reason}


def failed_record(entry: Entry, run: Run, reason: str) -> Record:
    """Return what is kept of an entry that ended in an error."""
    return {**_head(entry, run), "verdict": "failed", "why": reason}


def _head(entry: Entry, run: Run) -> Record:
    return {"version": entry.version, "mode": "quick" if run.quick else "whole"}
