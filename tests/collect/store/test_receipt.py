"""Receipts: what they hold, who can read them, and who can make them."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import ReceiptError
from sparsam.collect.store._key import Keys
from sparsam.collect.store._receipt import Seal, read_receipt

KEY, OTHER = b"k" * 32, b"o" * 32
SERIES = bytes(range(16))


def data_of(receipt: str) -> bytes:
    return base64.b32decode(receipt.upper() + "=" * (-len(receipt) % 8))


@st.composite
def records(draw):
    sizes = draw(st.lists(st.integers(1, 65_000), max_size=12))
    codes = tuple(draw(st.integers(0, size - 1)) for size in sizes)
    return sizes, codes


@given(record=records(), day=st.integers(0, 2**24 - 1))
def test_a_receipt_is_read_as_it_was_issued(record, day):
    sizes, codes = record
    (receipt,), (handle,) = Seal(KEY, SERIES, sizes).issue(day, [codes])
    read = read_receipt(receipt, Keys((OTHER, KEY)), [(b"x" * 16, [3]), (SERIES, sizes)])
    assert (read.day, read.codes, read.handle, read.series) == (day, codes, handle, SERIES)


def test_no_two_receipts_or_handles_are_alike():
    receipts, handles = Seal(KEY, SERIES, [2]).issue(1, [(0,)] * 500)
    assert len(set(receipts)) == len(set(handles)) == 500
    assert len({data_of(receipt)[16:20] for receipt in receipts}) > 490  # nor what they cover


def test_a_receipt_tells_nobody_else_what_was_answered():
    """Covered answers look as random for one record as for another."""
    seal = Seal(KEY, SERIES, [256] * 20)
    covered = [data_of(receipt)[16:39] for receipt in seal.issue(1, [(0,) * 20] * 200)[0]]
    bits = sum(bin(byte).count("1") for data in covered for byte in data)
    share = bits / (8 * sum(map(len, covered)))
    assert 0.48 < share < 0.52
    assert not any(b"\0" * 3 in data for data in covered)


@pytest.mark.parametrize("record", [(0, 0), (2, 6)])
def test_every_changed_bit_is_noticed(record):
    (receipt,), _ = Seal(KEY, SERIES, [3, 7]).issue(20_000, [record])
    data = data_of(receipt)
    for bit in range(8 * len(data)):
        changed = (int.from_bytes(data, "big") ^ (1 << bit)).to_bytes(len(data), "big")
        text = base64.b32encode(changed).decode().rstrip("=")
        with pytest.raises(ReceiptError):
            read_receipt(text, Keys((KEY,)), [(SERIES, [3, 7])])


def test_another_key_and_another_series_are_refused():
    (receipt,), _ = Seal(KEY, SERIES, [3, 7]).issue(20_000, [(1, 1)])
    with pytest.raises(ReceiptError) as caught:
        read_receipt(receipt, Keys((OTHER,)), [(SERIES, [3, 7])])
    assert caught.value.reason == "forged"
    # even one whose mark happens to be the same
    with pytest.raises(ReceiptError) as caught:
        read_receipt(receipt, Keys((KEY,)), [(SERIES[:4] + b"x" * 12, [3, 7])])
    assert caught.value.reason == "forged"
    with pytest.raises(ReceiptError) as caught:
        read_receipt(receipt, Keys((KEY,)), [(b"y" * 16, [3, 7])])
    assert caught.value.reason == "foreign"


@settings(max_examples=40)
@given(text=st.text(max_size=80) | st.text("abcdefgh234567- ", max_size=90))
def test_any_text_is_refused_in_words(text):
    with pytest.raises(ReceiptError):
        read_receipt(text, Keys((KEY,)), [(SERIES, [3, 7])])
