"""Every error and warning that sparsam raises on purpose."""

from __future__ import annotations

from typing import Any, Final
from unicodedata import category

_LONGEST: Final = 2_000
_LONGEST_PATH: Final = 300


def readable(text: str, longest: int = _LONGEST, *, lines: bool = True) -> str:
    r"""Write a text so that a message can hold it: of bounded length, without control characters.

    Parameters
    ----------
    text : str
    longest : int
        What is longer loses its middle.
    lines : bool, default=True
        Whether it may have several lines.

    Examples
    --------
    >>> print(readable("a\x1b[2Jb"))
    a\x1b[2Jb
    >>> readable("a" * 5_000_000, 20)
    'aaaaaaaaa … aaaaaaaa'
    """
    if len(text) > longest:
        half = longest // 2 - 1
        text = f"{text[:half]} … {text[len(text) - longest + half + 3 :]}"
    if text.isprintable():
        return text
    return "".join(sign if lines and sign == "\n" else _shown(sign) for sign in text)[:longest]


def _shown(sign: str) -> str:
    if sign.isprintable() or category(sign) == "Zs":
        return sign
    return sign.encode("unicode_escape", "surrogatepass").decode()


_COMMANDS: Final = " (on the command line: "


def hint(words: str, commands: str) -> str:
    """Return the hint that ends a message, in the words of Python and of the command line.

    Parameters
    ----------
    words : str
        What to do in Python.
    commands : str
        What to do on the command line, where nobody has seen a name of Python.

    Examples
    --------
    >>> print("There is no target." + hint("give target='pay'", "give --target pay"))
    There is no target.
    <BLANKLINE>
    Hint: give target='pay' (on the command line: give --target pay).
    """
    return f"\n\nHint: {words}{_COMMANDS}{commands})."


def for_commands(message: str) -> str:
    """Return a message in the words of the command line alone.

    Examples
    --------
    >>> print(for_commands("No." + hint("give target='pay'", "give --target pay")))
    No.
    <BLANKLINE>
    Hint: give --target pay.
    """
    start, sign, words = message.rpartition("\n\nHint: ")
    _, found, commands = words.rpartition(_COMMANDS)
    if not (sign and found):
        return message
    return f"{start}{sign}{commands.removesuffix('.').removesuffix(')')}."


class SparsamError(Exception):
    """Something that sparsam was asked to do and could not do.

    Names and labels in a message come from files, so every message is made readable here.

    Examples
    --------
    >>> import sparsam as sp
    >>> try:
    ...     sp.read({"age": [30, 40], "sex": ["f"]})
    ... except sp.SparsamError as error:
    ...     print(error)
    'sex' must have as many rows as the columns before it, 2. Got 1 instead.
    """

    def __init__(self, message: str = "", *more: Any) -> None:
        super().__init__(readable(str(message)), *more)


class DataError(SparsamError, ValueError):
    """The table is not what was expected."""


class RoleError(SparsamError, ValueError):
    """The roles do not fit the table."""


class ParameterError(SparsamError, ValueError):
    """A parameter has a value that it must not have."""


class DocumentError(SparsamError, ValueError):
    """A saved document is damaged, or was not written by sparsam.

    Parameters
    ----------
    message : str
        What was expected and what came.
    path : str, default="$"
        The field of the document, as a JSON path.
    """

    def __init__(self, message: str, path: str = "$") -> None:
        self.path = path
        self._facts = message, path
        where = readable(path, _LONGEST_PATH, lines=False)
        super().__init__(f"{readable(message, lines=False)} - at `{where}`")

    def __reduce__(self) -> tuple[Any, ...]:
        return DocumentError, self._facts


class ReleaseError(SparsamError, ValueError):
    """A release breaks its promise and must not be published."""


class LedgerError(SparsamError):
    """The ledger cannot charge, cannot answer, or is not what it was."""


class BudgetError(LedgerError):
    """A question costs more than is left; nothing was charged and nothing was computed.

    Parameters
    ----------
    message : str
        What was asked for, what is left, and what would fit.
    requested, remaining : int
        In billionths of the ledger's unit.
    fits : dict of str to int
        By kind of noise, the largest amount that what is left would pay.
    """

    def __init__(
        self, message: str, requested: int, remaining: int, fits: dict[str, int] | None = None
    ) -> None:
        self.requested = requested
        self.remaining = remaining
        self.missing = requested - remaining
        self.fits = dict(fits or {})
        super().__init__(message)


class StoreError(SparsamError):
    """A store of collected records cannot be opened, read or written, or is not what it was."""


class ReceiptError(SparsamError):
    """A receipt does not take a record back.

    Parameters
    ----------
    message : str
    reason : {"forged", "foreign", "spent", "expired", "absent"}
        No receipt of ours or a changed one, one of another collection, one that was used before,
        one whose record was deleted when its time was over, or one whose record is not there.
    """

    def __init__(self, message: str, reason: str = "forged") -> None:
        self.reason = reason
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        return ReceiptError, (str(self), self.reason)


class MissingExtraError(SparsamError, ImportError):
    """A function needs an optional dependency that is not installed."""


class SparsamWarning(UserWarning):
    """A setting is allowed but not safe, or a result is weaker than it looks.

    Examples
    --------
    >>> import warnings
    >>> import sparsam as sp
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", sp.SparsamWarning)  # stop at what is not safe
    """
