"""N-Triples: terms as text, comments, mistakes, and a round trip."""

import pyarrow as pa
import pytest

from tidelog.errors import DataError
from tidelog.io.ntriples import read_ntriples, write_ntriples

GOOD = r"""
# a comment
<http://a.example/s> <http://a.example/p> <http://a.example/o> .
_:b1 <urn:p> _:b-2 .
<urn:s> <urn:p> "plain" . # after it
<urn:s> <urn:p> "say \"hi\"\n\u00e9" .
<urn:s> <urn:p> "chat"@fr-CA .
	<urn:s>	<urn:p>	"1"^^<http://www.w3.org/2001/XMLSchema#integer>	.
<urn:s><urn:p>"tight".
"""


def read(text, names=("s", "p", "o")):
    table = read_ntriples(text.encode(), "t.nt", names)
    return list(zip(*(c.to_pylist() for c in table.columns), strict=True))


def test_terms_are_kept_as_their_text():
    found = read(GOOD)
    assert len(found) == 7
    assert found[1] == ("_:b1", "<urn:p>", "_:b-2")
    assert found[3][2] == r'"say \"hi\"\n\u00e9"'
    assert found[4][2] == '"chat"@fr-CA'
    assert found[5][2] == '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert found[6] == ("<urn:s>", "<urn:p>", '"tight"')


def test_windows_line_ends_and_empty_files():
    assert read("<urn:a> <urn:b> <urn:c> .\r\n") == [("<urn:a>", "<urn:b>", "<urn:c>")]
    assert read("") == []


@pytest.mark.parametrize(
    "line",
    [
        "<urn:a> <urn:b> <urn:c>",
        "<urn:a> <urn:b> .",
        '"literal" <urn:b> <urn:c> .',
        "<urn:a> _:b <urn:c> .",
        "<urn:a> <urn:b> plain .",
        "<urn a> <urn:b> <urn:c> .",
        '<urn:a> <urn:b> "open .',
        "<urn:a> <urn:b> <urn:c> <urn:g> .",
    ],
)
def test_line_that_is_no_statement_is_named(line):
    with pytest.raises(DataError, match=r"t\.nt:2: not a statement"):
        read("# first\n" + line + "\n")


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(DataError, match=r"t\.nt:1: not UTF-8"):
        read_ntriples(b"\xff", "t.nt", "spo")


def test_statements_are_written_as_they_were_read():
    table = read_ntriples(GOOD.encode(), "t.nt", "spo")
    again = read_ntriples(write_ntriples(table, "t.nt"), "t.nt", "spo")
    assert again.equals(table)


def test_value_that_is_no_term_is_not_written():
    with pytest.raises(DataError, match="'plain' is not an N-Triples term"):
        write_ntriples(pa.table({"s": ["<urn:a>"], "p": ["<urn:b>"], "o": ["plain"]}), "t.nt")
