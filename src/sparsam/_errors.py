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


class MissingExtraError(SparsamError, ImportError):
    """A function needs an optional dependency that is not installed."""


class SparsamWarning(UserWarning):
    """A setting is allowed but not safe, or a result is weaker than it looks."""
