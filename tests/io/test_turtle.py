"""Turtle and TriG: the statements of the same N-Triples, blank nodes of a file, mistakes, and a round trip."""

import gzip
import sys
from random import Random

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from tidelog.cli import app
from tidelog.errors import DataError
from tidelog.io.ntriples import blank_nodes_of, read_nquads, read_ntriples, write_ntriples
from tidelog.io.turtle import read_turtle, write_turtle
from tidelog.program.functions.rdf_terms import LiteralParts

XSD = "http://www.w3.org/2001/XMLSchema#"
GOOD = r"""
@prefix ex: <http://ex.org/> .
@base <http://base.org/dir/> .
ex:ann a ex:Person ; ex:name "Ann"@EN, "caf\u00e9"^^<http://www.w3.org/2001/XMLSchema#string> ; ex:age 07 .
<file> ex:size 1.50 ; ex:open true ; ex:text '''two
lines''' .
"""


def run(*args):
    return CliRunner().invoke(app, list(map(str, args)))


def rows(table):
    return list(zip(*(c.to_pylist() for c in table.columns), strict=True))


def read(text, kind="turtle", names="spo", **more):
    return rows(read_turtle(text.encode(), "t.ttl", names, kind, blank_nodes_of("t.ttl"), **more))


def test_terms_are_those_of_ntriples():
    assert read(GOOD) == [
        ("<http://ex.org/ann>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://ex.org/Person>"),
        ("<http://ex.org/ann>", "<http://ex.org/name>", '"Ann"@en'),
        ("<http://ex.org/ann>", "<http://ex.org/name>", '"café"'),
        ("<http://ex.org/ann>", "<http://ex.org/age>", f'"07"^^<{XSD}integer>'),
        ("<http://base.org/dir/file>", "<http://ex.org/size>", f'"1.50"^^<{XSD}decimal>'),
        ("<http://base.org/dir/file>", "<http://ex.org/open>", f'"true"^^<{XSD}boolean>'),
        ("<http://base.org/dir/file>", "<http://ex.org/text>", r'"two\nlines"'),
    ]


def test_blank_nodes_belong_to_their_file_and_are_always_the_same():
    text = "<urn:a> <urn:b> [ <urn:c> _:n1, _:x ], [] . _:x <urn:d> (1) ."
    found = read(text)
    assert found == read(text)
    labels = {term for row in found for term in row if term.startswith("_:")}
    assert labels == {f"_:t.ttl.{label}" for label in ("n1", "x", "n2", "n3", "n4")}


def test_the_default_graph_of_trig_is_empty():
    found = read("<urn:g> { <urn:a> <urn:b> _:x } <urn:a> <urn:b> _:x .", "trig", "spog")
    assert found == [
        ("<urn:a>", "<urn:b>", "_:t.ttl.x", "<urn:g>"),
        ("<urn:a>", "<urn:b>", "_:t.ttl.x", ""),
    ]


def test_base_of_the_directive():
    assert read("<a> <b> <c> .", base="http://x.org/y")[0][0] == "<http://x.org/a>"
    with pytest.raises(DataError, match="not Turtle: Invalid base IRI"):
        read("<a> <b> <c> .", base="x y")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("<urn:a>\n <urn:b> .", "2:10"),
        ("<urn:a> <urn:b> ex:c .", "1:17"),
        ("<a> <urn:b> <urn:c> .", "1:1"),
        ('\n\n<urn:a> <urn:b> "open', "3:17"),
    ],
)
def test_mistakes_have_a_line(text, place):
    with pytest.raises(DataError, match=rf"t\.ttl:{place}: not Turtle: .*; nothing was read") as caught:
        read(text)
    assert "Parser error" not in str(caught.value)


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(DataError, match=r"t\.ttl:1:18: not Turtle: Invalid UTF-8"):
        read_turtle(b'<urn:a> <urn:b> "\xff" .', "t.ttl", "spo", "turtle", str)


@pytest.mark.parametrize("term", ['"a"@en--ltr', "<<( <urn:a> <urn:b> <urn:c> )>>"])
def test_terms_of_rdf_1_2_are_refused(term):
    with pytest.raises(DataError, match=r"is a term of RDF 1\.2"):
        read(f"<urn:a> <urn:b> {term} .")


def test_what_is_written_reads_back_and_depends_on_the_rows_alone():
    table = read_ntriples(b'<urn:a> <urn:b> "x"@en .\n<urn:a> <urn:c> _:b .\n_:b <urn:c> "1" .\n', "t", "spo")
    text = write_turtle(table, "out.ttl", "turtle", [("u", "urn:")])
    assert text == b'@prefix u: <urn:> .\nu:a u:b "x"@en ;\n\tu:c _:b .\n_:b u:c "1" .\n'
    assert read_turtle(text, "t", "spo", "turtle", str).equals(table)
    quads = pa.table({"s": ["<urn:a>"] * 2, "p": ["<urn:b>"] * 2, "o": ['"c"'] * 2, "g": ["", "<urn:g>"]})
    assert read_turtle(write_turtle(quads, "t", "trig"), "t", "spog", "trig", str).equals(quads)


