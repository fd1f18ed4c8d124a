"""Functions on terms of RDF, with values computed by hand; pyoxigraph judges texts of literals and comparisons."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog import Engine
from tidelog.errors import EvaluationError
from tidelog.program.functions.rdf_terms import STRING_TYPE, LiteralParts, canonical_term, literal_parts
from tidelog.program.functions.table import resolve

XSD = "http://www.w3.org/2001/XMLSchema#"
DAY = 86_400_000_000


def lit(text, type_):
    return f'"{text}"^^<{XSD}{type_}>'


def call(name, types, *args):
    return resolve(name, types.split())(*args)


@pytest.mark.parametrize(
    ("name", "arg", "value"),
    [
        ("rdf_is_iri", "<urn:a>", 1),
        ("rdf_is_iri", '"<urn:a>"', 0),
        ("rdf_is_blank", "_:b", 1),
        ("rdf_is_blank", "<urn:_:b>", 0),
        ("rdf_is_literal", '""', 1),
        ("rdf_is_literal", "_:b", 0),
        ("rdf_is_number", lit("1", "integer"), 1),
        ("rdf_is_number", lit("1.0", "integer"), 0),
        ("rdf_is_number", lit(" 1\\n", "short"), 1),
        ("rdf_is_number", lit("1e3", "decimal"), 0),
        ("rdf_is_number", lit("1e3", "double"), 1),
        ("rdf_is_number", lit("NaN", "float"), 1),
        ("rdf_is_number", lit("inf", "float"), 0),
        ("rdf_is_number", '"1"', 0),
        ("rdf_is_number", "<urn:a>", 0),
        ("rdf_is_date", lit("2026-02-29", "date"), 0),
        ("rdf_is_date", lit("2024-02-29+14:00", "date"), 1),
        ("rdf_is_date", lit("2024-02-29T10:00:00", "dateTime"), 0),
        ("rdf_is_timestamp", lit("2024-02-29T10:00:00", "dateTime"), 1),
        ("rdf_is_timestamp", lit("2024-02-29", "dateTime"), 0),
        ("rdf_is_timestamp", lit("2024-02-29T10:00", "dateTime"), 0),
        ("rdf_text", r'"a\"\t\\b"@en', 'a"\t\\b'),
        ("rdf_text", "<urn:a>", "urn:a"),
        ("rdf_text", "_:b1", "_:b1"),
        ("rdf_lang", '"a"@en-gb', "en-gb"),
        ("rdf_lang", '"a@en"', ""),
        ("rdf_lang", "<urn:a>", ""),
        ("rdf_type", '"a"', f"<{XSD}string>"),
        ("rdf_type", '"a"@en', "<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>"),
        ("rdf_type", '"a"^^<urn:t>', "<urn:t>"),
        ("rdf_type", "_:b", ""),
        ("rdf_number", lit("-007", "integer"), -7),
        ("rdf_number", lit("9223372036854775807", "long"), 2**63 - 1),
        ("rdf_number", lit("12.", "decimal"), 12),
        ("rdf_number", lit("1.2e1", "double"), 12),
        ("rdf_float", lit("0.1", "decimal"), 0.1),
        ("rdf_float", lit("1", "unsignedByte"), 1.0),
        ("rdf_float", lit("-INF", "float"), -math.inf),
        ("rdf_boolean", lit("1", "boolean"), 1),
        ("rdf_boolean", lit("false", "boolean"), 0),
        ("rdf_date", lit("1970-01-02", "date"), 1),
        ("rdf_date", lit("1970-01-02-05:00", "date"), 1),
        ("rdf_timestamp", lit("1970-01-02T00:00:00", "dateTime"), DAY),
        ("rdf_timestamp", lit("1970-01-02T00:00:00.5+01:00", "dateTime"), DAY - 3_600_000_000 + 500_000),
        ("rdf_term", r'"\u00e9"@FR', '"é"@fr'),
        ("rdf_iri", "urn:é", "<urn:é>"),
        ("rdf_literal", 'a"\n', r'"a\"\n"'),
    ],
)
def test_values_by_hand(name, arg, value):
    found = call(name, "symbol", arg)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("types", "args", "value"),
    [
        ("symbol symbol", ("chat", "FR"), '"chat"@fr'),
        ("symbol symbol", ("P1D", f"<{XSD}duration>"), lit("P1D", "duration")),
        ("symbol symbol", ("a", f"<{XSD}string>"), '"a"'),
        ("number", (-5,), lit("-5", "integer")),
        ("unsigned", (2**64 - 1,), lit("18446744073709551615", "integer")),
        ("float", (0.0,), lit("0.0E0", "double")),
        ("float", (-0.00125,), lit("-1.25E-3", "double")),
        ("float", (1e22,), lit("1.0E22", "double")),
        ("float", (123.5,), lit("1.235E2", "double")),
        ("float", (math.nan,), lit("NaN", "double")),
        ("boolean", (1,), lit("true", "boolean")),
        ("date", (-1,), lit("1969-12-31", "date")),
        ("timestamp", (1,), lit("1970-01-01T00:00:00.000001", "dateTime")),
    ],
)
def test_literals_of_values(types, args, value):
    assert call("rdf_literal", types, *args) == value


@pytest.mark.parametrize(
    ("name", "arg", "code"),
    [
        ("rdf_text", "a", "TL2060"),
        ("rdf_text", r'"\u00e9"', "TL2060"),
        ("rdf_is_iri", "", "TL2060"),
        ("rdf_term", "<a b>", "TL2061"),
        ("rdf_number", '"1"', "TL2061"),
        ("rdf_number", lit("1.5", "decimal"), "TL2061"),
        ("rdf_number", lit("INF", "double"), "TL2061"),
        ("rdf_number", lit("9223372036854775808", "integer"), "TL2001"),
        ("rdf_float", lit("x", "double"), "TL2061"),
        ("rdf_boolean", lit("yes", "boolean"), "TL2061"),
        ("rdf_date", lit("2026-13-01", "date"), "TL2061"),
        ("rdf_timestamp", lit("2026-01-01", "date"), "TL2061"),
        ("rdf_iri", "a", "TL2031"),
        ("rdf_iri", "urn:a b", "TL2031"),
    ],
)
def test_what_has_no_value_is_an_error(name, arg, code):
    with pytest.raises(EvaluationError) as caught:
        call(name, "symbol", arg)
    assert caught.value.code == code
    if name == "rdf_iri":
        with pytest.raises(EvaluationError):
            call("rdf_literal", "symbol symbol", "a", "no tag")


ONE, TWO = lit("1", "integer"), lit("2.0", "double")


@pytest.mark.parametrize(
    ("left", "right", "order", "equal"),
    [
        (ONE, TWO, -1, 0),
        (TWO, ONE, 1, 0),
        (ONE, lit("1.0", "decimal"), 0, 1),
        (lit("9007199254740993", "integer"), lit("9007199254740992", "integer"), 1, 0),
        (lit("9007199254740993", "integer"), lit("9007199254740992", "double"), 0, 1),
        (lit("NaN", "double"), lit("NaN", "double"), 3, 0),
        (ONE, '"1"', 2, 0),
        (ONE, "<urn:a>", 2, 0),
        ("<urn:a>", "<urn:a>", 2, 1),
        ('"a"', '"b"', -1, 0),
        ('"a"@en', '"a"@en', 2, 1),
        ('"a"@en', '"a"@fr', 2, 0),
        ('"a"^^<urn:t>', '"b"^^<urn:t>', 2, 2),
        ('"a"^^<urn:t>', ONE, 2, 2),
        (lit("x", "integer"), ONE, 2, 2),
        (lit("true", "boolean"), lit("0", "boolean"), 1, 0),
        (lit("2026-01-01", "date"), lit("2026-01-02", "date"), -1, 0),
        (lit("2026-01-01T01:00:00+01:00", "dateTime"), lit("2026-01-01T00:00:00Z", "dateTime"), 0, 1),
    ],
)
def test_comparison(left, right, order, equal):
    assert call("rdf_compare", "symbol symbol", left, right) == order
    assert call("rdf_equals", "symbol symbol", left, right) == equal


@settings(max_examples=200)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_texts_of_literals_are_those_of_pyoxigraph_and_read_back(text):
    oxigraph = pytest.importorskip("pyoxigraph")
    made = str(LiteralParts(text, STRING_TYPE))
    assert made == str(oxigraph.Literal(text)) == canonical_term(made)
    assert literal_parts(made).text == text


@settings(max_examples=100)
@given(st.floats())
def test_floats_read_back_from_their_literal(value):
    again = call("rdf_float", "symbol", call("rdf_literal", "float", value))
    assert again == value or (again != again and value != value)


def test_typed_literals_in_rules():
    db = Engine(
        """
        price(X, rdf_float(O)) :- triple(X, "<urn:price>", O), rdf_is_number(O).
        bought(X, rdf_date(O)) :- triple(X, "<urn:bought>", O), rdf_is_date(O).
        total(sum<P>) :- price(X, P).
        label(X, rdf_literal(P), rdf_iri("urn:" + to_string(D))) :- price(X, P), bought(X, D).
        """
    )
    with db.epoch() as e:
        e.insert(
            "triple",
            [
                ("<urn:a>", "<urn:price>", lit("1.50", "decimal")),
                ("<urn:b>", "<urn:price>", lit("2", "integer")),
                ("<urn:c>", "<urn:price>", '"free"'),
                ("<urn:a>", "<urn:bought>", lit("2026-06-01", "date")),
            ],
        )
    assert list(db["total"]) == [(3.5,)]
    assert list(db["label"]) == [("<urn:a>", lit("1.5E0", "double"), "<urn:2026-06-01>")]
