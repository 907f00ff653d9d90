"""Bodies: what is a record, and what is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.collect.door._record import RecordShape, Refused

pytest.importorskip("starlette")

SIZES = {"age": 4, "sex": 2, "post code": 3}
SHAPE = RecordShape(SIZES)
GOOD = b'{"age": 3, "sex": 0, "post code": 2}'
GOOD_FORM = b"age=3&sex=0&post+code=2"


def refused(body: bytes, form: bool = False) -> Refused:
    with pytest.raises(Refused) as caught:
        SHAPE.from_form(body) if form else SHAPE.from_json(body)
    return caught.value


@pytest.mark.parametrize(
    "body",
    [
        GOOD,
        b' {"post code":2 ,\n"sex":0,"age":3}\r\n',
        b'{"\\u0061ge": 3, "sex": 0, "post code": 2}',
        b'{"age": 3, "sex": -0, "post code": 2}',
    ],
)
def test_json_in_any_order_and_spelling(body: bytes) -> None:
    assert SHAPE.from_json(body) == (3, 0, 2)


@pytest.mark.parametrize(
    "body", [GOOD_FORM, b"post%20code=2&age=3&sex=%30", b"&age=3&&sex=0&post+code=2&"]
)
def test_forms_in_any_order_and_spelling(body: bytes) -> None:
    assert SHAPE.from_form(body) == (3, 0, 2)


VALUES = [
    "4", "47", "-1", "1.0", "1e0", "3E0", "0.5", "true", "false", "null", '"1"', '""', "[1]", "[]",
    '{"age":1}', "NaN", "Infinity", "-Infinity", "1" + "0" * 300, "9" * 3000, "1e999", "-1e-999",
    "18446744073709551617",
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES)
def test_only_whole_numbers_of_buckets(value: str) -> None:
    refusal = refused(b'{"age": %s, "sex": 0, "post code": 2}' % value.encode())
    assert refusal.status == 422
    assert refusal.attributes == {"age": "must come once, as a whole number from 0 to 3"}


@pytest.mark.parametrize(
    "value",
    ["4", "47", "-1", "-0", "+1", "1.0", "01", "1_0", " 1", "1 ", "", "0x1", "true", "١", "１",
     "²", "1\n", "1\0", "9" * 300, "NaN", "%31%00"],
)  # fmt: skip
def test_a_number_in_a_form_is_written_in_one_way(value: str) -> None:
    written = value.replace("+", "%2B").replace(" ", "+")
    refusal = refused(f"age={written}&sex=0&post+code=2".encode(), form=True)
    assert (refusal.status, list(refusal.attributes)) == (422, ["age"])


@pytest.mark.parametrize(
    "body",
    [
        b"", b" ", b"{", b"null", b"1", b'"age"', b"[]", b'[{"age": 1}]', b"{} {}", GOOD + b"x",
        GOOD[:-1], GOOD[:-1] + b",}", b"{'age': 1}", b"\xef\xbb\xbf" + GOOD,
        GOOD.replace(b"3", b"03"),
        GOOD.replace(b"3", b"+3"), GOOD.replace(b"3", b"0x3"), GOOD.replace(b"3", b"1_0"),
        b"[" * 4000, b'{"age":' * 580, GOOD + b"\0", b"// age\n" + GOOD,
    ],
)  # fmt: skip
def test_what_is_no_json_object(body: bytes) -> None:
    refusal = refused(body)
    assert (refusal.status, refusal.attributes) == (400, {})


@pytest.mark.parametrize("body", [b"\xff" + GOOD, GOOD.replace(b"age", b"ag\xe9"), b"\xed\xa0\x80"])
def test_what_is_not_utf8(body: bytes) -> None:
    assert "UTF-8" in str(refused(body))
    assert "UTF-8" in str(refused(body, form=True))


def test_other_encodings_of_json_are_none() -> None:
    for encoding in ("utf-16", "utf-32", "utf-16-le"):
        assert refused(GOOD.decode().encode(encoding)).status == 400


def test_what_is_absent_is_named() -> None:
    assert list(refused(b"{}").attributes) == list(SIZES)
    assert list(refused(b'{"sex": 1}').attributes) == ["age", "post code"]
    assert list(refused(b"", form=True).attributes) == list(SIZES)


def test_what_comes_twice_is_refused_even_if_equal() -> None:
    for again in (3, 1, 47):
        body = GOOD.replace(b'{"age"', b'{"age": %d, "age"' % again)
        assert list(refused(body).attributes) == ["age"]
        form = b"age=%d&" % again + GOOD_FORM
        assert list(refused(form, form=True).attributes) == ["age"]


@pytest.mark.parametrize("name", ["race", "Age", "age ", "аge", "", "agé", "\ud800", "__proto__"])
def test_unknown_names_are_refused_and_not_repeated(name: str) -> None:
    body = json.dumps({"age": 3, "sex": 0, "post code": 2, name: 1}).encode()
    refusal = refused(body)
    assert refusal.status == 422
    assert list(refusal.attributes) == list(SIZES)
    for word in (str(refusal), str(refusal.attributes)):
        assert name.strip().lower() in ("", "age") or name not in word


def test_names_with_line_ends_come_as_browsers_write_them() -> None:
    shape = RecordShape({"a\nb": 2, "c\r\nd": 2})
    assert shape.from_form(b"a%0D%0Ab=1&c%0D%0Ad=0") == (1, 0)
    assert shape.from_form(b"a%0Ab=1&c%0D%0Ad=0") == (1, 0)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@settings(max_examples=50)
@given(st.dictionaries(st.sampled_from([*SIZES, "race", "x"]), json_values))
def test_whatever_is_accepted_is_a_record(record: dict[str, Any]) -> None:
    valid = record.keys() == SIZES.keys() and all(
        type(record[name]) is int and 0 <= record[name] < size for name, size in SIZES.items()
    )
    body = json.dumps(record).encode()
    if valid:
        assert SHAPE.from_json(body) == tuple(record[name] for name in SIZES)
    else:
        assert refused(body).status == 422


@given(st.binary(max_size=60))
def test_noise_is_refused(body: bytes) -> None:
    assert refused(body).status in (400, 422)
    assert refused(body, form=True).status in (400, 422)
