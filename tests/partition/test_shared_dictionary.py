"""Entries of a dictionary that several partitions share, when their owner refuses or is lost."""

from __future__ import annotations

import numpy as np
import pytest

from tidelog.errors import DataError
from tidelog.partition.base.owner import owners_of
from tidelog.partition.texts.ids import symbol_id
from tidelog.partition.texts.shared_dictionary import Entry, SharedDictionary
from tidelog.partition.texts.texts import laid_out, to_strings

WORDS = [f"word {number}" for number in range(40)]


class Owners:
    """Two owners in this process; the first refuses what it is set to refuse, or is lost."""

    def __init__(self) -> None:
        self.told: list[dict[int, object]] = [{}, {}]
        self.error: BaseException | None = None

    def tell(self, owner: int, entries: list[Entry]) -> None:
        if owner == 0 and self.error is not None:
            raise self.error
        self.told[owner].update(entries)

    def dictionary(self) -> SharedDictionary:
        return SharedDictionary(2, None, lambda owner, cells: {}, self.tell)


def test_an_entry_that_a_reader_makes_while_an_owner_is_lost_is_told_later() -> None:
    owners = Owners()
    told: list[Entry] = []

    def tell(owner: int, entries: list[Entry]) -> None:
        if owners.error is not None:
            shared.symbol("made meanwhile")
            raise owners.error
        told.extend(entries)

    shared, owners.error = SharedDictionary(2, None, lambda owner, cells: {}, tell), OSError("lost")
    shared.symbol("made before")
    with pytest.raises(OSError, match="lost"):
        shared.report_to_owners()
    owners.error = None
    shared.report_to_owners()
    assert sorted(value for _, value in told) == ["made before", "made meanwhile"]


def test_what_is_asked_while_other_owners_take_over_is_answered() -> None:
    shared = Owners().dictionary()
    cell, later = symbol_id("there"), symbol_id("later")

    def lost(owner: int, cells: list[int]) -> dict[int, object]:
        shared.lent = {cell: "there"}  # others begin to take over in the middle of the question
        raise OSError("gone")

    shared.aim(2, lost, lambda owner, entries: None)
    assert shared.values_of([cell]) == ["there"]
    shared.aim(3, lambda owner, cells: {later: "later"} if later in cells else {}, lambda owner, entries: None)
    shared.lent = None
    assert shared.values_of([later]) == ["later"]


def test_what_an_owner_refuses_is_refused_again_and_the_others_hear_of_theirs() -> None:
    owners = Owners()
    shared, owners.error = owners.dictionary(), DataError("two values with one id")
    cells = list(map(shared.symbol, WORDS))
    with pytest.raises(DataError):
        shared.report_to_owners()
    assert owners.told == [{}, {}]
    shared.report_to_owners()
    assert owners.told[1]
    list(map(shared.symbol, WORDS))
    with pytest.raises(DataError):
        shared.report_to_owners()
    owners.error = None
    assert list(map(shared.symbol, WORDS)) == cells
    shared.report_to_owners()
    assert {**owners.told[0], **owners.told[1]} == dict(zip(cells, WORDS, strict=True))


def test_what_a_lost_owner_did_not_hear_is_told_again() -> None:
    owners = Owners()
    shared, owners.error = owners.dictionary(), ConnectionError("gone")
    cells = list(map(shared.symbol, WORDS))
    with pytest.raises(ConnectionError):
        shared.report_to_owners()
    owners.error = None
    shared.report_to_owners()
    for cell, word in zip(cells, WORDS, strict=True):
        assert owners.told[int(owners_of([cell], 2)[0])][cell] == word


def column_of(shared: SharedDictionary, texts: list[str]) -> list[int]:
    data, offsets = laid_out([text.encode() for text in texts])
    return shared.symbol_column(data.ctypes.data, offsets).tolist()


def test_owners_hear_of_every_new_symbol_of_a_column_once() -> None:
    owners = Owners()
    shared = owners.dictionary()
    cells = column_of(shared, WORDS[:20] * 3)
    shared.report_to_owners()
    assert {**owners.told[0], **owners.told[1]} == dict(zip(cells[:20], WORDS[:20], strict=True))
    owners.told = [{}, {}]
    assert column_of(shared, WORDS)[:20] == cells[:20]
    shared.report_to_owners()
    assert sorted([*owners.told[0].values(), *owners.told[1].values()]) == sorted(WORDS[20:])


def test_a_column_that_an_owner_refuses_is_refused_again() -> None:
    owners = Owners()
    shared, owners.error = owners.dictionary(), DataError("two values with one id")
    for _ in range(2):
        cells = column_of(shared, WORDS)
        with pytest.raises(DataError):
            shared.report_to_owners()
    owners.error = None
    assert column_of(shared, WORDS) == cells
    shared.report_to_owners()
    assert {**owners.told[0], **owners.told[1]} == dict(zip(cells, WORDS, strict=True))


def test_what_was_told_once_and_is_refused_by_new_owners_is_refused_again() -> None:
    owners = Owners()
    shared = owners.dictionary()
    cells = list(map(shared.symbol, WORDS))
    shared.report_to_owners()
    shared.text_column(np.array(cells))  # which settles them
    shared.aim(2, shared._ask, shared._unreported._report)
    owners.told, owners.error = [{}, {}], DataError("two values with one id")
    for _ in range(2):
        with pytest.raises(DataError):
            shared.report_to_owners()
        assert list(map(shared.symbol, WORDS)) == cells
    owners.error = None
    shared.report_to_owners()
    assert {**owners.told[0], **owners.told[1]} == dict(zip(cells, WORDS, strict=True))


def test_texts_are_asked_for_together() -> None:
    asked: list[int] = []
    known = {symbol_id(word): word for word in WORDS}

    def ask(owner: int, cells: list[int]) -> dict[int, object]:
        asked.append(owner)
        return {cell: known[cell] for cell in cells}

    shared = SharedDictionary(2, None, ask, lambda owner, entries: None)
    column = shared.text_column(np.array(list(known)))
    texts = to_strings(column.data, column.offsets)
    assert [texts[place] for place in column.places] == WORDS
    assert sorted(asked) == [0, 1]
