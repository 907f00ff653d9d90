"""How a file of a table is written."""

from __future__ import annotations

from dataclasses import dataclass, fields

from sparsam._errors import RoleError
from sparsam.data._calendar import ORDERS, Order

_THOUSANDS = ("", ",", ".", " ", "'")


@dataclass(frozen=True)
class FileFormat:
    """How a file of a table is written, as far as somebody says it.

    Parameters
    ----------
    encoding : str or None, default=None
        Such as "latin-1". None for UTF-8, and nothing else.
    delimiter : str or None, default=None
        What stands between two fields of a CSV file; None to find out.
    decimal : {".", ","} or None, default=None
        What stands before the decimals of a number; None to find out.
    thousands : {"", ",", ".", " ", "'"} or None, default=None
        What stands between the thousands of a number, "" for nothing; None to find out.
    date_order : {"day/month/year", "month/day/year"} or None, default=None
        What a date such as 3/4/2020 means; None to find out from the whole column.

    Examples
    --------
    >>> FileFormat(encoding="latin-1", decimal=",")
    FileFormat(encoding='latin-1', delimiter=None, decimal=',', thousands=None, date_order=None)
    """

    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    date_order: Order | None = None

    def completed_by(self, other: FileFormat) -> FileFormat:
        """Return this format, with what another says where this says nothing."""
        facts = {f.name: getattr(self, f.name) for f in fields(self)}
        told = {f.name: getattr(other, f.name) for f in fields(self)}
        return FileFormat(**{n: told[n] if facts[n] is None else facts[n] for n in facts})

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not isinstance(value, str):
                raise RoleError(
                    f"'{field.name}' of a file must be a text. Got a {type(value).__name__}."
                )
        if self.encoding is not None:
            _check_encoding(self.encoding)
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n'):
            raise RoleError(
                "The delimiter of a file must be one character, no quotation mark and no end of "
                f"line. Got {self.delimiter!r} instead."
            )
        if self.decimal not in (None, ".", ","):
            raise RoleError(
                f"The decimal sign of a file must be '.' or ','. Got {self.decimal!r} instead."
            )
        if self.thousands is not None and self.thousands not in _THOUSANDS:
            raise RoleError(
                f"The thousands sign of a file must be one of {', '.join(map(repr, _THOUSANDS))}. "
                f"Got {self.thousands!r} instead."
            )
        if self.date_order is not None and self.date_order not in ORDERS:
            raise RoleError(
                f"The order of dates in a file must be '{ORDERS[0]}' or '{ORDERS[1]}'. "
                f"Got {self.date_order!r} instead."
            )
        if self.thousands and self.thousands == self.decimal:
            raise RoleError("The decimal sign and the thousands sign of a file must differ.")


def _check_encoding(name: str) -> None:
    try:
        "".encode(name)  # `codecs` also knows what makes bytes of bytes, such as "hex"
    except LookupError:
        raise RoleError(
            f"There is no encoding '{name}'.\n\nHint: try 'utf-8', 'latin-1', 'cp1252' or 'utf-16'."
        ) from None


ANY_FORMAT = FileFormat()