def random_term(rng, place):
    """A canonical term that a statement can have in this place."""
    signs = "ab 'é\"\\\t\r\n\u0000\u0001\u007f\u2028\ufeff\ufffe\U0001f30a#.;,<>@^_:"
    text = "".join(rng.choice(signs) for _ in range(rng.randrange(6)))
    iri = "<urn:" + "".join(rng.choice("ab/?é.,;'()~:@!$&*+=-_") for _ in range(rng.randrange(6))) + ">"
    if place == 2 and rng.random() < 0.6:
        return str(
            LiteralParts(text, *rng.choice([(f"{XSD}string",), ("", "en-gb"), (f"{XSD}integer",), ("urn:type",)]))
        )
    blank = f"_:{rng.choice(['b', '1', 'é', 'a.b', 'a-b', 'n1', 'A_'])}"
    return "" if place == 3 and rng.random() < 0.3 else blank if place != 1 and rng.random() < 0.3 else iri


def test_random_statements_read_back_from_every_format():
    readers = {"nt": read_ntriples, "nq": read_nquads}
    for seed in range(60):
        rng = Random(seed)
        for kind, places in (("nt", 3), ("nq", 4), ("turtle", 3), ("trig", 4)):
            rows = sorted({tuple(random_term(rng, place) for place in range(places)) for _ in range(8)})
            names = list("spog"[:places])
            table = pa.table([pa.array(column) for column in zip(*rows, strict=True)], names=names)
            if kind in readers:
                read = readers[kind](write_ntriples(table, "x"), "x", names)
            else:
                data = write_turtle(table, "x", kind, [("ex", "urn:a")])
                read = read_turtle(data, "x", names, kind, lambda blank: blank)
            assert sorted(map(tuple, (row.values() for row in read.to_pylist()))) == rows, (seed, kind)


def test_relative_iris_are_not_written():
    with pytest.raises(DataError, match=r"out\.ttl: No scheme.*<a> <urn:b> <urn:c> \."):
        write_turtle(pa.table({"s": ["<a>"], "p": ["<urn:b>"], "o": ["<urn:c>"]}), "out.ttl", "turtle")


def test_without_the_extra_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    monkeypatch.setattr("tidelog.io.turtle.find_spec", lambda name: None)
    with pytest.raises(DataError, match=r"pip install 'tidelog\[rdf\]'") as caught:
        read("<urn:a> <urn:b> <urn:c> .")
    assert caught.value.code == "TL1098"


def test_files_of_all_kinds_are_read_and_written(tmp_path):
    (tmp_path / "p.dl").write_text(
        '.input triple(IO=turtle)\n.input quad(IO=trig)\n.input line(filename="data/*.nq")\n'
        '.output t(IO=turtle)\n.output t(IO=ntriples)\n.output g(IO=trig, filename="g.trig.gz")\n.output g(IO=nquads)\n'
        "t(S, P, O) :- triple(S, P, O).\ng(S, P, O, G) :- quad(S, P, O, G).\ng(S, P, O, G) :- line(S, P, O, G).\n"
    )
    (tmp_path / "triple.ttl.gz").write_bytes(gzip.compress(b"<urn:b> <urn:p> 1, _:x . <urn:a> <urn:p> [] ."))
    (tmp_path / "quad.trig").write_text("<urn:g> { <urn:a> <urn:p> <urn:o> }")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "1.nq").write_text("_:x <urn:p> <urn:o> .")
    (tmp_path / "data" / "2.nq").write_text("_:x <urn:p> <urn:o> _:g .")
    result = run("run", tmp_path / "p.dl", "-F", tmp_path, "-D", tmp_path / "out", "--runtime", "embedded")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out" / "t.nt").read_text() == (
        "<urn:a> <urn:p> _:triple.ttl.gz.n1 .\n"
        f'<urn:b> <urn:p> "1"^^<{XSD}integer> .\n<urn:b> <urn:p> _:triple.ttl.gz.x .\n'
    )
    again = read_turtle((tmp_path / "out" / "t.ttl").read_bytes(), "t", "spo", "turtle", str)
    assert write_ntriples(again, "t") == (tmp_path / "out" / "t.nt").read_bytes()
    assert (tmp_path / "out" / "g.nq").read_text() == (
        "<urn:a> <urn:p> <urn:o> <urn:g> .\n_:x <urn:p> <urn:o> .\n_:x <urn:p> <urn:o> _:g .\n"
    )
    trig = gzip.decompress((tmp_path / "out" / "g.trig.gz").read_bytes())
    assert len(read(trig.decode(), "trig", "spog")) == 3


def test_the_number_of_columns_is_checked(tmp_path):
    (tmp_path / "p.dl").write_text(".input t(IO=trig)\nr(S) :- t(S, _, _).\n")
    result = run("run", tmp_path / "p.dl", "-F", tmp_path)
    assert "TL923" in result.stderr
    assert "IO=trig needs 4 symbol columns" in result.stderr
    (tmp_path / "p.dl").write_text("r(S) :- t(S, _).\n")
    (tmp_path / "t.nq").write_text("")
    result = run("run", tmp_path / "p.dl", "-F", tmp_path)
    assert "TL1058" in result.stderr
