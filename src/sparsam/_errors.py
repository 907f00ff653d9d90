"""Every error and warning that sparsam raises on purpose."""

from __future__ import annotations


class SparsamError(Exception):
    """Something that sparsam was asked to do and could not do."""


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
        super().__init__(f"{message} - at `{path}`")


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


class MissingExtraError(SparsamError, ImportError):
    """A function needs an optional dependency that is not installed."""


class SparsamWarning(UserWarning):
    """A setting is allowed but not safe, or a result is weaker than it looks."""
