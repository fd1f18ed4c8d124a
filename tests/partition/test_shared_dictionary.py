"""Entries of a dictionary that several partitions share, when their owner refuses or is lost."""

from __future__ import annotations

import pytest

from tidelog.errors import DataError
from tidelog.partition.owner import owners_of
from tidelog.partition.shared_dictionary import Entry, SharedDictionary

WORDS = [f"word {number}" for number in range(40)]


class Owners:
    """Two owners in this process; the first refuses what it is told to refuse, or is lost."""

    def __init__(self) -> None:
        self.told: list[dict[int, object]] = [{}, {}]
        self.error: BaseException | None = None

    def tell(self, owner: int, entries: list[Entry]) -> None:
        if owner == 0 and self.error is not None:
            raise self.error
        self.told[owner].update(entries)

    def dictionary(self) -> SharedDictionary:
        return SharedDictionary(2, None, lambda owner, cells: {}, self.tell)


def test_what_an_owner_refuses_is_refused_again_and_the_others_hear_of_theirs() -> None:
    owners = Owners()
    shared, owners.error = owners.dictionary(), DataError("two values with one id")
    cells = shared.symbols(WORDS)
    with pytest.raises(DataError):
        shared.tell_owners()
    assert owners.told == [{}, {}]
    shared.tell_owners()
    assert owners.told[1]
    shared.symbols(WORDS)
    with pytest.raises(DataError):
        shared.tell_owners()
    owners.error = None
    assert shared.symbols(WORDS) == cells
    shared.tell_owners()
    assert {**owners.told[0], **owners.told[1]} == dict(zip(cells, WORDS, strict=True))


def test_what_a_lost_owner_did_not_hear_is_told_again() -> None:
    owners = Owners()
    shared, owners.error = owners.dictionary(), ConnectionError("gone")
    cells = shared.symbols(WORDS)
    with pytest.raises(ConnectionError):
        shared.tell_owners()
    owners.error = None
    shared.tell_owners()
    for cell, word in zip(cells, WORDS, strict=True):
        assert owners.told[int(owners_of([cell], 2)[0])][cell] == word
