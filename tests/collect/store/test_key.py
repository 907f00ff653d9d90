"""The key of the receipts: where it is looked for, made, and refused."""

from __future__ import annotations

import pytest

from sparsam._errors import SparsamWarning, StoreError
from sparsam.collect.store._key import Keys, find_keys

HEX = "0123456789abcdef" * 4


@pytest.fixture
def place(tmp_path):
    return tmp_path / "people.db.key"


def test_a_key_is_made_once_for_the_owner_alone(place):
    first = find_keys(None, place, new=True)
    assert place.stat().st_mode & 0o777 == 0o600
    assert len(first.keys[0]) == 32
    assert find_keys(None, place, new=True).keys == first.keys
    assert find_keys(place, None, new=False).keys == first.keys
    assert [file.name for file in place.parent.iterdir()] == [place.name]


def test_no_key_is_made_for_a_store_that_is_there(place):
    assert find_keys(None, place, new=False) is None
    assert find_keys(place, None, new=False) is None
    assert find_keys(None, None, new=True) is None
    assert not place.exists()


def test_the_environment_has_it(place, monkeypatch):
    monkeypatch.setenv("SPARSAM_RECEIPT_KEY", f"{HEX},{'ab' * 32}")
    assert find_keys(None, place, new=True).keys == (bytes.fromhex(HEX), b"\xab" * 32)
    assert not place.exists()
    place.write_text("cd" * 32)
    place.chmod(0o600)
    assert find_keys(place, None, new=False).keys == (b"\xcd" * 32,)  # what is given comes first
    monkeypatch.setenv("SPARSAM_RECEIPT_KEY", "secret")
    with pytest.raises(StoreError, match="environment variable") as caught:
        find_keys(None, place, new=True)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "# nothing\n", "secret", HEX[:-1], f"{HEX}\nsecret", "ä"])
def test_what_is_no_key_is_not_shown(place, text):
    place.write_text(text)
    place.chmod(0o600)
    with pytest.raises(StoreError, match="64 hexadecimal digits") as caught:
        find_keys(None, place, new=True)
    assert "secret" not in str(caught.value)
    assert HEX[:20] not in str(caught.value)


def test_a_key_that_others_can_read_is_warned_of(place):
    place.write_text(HEX)
    place.chmod(0o640)
    with pytest.warns(SparsamWarning, match="Others can read or write"):
        find_keys(None, place, new=False)


def test_bytes_and_wrong_ways(place, tmp_path):
    assert find_keys(b"k" * 32, None, new=True).keys == (b"k" * 32,)
    with pytest.raises(StoreError, match=r"32 bytes\. Got 5"):
        find_keys(b"short", None, new=True)
    with pytest.raises(StoreError, match="cannot be made"):
        find_keys(tmp_path / "nowhere" / "a.key", None, new=True)
    with pytest.raises(StoreError, match="cannot be read"):
        find_keys(tmp_path, None, new=False)


def test_no_key_is_printed():
    keys = Keys((bytes.fromhex(HEX),))
    assert HEX not in repr(keys)
    assert HEX not in "".join(keys.marks)
    assert keys.marks != Keys((b"k" * 32,)).marks
