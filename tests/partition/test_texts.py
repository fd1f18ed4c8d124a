"""Texts under their ids: kept once, found again, never moved; and the dictionary that keeps its symbols so.

The judge is the id of a single text (`symbol_id`), and a dictionary of Python's.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tidelog.errors import DataError
from tidelog.partition.texts import entries as module
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.partition.texts.ids import symbol_id
from tidelog.partition.texts.texts import SLICE_ROWS, Clash, Texts, laid_out

ALPHABETS = ("ab", "aä☃𝄞", "x\"'\t\n\r\\,", "\0a")
LONG = "long " * 1_000_000


def random_texts(rng: Random, count: int) -> list[str]:
    letters = rng.choice(ALPHABETS)
    lengths = rng.choice([(0, 4), (0, 40), (28, 36), (60, 300)])
    return ["".join(rng.choices(letters, k=rng.randint(*lengths))) for _ in range(count)]


def entered(known: Dictionary, texts: list[str]) -> list[int]:
    data, offsets = laid_out([text.encode() for text in texts])
    return known.symbol_column(data.ctypes.data, offsets).tolist()


@pytest.mark.parametrize("seed", range(12))
def test_columns_and_single_texts_have_the_same_ids_and_come_back(seed: int) -> None:
    rng, known, judge = Random(seed), Dictionary(), {}
    for _ in range(30):
        texts = random_texts(rng, rng.choice([0, 1, 5, 300]))
        wanted = [symbol_id(text) for text in texts]
        one_by_one = rng.random() < 0.4
        assert ([known.symbol(text) for text in texts] if one_by_one else entered(known, texts)) == wanted
        judge.update(zip(wanted, texts, strict=True))
        if rng.random() < 0.3:
            value = (rng.randrange(3), rng.choice(["a", 1.0]))
            if "a" in value:
                judge[symbol_id("a")] = "a"
            judge[known.encode(value, "list")] = value
    assert len(known) == len(judge)
    assert known.entries.since(0) == list(judge.items())
    cells = list(judge)
    rng.shuffle(cells)
    assert known.values_of(cells) == [judge[cell] for cell in cells]
    assert [known.decode(cell, "symbol") for cell in cells] == [judge[cell] for cell in cells]
    assert known.values_or_cells([*cells, 77]) == [*(judge[cell] for cell in cells), 77]
    assert known.known([*cells, 77]) == judge


def test_entries_keep_their_order_through_settling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RECENT", 5)
    rng, known, made = Random(1), Dictionary(), []
    for number in range(200):
        if rng.random() < 0.1:
            texts = [f"column {number} {i}" for i in range(3)]
            made += zip(entered(known, texts), texts, strict=True)
        else:
            made.append((known.symbol(f"one {number}"), f"one {number}"))
        since = rng.randrange(len(made) + 1)
        assert known.entries.since(since) == made[since:]
        assert len(known) == len(made)


def test_a_very_long_text_and_many_slices() -> None:
    known = Dictionary()
    texts = [LONG, "", *(str(number) for number in range(SLICE_ROWS + 10)), LONG]
    cells = entered(known, texts)
    assert cells[0] == cells[-1] == symbol_id(LONG)
    assert len(known) == len(texts) - 1
    assert known.values_of(cells) == texts


def test_lone_surrogates_are_kept_and_are_no_utf8() -> None:
    known = Dictionary()
    cells = [known.symbol("a\ud800"), *entered(known, ["b"])]
    assert known.values_of(cells * 20) == ["a\ud800", "b"] * 20
    assert known.text_column(np.array(cells)) is None
    column = known.text_column(np.array([cells[1]] * 3))
    assert (column.data.tobytes(), column.offsets.tolist(), column.places.tolist()) == (b"b", [0, 1], [0, 0, 0])


def test_a_column_that_clashes_is_refused_and_names_both() -> None:
    known = Dictionary()
    known.enter([(symbol_id("b"), "a")])
    with pytest.raises(DataError, match=f"'a' and 'b' have the same 64-bit id {symbol_id('b')}") as raised:
        entered(known, ["x", "b", "y"])
    assert raised.value.code == "TL1102"
    assert known.decode(symbol_id("x"), "symbol") == "x"
    assert symbol_id("y") not in known.known([symbol_id("y")])


def test_texts_of_one_length_that_differ_in_any_byte_clash() -> None:
    for length in (1, 7, 8, 9, 16, 31):
        for place in range(length):
            texts, raw = Texts(), bytearray(b"a" * length)
            data, offsets = laid_out([bytes(raw)])
            texts.enter(data.ctypes.data, offsets, np.array([5]), 0, np.zeros(1, np.int64))
            raw[place] ^= 1
            data, offsets = laid_out([b"ok", bytes(raw)])
            with pytest.raises(Clash) as raised:
                texts.enter(data.ctypes.data, offsets, np.array([6, 5]), 0, np.zeros(2, np.int64))
            assert (raised.value.row, raised.value.number) == (1, 0)


def test_a_symbol_with_the_id_of_a_list_is_refused() -> None:
    known = Dictionary()
    known.enter([(symbol_id("[1]"), (1,))])
    with pytest.raises(DataError, match="same 64-bit id"):
        entered(known, ["[1]"])
    with pytest.raises(DataError, match="same 64-bit id"):
        known.symbol("[1]")


def test_lists_that_are_equal_and_written_unlike_are_one() -> None:
    known = Dictionary()
    cell = known.encode((0.0,), "list")
    entered(known, ["a"])
    known.enter([(cell, (-0.0,)), *((symbol_id(str(n)), str(n)) for n in range(100))])
    assert known.encode((-0.0,), "list") == cell
    assert len(known) == 102


def test_ids_that_share_half_their_bits_are_told_apart() -> None:
    cells = [number << 32 | 5 for number in range(50)] + [7 << 32 | number for number in range(50)]
    known = Dictionary()
    known.enter([(cell, f"t{cell}") for cell in cells])
    assert known.values_of(cells) == [f"t{cell}" for cell in cells]
    assert known.known([1 << 60]) == {}


def test_memory_counts_the_text() -> None:
    known, before = Dictionary(), Dictionary().entries.memory
    known.symbol("x" * 1_000_000)
    assert known.entries.memory - before >= 1_000_000
    entered(known, ["y" * 3_000_000])
    assert 4_000_000 <= known.entries.memory - before < 5_000_000


def test_ctrl_c_while_entries_settle_leaves_each_in_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Dictionary()
    made = [(known.symbol(f"word {number}"), f"word {number}") for number in range(10)]
    whole = Texts.enter

    def interrupted(texts: Texts, address: int, offsets: np.ndarray, cells: np.ndarray, *more: object) -> None:
        whole(texts, address, offsets[:6], cells[:5], *more)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Texts, "enter", interrupted)
        entered(known, ["other"])
    assert len(known) == 10
    assert known.entries.since(0) == made
    entered(known, ["other"])
    assert known.entries.since(0) == [*made, (symbol_id("other"), "other")]
