"""A table of answers that another process makes, so that the model and its libraries go with it."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TypeVar

from sparsam._errors import SparsamError

Made = TypeVar("Made")


def made_apart(make: Callable[[], Made]) -> Made:
    """Make something in a process of its own, which ends then.

    Parameters
    ----------
    make : callable
        That can be sent to another process, as can what it returns.

    Raises
    ------
    SparsamError
        What it raised there; of any other error only the kind, as its message may hold values.
    """
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe(duplex=False)
    process = spawn.Process(target=_make, args=(make, theirs), daemon=True)
    with ours:
        process.start()
        theirs.close()
        try:
            outcome = ours.recv()
        except EOFError:
            raise SparsamError(
                "The process that loads the model ended before it was done."
            ) from None
        finally:
            process.kill()  # it has nothing else to do
            process.join()
    if isinstance(outcome, SparsamError):
        raise outcome
    made: Made = outcome
    return made


def _make(make: Callable[[], object], theirs: Connection) -> None:
    outcome: object
    try:
        outcome = make()
    except SparsamError as error:
        outcome = error
    except BaseException as error:  # noqa: BLE001 - whatever it is, who waits must hear of it
        outcome = SparsamError(f"The model could not be loaded: {type(error).__qualname__}.")
    theirs.send(outcome)
