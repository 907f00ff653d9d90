"""What an engine says when it fails, in words that hold no person's value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from sparsam._errors import DataError, SparsamError

T = TypeVar("T")

# What DuckDB and pyarrow say of a text that is not in UTF-8.
_UTF8 = ("utf8", "utf-8", "unicode", "unknown error: wrapping")


def worded(action: Callable[[], T], wording: Callable[[Exception], SparsamError]) -> T:
    """Run something that an engine does, and say in our own words why it failed.

    An engine's message may quote the cell that it failed at, and so may every error that is
    chained to it. So the error that is raised here has no cause and no context.

    Parameters
    ----------
    action : callable
        A query, a fetch or a conversion by DuckDB, polars, pyarrow, pandas or Spark, or what
        the user's own model does.
    wording : callable
        Gives the error to raise for the engine's own, which it must not quote.

    Examples
    --------
    >>> worded(lambda: int("secret"), lambda error: DataError("'age' must hold numbers."))
    Traceback (most recent call last):
    ...
    sparsam._errors.DataError: 'age' must hold numbers.
    """
    try:
        return action()
    except (SparsamError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - an engine may raise anything, a value in it
        if "interrupted" in str(error).lower():  # how DuckDB says that somebody pressed Ctrl-C
            raise KeyboardInterrupt from None
        refusal = wording(error)
    raise refusal


def unreadable_column(name: str, error: Exception) -> DataError:
    """Say that one column of a frame cannot be read.

    Parameters
    ----------
    name : str
        The column.
    error : Exception
        What the frame's library raised; only its kind is told.
    """
    if not_utf8(error):
        return DataError(f"'{name}' must hold text in UTF-8. It holds some that is not.")
    return DataError(
        f"'{name}' must hold values that can be read. Reading them failed ({type(error).__name__})."
    )


def unreadable_frame(error: Exception) -> DataError:
    """Say that the rows of a lazy frame or of a relation cannot be had.

    Parameters
    ----------
    error : Exception
        What the engine raised; only its kind is told.
    """
    why = "its text is not in UTF-8" if not_utf8(error) else type(error).__name__
    return DataError(
        f"A lazy frame must give its rows when it is asked. Its engine failed ({why})."
        "\n\nHint: run its query by itself to see why. What an engine says may quote a person's "
        "value, so it is not repeated here."
    )


def not_utf8(error: Exception) -> bool:
    """Whether an engine failed because a text is not in UTF-8."""
    return any(
        isinstance(one, UnicodeError) or any(word in str(one).lower() for word in _UTF8)
        for one in _chain(error)
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Return an error and what led to it: DuckDB wraps what Python said while it fetched."""
    yield error
    before = error.__cause__ or error.__context__
    if before is not None:
        yield from _chain(before)
