"""The list of all entries, paper by paper."""

from __future__ import annotations

from difflib import get_close_matches

from reproduce._entry import Entry
from reproduce._fioretto import ENTRIES as FIORETTO
from reproduce._goldsteen_model import ENTRIES as GOLDSTEEN_MODEL
from reproduce._goldsteen_release import ENTRIES as GOLDSTEEN_RELEASE
from reproduce._nunez import ENTRIES as NUNEZ
from reproduce._staab import ENTRIES as STAAB
from reproduce._staab_fronts import ENTRIES as STAAB_FRONTS
from sparsam._errors import ParameterError

ENTRIES: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        *STAAB,
        *STAAB_FRONTS,
        *GOLDSTEEN_MODEL,
        *GOLDSTEEN_RELEASE,
        *FIORETTO,
        *NUNEZ,
    )
}


def chosen(names: list[str]) -> list[Entry]:
    """Return the entries of these names, in the order of the list; 'all' stands for all of them."""
    unknown = [name for name in names if name != "all" and name not in ENTRIES]
    if unknown:
        close = get_close_matches(unknown[0], ENTRIES, n=1)
        meant = f"Did you mean '{close[0]}'? " if close else ""
        raise ParameterError(
            f"The name of a table or figure was expected. There is no '{unknown[0]}'.\n\n"
            f"Hint: {meant}`python -m benchmarks list` shows all names."
        )
    return [entry for name, entry in ENTRIES.items() if "all" in names or name in names]
