"""The store of a questionnaire's interviews, on SQLite and on PostgreSQL alike."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from sparsam._errors import ParameterError, ReceiptError, StoreError
from sparsam.collect import Questionnaire, Store
from sparsam.collect._runs import runs
from sparsam.collect.store._table import RecordTable
from sparsam.generalization import Generalization, Leaf, Recoding

from ..recodings import census, example
from .examples import FINE, LETTERS, TARGET

MODES = pytest.mark.parametrize("mode", ["counts", "rows"])
ASKS = Questionnaire(example())


def all_letters() -> Questionnaire:
    """An open leaf that asks for twelve attributes of 128 buckets: 2^84 interviews."""
    return _letters(LETTERS)


def some_letters() -> Questionnaire:
    """Eight of them: 2^56 interviews, so that a number has the bytes of eight letters."""
    return _letters(Generalization(LETTERS.partitions[:8]))


def _letters(g: Generalization) -> Questionnaire:
    means = {name: list(range(128)) for name in g.names}
    return Questionnaire(Recoding(g, means, [Leaf(g.names, {})]))


def contents(store: Store) -> Counter[tuple]:
    training = store.training()
    columns = training.columns(codes=True)
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return Counter({row[:-1]: row[-1] for row in rows})


@MODES
def test_interviews_come_back_as_counts(open_store, place, mode):
    with open_store(ASKS, mode=mode, target=TARGET) as store:
        assert store.columns == ("interview", "employed")
        assert store.sizes == (6, 2)
        assert store.source == ASKS
        mine, _, yours = store.add([(0, 1), (0, 1), (2, 0)])
        store.add([(0, 1)])
        assert contents(store) == {("0", "", "", "", 1): 3, ("1-3", "0", "1", "", 0): 1}
        store.forget(mine)
        store.forget(yours)
        assert contents(store) == {("0", "", "", "", 1): 2}
        with pytest.raises(ReceiptError):
            store.forget(mine)
    with open_store(ASKS, mode=mode, target=TARGET) as store:
        assert store.count() == 2
    with Store.reopen(place.address) as store:
        assert store.source == ASKS
        assert contents(store) == {("0", "", "", "", 1): 2}


@MODES
@pytest.mark.parametrize("record", [(6,), (-1,), (2.0,), ("1",), (True,), (1, 0), ()])
def test_what_is_no_interview_is_refused_and_not_shown(open_store, mode, record):
    store = open_store(ASKS, mode=mode)
    with pytest.raises(ParameterError) as refused:
        store.add([(1,), record])
    assert "6" not in str(refused.value).replace("from 0 to 5", "")
    assert store.count() == 0


@MODES
def test_the_database_itself_refuses_what_is_no_interview(open_store, place, mode):
    store = open_store(ASKS, mode=mode)
    store.add([(5,)])
    table = f"records_{store.fingerprint}"
    with pytest.raises(Exception, match=r"(?i)check constraint"):
        place.raw(f"UPDATE {table} SET interview = 6")
    with pytest.raises(Exception, match=r"(?i)check constraint"):
        place.raw(f"UPDATE {table} SET interview = -1")


@MODES
def test_more_interviews_than_a_small_number_can_tell(open_store, mode):
    asks = Questionnaire(census(14, 60, seed=1))
    letters = some_letters()
    rng = random.Random(0)
    with open_store(letters, mode=mode, target=TARGET) as store:
        total = store.sizes[0]
        assert total == 2**56
        chosen = [(rng.randrange(total), rng.randrange(2)) for _ in range(40)]
        chosen += [(0, 0), (total - 1, 1), (total - 1, 1)]
        receipts = store.add(chosen)
        interviews = store.collected.interviews
        expected = Counter(
            (*map(runs, interviews.answers(number).values()), works) for number, works in chosen
        )
        assert contents(store) == expected
        for receipt in receipts:
            store.forget(receipt)
        assert store.count() == 0
    with pytest.raises(StoreError, match="of another generalization or questionnaire"):
        open_store(asks, mode=mode, target=TARGET)


def test_more_interviews_than_any_number_can_tell(tmp_path):
    with pytest.raises(StoreError, match="fewer leaves"):
        Store.open(tmp_path / "a.db", all_letters(), keep_days=9)
    with pytest.raises(StoreError, match="at most 2⁶³ interviews"):
        RecordTable("0" * 16, "counts", {"interview": 2**63})
    RecordTable("0" * 16, "counts", {"interview": 2**63 - 1})


@MODES
def test_no_byte_is_left(open_store, place, calendar, mode):
    store = open_store(some_letters(), mode=mode, keep_days=5)

    def number(word: str) -> int:
        return store.collected.interviews.number(
            {f"letter_{place}": str(ord(sign)) for place, sign in enumerate(word)}
        )

    def written(word: str) -> bytes:
        return number(word).to_bytes(8, "big")[1:]  # seven bytes hold 56 bits

    words = ["Grendels", "Hrothgar", "Beowulfs"]
    calendar(20_000)
    receipts = store.add([(number(word),) for word in words])
    calendar(20_001)
    store.add([(number("Wealhtow"),)])

    def there(word: str) -> bool:
        store.settle()
        raw = place.on_disk()
        return written(word) in raw or written(word)[::-1] in raw

    assert all(map(there, [*words, "Wealhtow"]))
    store.forget(receipts[0])
    assert not there("Grendels")
    assert there("Hrothgar")
    calendar(20_005)
    assert store.expire() == 2
    assert [word for word in [*words, "Wealhtow"] if there(word)] == ["Wealhtow"]


def test_another_questionnaire_or_a_generalization_is_another_store(open_store, place):
    open_store(ASKS, target=TARGET)
    for other in (Questionnaire(example(), order=["sex"]), example().generalization, FINE):
        with pytest.raises(StoreError, match="another generalization or questionnaire"):
            open_store(other, target=TARGET)
    with pytest.raises(StoreError, match="keeps the target of each record too"):
        open_store(ASKS)


def test_a_store_of_interviews_is_not_tightened(open_store):
    store = open_store(ASKS)
    store.add([(1,)])
    for coarser in (ASKS, Questionnaire(example(), order=["sex"]), example().generalization):
        with pytest.raises(ParameterError, match="cannot be tightened"):
            store.tighten(coarser)
    assert store.count() == 1


def test_a_store_of_records_is_not_tightened_to_a_questionnaire(open_store):
    store = open_store(example().generalization)
    with pytest.raises(ParameterError, match="Got a questionnaire"):
        store.tighten(ASKS)
