r"""Text from files, names and labels, made safe to print.

A sign that steers a terminal, or that turns the direction of writing, is written as JSON and TOML
write it (`\u001b`), so that a document that is printed stays valid and says the same.
"""

from __future__ import annotations

import re

# C0 (without tab and line feed), DEL and C1; marks, overrides and isolates of direction; line and
# paragraph separators; invisible annotations and tags; halves of pairs, which no encoding has
_STEERING = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f"
)
_STEERS = re.compile(f"[{_STEERING}]")
_BREAKS = re.compile(f"[{_STEERING}\t\n]")


def printable(text: str) -> str:
    r"""Escape all signs that steer a terminal, except tabs and line feeds.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> print(printable("a\x1b[2Jge\u202e"))
    a\u001b[2Jge\u202e
    """
    return _STEERS.sub(_escaped, text)


def one_line(text: str) -> str:
    r"""Escape tabs and line feeds too: a name must not look like another line of ours.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> print(one_line("age\nThe release is what its certificate says."))
    age\u000aThe release is what its certificate says.
    """
    return _BREAKS.sub(_escaped, text)


def _escaped(sign: re.Match[str]) -> str:
    number = ord(sign[0])
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
