"""Large files are read piece by piece when their rows are encoded, and contain what reading them at once finds."""

import gzip

import numpy as np
import pytest

from tidelog import DataError, Engine, LimitError
from tidelog.cli.output.tables import ordered_rows, ordered_table
from tidelog.io import files
from tidelog.io.budget import PIECE, Budget, read_pieces
from tidelog.io.files import InputFile, read_input, unread_input
from tidelog.io.parameters import Layout
from tidelog.io.rows import encode_rows, order_columns, read_rows
from tidelog.partition.texts.dictionary import Dictionary

NAMES, TYPES = ("n", "text"), ("number", "symbol")
ROWS = 3 * PIECE // 24
PLAIN = b"".join(b"%d\ttext number %d\n" % (row, row % 1000) for row in range(ROWS))
LONG_LINE = b"7\t" + b"long " * (PIECE // 3) + b"\n"


def file_of(path, data, **layout):
    path.write_bytes(gzip.compress(data, 1) if path.suffix == ".gz" else data)
    return InputFile("p", path, Layout(**layout))


def cells_of(data, dictionary):
    return encode_rows("p", read_rows("p", data), TYPES, dictionary)


@pytest.mark.parametrize(
    "data",
    [
        PLAIN,
        b"\xef\xbb\xbf" + PLAIN.replace(b"\n", b"\r\n"),
        PLAIN + b"8\tno line end",
        PLAIN + LONG_LINE + PLAIN,
        PLAIN + b"9\tlone\rreturn\n",
        b"\n" * (PIECE + 1),
    ],
    ids=["plain", "windows", "no line end", "long line", "lone return", "empty lines"],
)
def test_pieces_hold_the_rows_of_the_whole_file(data, tmp_path):
    file, dictionary = file_of(tmp_path / "p.facts", data), Dictionary()
    unread = unread_input(file, NAMES, TYPES, Budget())
    assert unread is not None
    assert np.array_equal(cells_of(unread, dictionary), cells_of(read_input(file, NAMES, TYPES), dictionary))
    assert b"".join(read_pieces(file.path, Budget())) == data
    assert all(piece.endswith(b"\n") for piece in [*read_pieces(file.path, Budget())][:-1])


def test_packed_files_are_read_in_pieces(tmp_path):
    packed, dictionary = file_of(tmp_path / "p.facts.gz", PLAIN), Dictionary()
    assert b"".join(read_pieces(packed.path, Budget())) == PLAIN
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "LARGE", 1)
        unread = unread_input(packed, NAMES, TYPES, Budget())
    assert np.array_equal(cells_of(unread, dictionary), cells_of(read_input(packed, NAMES, TYPES), dictionary))


def test_columns_are_chosen_before_the_rows_are_read(tmp_path):
    unread = unread_input(file_of(tmp_path / "p.facts", PLAIN), NAMES, TYPES, Budget())
    turned = order_columns(read_rows("p", unread), ("text", "n"), "p")
    cells = encode_rows("p", turned, ("symbol", "number"), Dictionary())
    assert cells[:, 1].tolist() == list(range(ROWS))


@pytest.mark.parametrize("bad", [b"x\ta\n", b"1\n", b"1\t\xff\n"], ids=["value", "cells", "bytes"])
def test_a_bad_row_is_reported_with_its_place_in_the_file(bad, tmp_path):
    file = file_of(tmp_path / "p.facts", PLAIN + bad + PLAIN + bad)
    with pytest.raises(DataError) as whole:
        read_input(file, NAMES, TYPES)
    db = Engine('.decl p(n: number, text: symbol)\n.decl q(n: number)\nq(N) :- p(N, _).\np(1, "a").')
    with pytest.raises(DataError) as piecewise, db.epoch() as epoch:
        epoch.insert("p", unread_input(file, NAMES, TYPES, Budget()))
    assert str(piecewise.value) == str(whole.value)
    assert str(ROWS + 1) in str(whole.value)
    assert db["q"].rows() == [(1,)]
    with db.epoch() as epoch:
        epoch.insert("p", unread_input(file_of(tmp_path / "p.facts", PLAIN), NAMES, TYPES, Budget()))
    assert len(db["p"]) == ROWS + 1


def test_bytes_are_counted_once(tmp_path):
    file, dictionary = file_of(tmp_path / "p.facts", PLAIN), Dictionary()
    unread = unread_input(file, NAMES, TYPES, Budget(len(PLAIN)))
    assert len(cells_of(unread, dictionary)) == len(cells_of(unread, dictionary)) == ROWS
    with pytest.raises(LimitError, match="larger than the memory limit"):
        cells_of(unread_input(file, NAMES, TYPES, Budget(len(PLAIN) - 1)), dictionary)
    file.path.unlink()
    with pytest.raises(DataError, match=r"p\.facts"):
        cells_of(unread, dictionary)


@pytest.mark.parametrize("types", [("number", None), ("number", "list")])
def test_columns_without_a_type_are_read_at_once(types, tmp_path):
    assert unread_input(file_of(tmp_path / "p.facts", PLAIN), NAMES, types, Budget()) is None
    assert unread_input(file_of(tmp_path / "p.csv", PLAIN), NAMES, TYPES, Budget()) is None
    assert unread_input(file_of(tmp_path / "small.facts", PLAIN[:100]), NAMES, TYPES, Budget()) is None


def test_rows_are_ordered_by_the_text_of_their_symbols():
    rows = [(n, text) for n in (3, -5, 1 << 62) for text in ("b", "", "ä", "a b", "Z", "\U0001f600")]
    db = Engine(".decl p(n: number, text: symbol)\n.decl q(text: symbol, n: number)\nq(T, N) :- p(N, T).")
    with db.epoch() as epoch:
        epoch.insert("p", rows)
    expected = sorted((text.encode(), n) for n, text in rows)
    assert [(text.encode(), n) for text, n in ordered_rows(db["q"])] == expected
    for packed in (False, True):
        table = ordered_table(db["q"], packed=packed)
        assert [(row["text"].encode(), row["n"]) for row in table.to_pylist()] == expected
    assert ordered_rows(db["p"]) == sorted(rows, key=lambda row: (row[0], row[1].encode()))
