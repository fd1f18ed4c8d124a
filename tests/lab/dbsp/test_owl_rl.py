"""The translator of examples/owl_rl.py: one rule per axiom, and the example as a whole."""

import gzip
import importlib.util
import runpy
import sys
from pathlib import Path

import pytest

from tidelog.lab.dbsp import DatalogCircuit
from tidelog.program import Program
from tidelog.syntax import print_rule

EXAMPLE = Path(__file__).parents[3] / "examples" / "owl_rl.py"


@pytest.fixture(scope="module")
def owl_rl():
    spec = importlib.util.spec_from_file_location("owl_rl", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def triples(text):
    return [tuple(line.split()) for line in text.strip().splitlines()]


@pytest.mark.parametrize(
    ("axioms", "rules"),
    [
        ("<http://x/o#A> <http://w3/s#subClassOf> <http://x/o#B>", ["B(X) :- A(X)."]),
        ("A subClassOf _:1", []),
        ("p subPropertyOf q", ["q(X, Y) :- p(X, Y)."]),
        ("p domain A\np range B", ["A(X) :- p(X, Y).", "B(Y) :- p(X, Y)."]),
        ("p inverseOf q\nq inverseOf p", ["p(X, Y) :- q(Y, X).", "q(X, Y) :- p(Y, X)."]),
        ("p type TransitiveProperty", ["p(X, Z) :- p(X, Y), p(Y, Z)."]),
        ("C intersectionOf _:1\n_:1 first A\n_:1 rest nil", ["C(X) :- A(X).", "A(X) :- C(X)."]),
        (
            "C intersectionOf _:1\n_:1 first _:2\n_:1 rest nil\n_:2 onProperty p\n_:2 someValuesFrom B",
            ["C(X) :- p(X, Y0), B(Y0)."],
        ),
        ("a knows b", []),
    ],
)
def test_each_axiom_has_its_rules(owl_rl, axioms, rules):
    assert [print_rule(rule) for rule in owl_rl.to_rules(triples(axioms))] == rules


def test_types_become_unary_facts_and_other_triples_binary_ones(owl_rl):
    assert owl_rl.to_facts(triples("a <http://r#type> <http://x#C>\na p b")) == {"C": {("a",)}, "p": {("a", "b")}}


def test_triples_are_read_plain_and_compressed(owl_rl, tmp_path):
    plain, packed = tmp_path / "t.tsv", tmp_path / "t.tsv.gz"
    plain.write_text("a\tp\tb\n")
    packed.write_bytes(gzip.compress(b"a\tp\tb\n"))
    assert owl_rl.read_triples(plain) == owl_rl.read_triples(packed) == [("a", "p", "b")]


def test_the_translated_ontology_runs_and_follows_its_facts(owl_rl):
    given = triples(owl_rl.SMALL.replace(";", "\n"))
    db = DatalogCircuit(Program(tuple(owl_rl.to_rules(given))), owl_rl.to_facts(given))
    assert db.model()["Chair"] == {("ann",)}
    gone = db.epoch(delete={"headOf": [("ann", "cs")]}).deleted
    assert set(gone) == {"headOf", "worksFor", "Person", "Chair", "Department"}


def test_the_example_runs(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE)])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    shown = capsys.readouterr().out
    assert "Chair(X) :- Person(X), headOf(X, Y1), Department(Y1)." in shown
    assert "partOf('cs', 'university')" in shown
