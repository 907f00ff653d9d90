"""Names of columns: are they there, and which one was meant?"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable

from sparsam._errors import RoleError


def check_names(
    names: Iterable[str], known: Collection[str], role: str | None = None, what: str = "a column"
) -> None:
    """Refuse the first name that is not known, and suggest the one that was probably meant.

    Examples
    --------
    >>> check_names(["emploed"], ["age", "employed"])
    Traceback (most recent call last):
    ...
    sparsam._errors.RoleError: 'emploed' is not a column. Did you mean 'employed'?
    """
    for name in names:
        if name not in known:
            where = f" (role '{role}')" if role else ""
            raise RoleError(f"'{name}' is not {what}{where}.{suggestion(name, known)}")


def suggestion(name: str, known: Collection[str]) -> str:
    """Return a sentence with the nearest known name, or with the first few of them."""
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f" Did you mean '{near[0]}'?"
    listed = ", ".join(f"'{other}'" for other in list(known)[:10])
    more = f" and {len(known) - 10} more" if len(known) > 10 else ""
    return f" There are {listed}{more}." if known else " There is none."
