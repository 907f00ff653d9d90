"""Answers that come from a ledger's file: they may be of anyone's making."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sparsam._errors import LedgerError, SparsamError

_WRONG_SHAPE = (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError)


@contextmanager
def stored_answers(stored: Callable[[], bool]) -> Iterator[None]:
    """Say in words that a stored answer is none to the question asked.

    Parameters
    ----------
    stored : callable
        Whether some answer that is worked on came from the file, and was not just computed.
    """
    try:
        yield
    except SparsamError:
        raise
    except _WRONG_SHAPE:
        if not stored():
            raise
        raise LedgerError(
            "The ledger is damaged or was tampered with: it holds an answer that is none to the "
            "question that was asked. Nothing was charged for it.\n\nHint: restore the file from "
            "a copy whose head you know."
        ) from None
