"""Entries as columns and one by one: the same bytes in a state folder, and the same values back."""

from __future__ import annotations

from random import Random

import pytest

from tidelog.io.strings import encode_texts
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.store.image.entries import decode_entries, encode_columns, encode_entries

VALUES = ("", "ä☃", "lone \ud800", (), (1, 2.5, ("a", "[1]")), (2**63,), "[1]", 'q"\t\n')


@pytest.mark.parametrize("seed", range(10))
def test_columns_of_entries_are_written_as_the_entries_one_by_one(seed: int) -> None:
    rng, known = Random(seed), Dictionary()
    for value in rng.sample(VALUES, rng.randrange(len(VALUES) + 1)):
        known.encode(value, "list")
        if rng.random() < 0.3:
            encode_texts([f"{seed} {rng.randrange(500)}" for _ in range(100)], known)
    since = rng.randrange(len(known) + 1)
    wanted = known.entries.since(since)
    message = encode_columns(known.entries.columns_since(since))
    assert bytes(message) == bytes(encode_entries(wanted))
    assert decode_entries(memoryview(message)) == wanted
