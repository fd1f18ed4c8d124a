"""N-Triples: terms as text, comments, mistakes, and a round trip."""

import pyarrow as pa
import pytest

from tidelog.errors import DataError
from tidelog.io.ntriples import blank_nodes_of, read_nquads, read_ntriples, write_ntriples

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


def test_terms_are_their_canonical_text():
    found = read(GOOD)
    assert len(found) == 7
    assert found[1] == ("_:b1", "<urn:p>", "_:b-2")
    assert found[3][2] == r'"say \"hi\"\né"'
    assert found[4][2] == '"chat"@fr-ca'
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


STRING = "http://www.w3.org/2001/XMLSchema#string"


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        (r'"\u00e9"', '"é"'),
        (r'"\U0001F600"', '"😀"'),
        (r'"it\'s"', '"it\'s"'),
        ('"a\tb"', r'"a\tb"'),
        (r'"\u0009\b\f\r\u000B\u007F"', r'"\t\b\f\r\u000B\u007F"'),
        (f'"a"^^<{STRING}>', '"a"'),
        (r'"a"^^<http://www.w3.org/2001/XMLSchema#str\u0069ng>', '"a"'),
        ('"a"@DE-ch', '"a"@de-ch'),
        (r"<urn:\u00e9>", "<urn:é>"),
        ('"@EN"', '"@EN"'),
    ],
)
def test_equal_terms_have_one_text(written, canonical):
    assert read(f"<urn:s> <urn:p> {written} .") == [("<urn:s>", "<urn:p>", canonical)]
    assert read(f"<urn:s> <urn:p> {canonical} .") == [("<urn:s>", "<urn:p>", canonical)]


@pytest.mark.parametrize("term", [r'"\uD800"', r'"\U00110000"', r"<urn:\u0020>", r'"a"^^<urn:\u003E>'])
def test_escapes_without_a_character_are_refused(term):
    with pytest.raises(DataError, match=r"t\.nt:1: not a statement"):
        read(f"<urn:s> <urn:p> {term} .")


def test_quads_have_a_graph_and_the_default_graph_is_empty():
    text = b'<urn:s> <urn:p> "a"@EN <urn:g> .\n_:s <urn:p> _:o _:g .\n<urn:s> <urn:p> "a" . # none\n'
    table = read_nquads(text, "t.nq", "spog")
    rows = list(zip(*(c.to_pylist() for c in table.columns), strict=True))
    assert rows == [
        ("<urn:s>", "<urn:p>", '"a"@en', "<urn:g>"),
        ("_:s", "<urn:p>", "_:o", "_:g"),
        ("<urn:s>", "<urn:p>", '"a"', ""),
    ]
    assert read_nquads(write_ntriples(table, "t.nq"), "t.nq", "spog").equals(table)
    with pytest.raises(DataError, match=r"t\.nq:1: not a statement"):
        read_nquads(b'<urn:s> <urn:p> <urn:o> "g" .', "t.nq", "spog")


def test_blank_nodes_can_belong_to_their_file():
    text = b'_:b <urn:p> "_:b" .\n'
    one, other = (read_ntriples(text, "t", "spo", blank_nodes_of(f)).to_pylist()[0] for f in ("a/x.nt", ".y z.nt"))
    assert one == {"s": "_:a·2F·x.nt.b", "p": "<urn:p>", "o": '"_:b"'}
    assert other["s"] == "_:_.y·20·z.nt.b"
    table = read_ntriples(text, "t", "spo", blank_nodes_of(".y z.nt"))
    assert read_ntriples(write_ntriples(table, "t"), "t", "spo").equals(table)


@pytest.mark.parametrize(
    ("row", "part"),
    [
        (['"s"', "<urn:p>", "<urn:o>"], "subject"),
        (["_:s", "_:p", "<urn:o>"], "predicate"),
        (["_:s", "<urn:p>", "<urn:o>", '"g"'], "name of a graph"),
    ],
)
def test_term_in_the_wrong_place_is_not_written(row, part):
    with pytest.raises(DataError, match=f"cannot be the {part}"):
        write_ntriples(pa.table({str(place): [term] for place, term in enumerate(row)}), "t.nt")
