"""Receipts: the only link between a person and a record, and it lies in the person's hand."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from sparsam._errors import ReceiptError
from sparsam.collect.store._key import Keys

_MARK: Final = 4
_NONCE: Final = 12
_DAY: Final = 3
_SEAL: Final = 12
HANDLE: Final = 16
"""Bytes by which a store knows a receipt again; they are no part of it."""


@dataclass(frozen=True)
class Receipt:
    """What a receipt says to the store that issued it.

    Parameters
    ----------
    series : bytes
        Of which state of which store it is.
    day : int
        When the record was added, in days since 1970.
    codes : tuple of int
        The record, where the store keeps counts; else nothing.
    handle : bytes
    """

    series: bytes
    day: int
    codes: tuple[int, ...]
    handle: bytes


class Seal:
    """What signs and reads the receipts of one series with one key.

    A receipt is a mark of the series, a random number, day and codes covered with a key stream, and
    a signature, all of the same length in one series. So it tells nobody else what was answered,
    though it may stand in a log or a history. Three keys are derived from the one key: to cover, to
    sign, and to make the handle.

    Parameters
    ----------
    key : bytes
    series : bytes
    sizes : sequence of int
        How many codes each column has; none where the receipt need not hold them.
    """

    def __init__(self, key: bytes, series: bytes, sizes: Sequence[int]) -> None:
        self.series = series
        self.mark = series[:_MARK]
        self._sizes = tuple(sizes)
        self._cover = _derived(key, series, b"cover")
        self._sign = _derived(key, series, b"sign")
        self._handle = _derived(key, series, b"handle")
        self._n_codes = ((prod(self._sizes) - 1).bit_length() + 7) // 8
        self._length = _DAY + self._n_codes

    def issue(self, day: int, records: Sequence[Sequence[int]]) -> tuple[list[str], list[bytes]]:
        """Make a receipt for each record, and the handle by which it is known again.

        Parameters
        ----------
        day : int
        records : sequence of sequences of int
        """
        noise = secrets.token_bytes(_NONCE * len(records))
        start = day.to_bytes(_DAY, "big")
        receipts, handles = [], []
        for place, record in enumerate(records):
            nonce = noise[place * _NONCE : (place + 1) * _NONCE]
            plain = start + self._packed(record)
            body = self.mark + nonce + _either(plain, self._stream(nonce))
            receipts.append(_written(body + self._signature(body)))
            handles.append(self._handle_of(nonce))
        return receipts, handles

    def read(self, data: bytes) -> Receipt | None:
        """Read the bytes of a receipt; None where this key did not sign them for this series."""
        if len(data) != _MARK + _NONCE + self._length + _SEAL:
            return None
        body, signature = data[:-_SEAL], data[-_SEAL:]
        if not hmac.compare_digest(signature, self._signature(body)):
            return None
        nonce = body[_MARK : _MARK + _NONCE]
        plain = _either(body[_MARK + _NONCE :], self._stream(nonce))
        codes = self._unpacked(plain[_DAY:])
        return Receipt(
            self.series, int.from_bytes(plain[:_DAY], "big"), codes, self._handle_of(nonce)
        )

    def _signature(self, body: bytes) -> bytes:
        return hashlib.blake2b(body, key=self._sign, digest_size=_SEAL).digest()

    def _stream(self, nonce: bytes) -> bytes:
        return hashlib.shake_256(self._cover + nonce).digest(self._length)

    def _handle_of(self, nonce: bytes) -> bytes:
        return hashlib.blake2b(nonce, key=self._handle, digest_size=HANDLE).digest()

    def _packed(self, record: Sequence[int]) -> bytes:
        """All codes as one number, so that every receipt of the series is as long."""
        number = 0
        for size, code in zip(self._sizes, record, strict=False):
            number = number * size + code
        return number.to_bytes(self._n_codes, "big")

    def _unpacked(self, packed: bytes) -> tuple[int, ...]:
        number, codes = int.from_bytes(packed, "big"), list[int]()
        for size in reversed(self._sizes):
            number, code = divmod(number, size)
            codes.append(code)
        return tuple(reversed(codes))


def read_receipt(text: str, keys: Keys, series: Iterable[tuple[bytes, Sequence[int]]]) -> Receipt:
    """Read a receipt, or say why it is none of this store.

    Parameters
    ----------
    text : str
        Upper and lower case are the same; blanks, line ends and hyphens are skipped.
    keys : Keys
    series : iterable of (bytes, sequence of int)
        Every series whose receipts are honoured, with the sizes of its columns.

    Raises
    ------
    ReceiptError
    """
    data = _data(text)
    known = [(own, sizes) for own, sizes in series if own[:_MARK] == data[:_MARK]]
    if not known:
        raise ReceiptError(
            "This receipt is of another collection: of another database or another generalization, "
            "or so old that its record was deleted when its time was over.",
            "foreign",
        )
    for own, sizes in known:
        for key in keys.keys:
            receipt = Seal(key, own, sizes).read(data)
            if receipt is not None:
                return receipt
    raise _forged()


def _data(text: str) -> bytes:
    if not isinstance(text, str) or len(text) > 100_000:
        raise _forged()
    letters = "".join(text.split()).replace("-", "").upper()
    try:
        data = base64.b32decode(letters + "=" * (-len(letters) % 8))
    except (binascii.Error, ValueError):
        raise _forged() from None
    if len(data) < _MARK + _NONCE + _DAY + _SEAL:
        raise _forged()
    return data


def _written(data: bytes) -> str:
    """Letters and the digits 2 to 7 only: a receipt can be read out, and be part of an address."""
    return base64.b32encode(data).rstrip(b"=").decode("ascii").lower()


def _derived(key: bytes, series: bytes, use: bytes) -> bytes:
    return hashlib.blake2b(series, key=key, digest_size=32, person=b"sparsam." + use).digest()


def _either(first: bytes, second: bytes) -> bytes:
    joined = int.from_bytes(first, "big") ^ int.from_bytes(second, "big")
    return joined.to_bytes(len(first), "big")


def _forged() -> ReceiptError:
    return ReceiptError("This is no receipt of this collection, or it was changed.", "forged")
