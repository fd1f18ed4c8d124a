"""Programs that ship with Tidelog: RDFS and OWL 2 RL, judged by owlrl on random small ontologies."""

import random

import pytest

from tests.law.share import share
from tidelog import Engine
from tidelog.errors import ConstraintError, ProgramError

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
XSD = "http://www.w3.org/2001/XMLSchema#"
EX = "http://ex.org/"
PREFIXES = f".prefix ex: <{EX}>\n.prefix rdf: <{RDF}>\n.prefix rdfs: <{RDFS}>\n.prefix owl: <{OWL}>\n"

CLASSES, PROPERTIES, NODES = ([f"<{EX}{kind}{i}>" for i in range(4)] for kind in "CPn")
TYPE = f"<{RDF}type>"
TRAITS = ["Functional", "InverseFunctional", "Symmetric", "Transitive", "Irreflexive", "Asymmetric"]


def rdfs_triples(rnd, literals=('"text"',)):
    pick = rnd.choice
    for _ in range(rnd.randrange(3, 9)):
        yield pick([
            (pick(CLASSES), f"<{RDFS}subClassOf>", pick(CLASSES)),
            (pick(PROPERTIES), f"<{RDFS}subPropertyOf>", pick(PROPERTIES)),
            (pick(PROPERTIES), f"<{RDFS}domain>", pick(CLASSES)),
            (pick(PROPERTIES), f"<{RDFS}range>", pick(CLASSES)),
        ])  # fmt: skip
    for _ in range(rnd.randrange(3, 9)):
        yield pick([(pick(NODES), TYPE, pick(CLASSES)), (pick(NODES), pick(PROPERTIES), pick([*NODES, *literals]))])


def list_of(name, members):
    nodes = [f"<{EX}{name}-{i}>" for i in range(len(members))]
    for node, member, rest in zip(nodes, members, [*nodes[1:], f"<{RDF}nil>"], strict=True):
        yield node, f"<{RDF}first>", member
        yield node, f"<{RDF}rest>", rest


def owl_triples(rnd):
    pick = rnd.choice
    for number in range(rnd.randrange(2, 6)):
        c, d, p, q, n = pick(CLASSES), pick(CLASSES), pick(PROPERTIES), pick(PROPERTIES), f"l{number}"
        first, two = f"<{EX}{n}-0>", rnd.sample(CLASSES, 2)
        kinds = {
            "trait": [(p, TYPE, f"<{OWL}{pick(TRAITS)}Property>")],
            "same": [(pick(NODES), f"<{OWL}sameAs>", pick(NODES))],
            "different": [(pick(NODES), f"<{OWL}differentFrom>", pick(NODES))],
            "inverse": [(p, f"<{OWL}inverseOf>", q)],
            "class": [(c, f"<{OWL}equivalentClass>", d)],
            "property": [(p, f"<{OWL}equivalentProperty>", q)],
            "disjoint": [(c, f"<{OWL}disjointWith>", d)],
            "complement": [(c, f"<{OWL}complementOf>", d)],
            "disjoint properties": [(p, f"<{OWL}propertyDisjointWith>", q)],
            "intersection": [(c, f"<{OWL}intersectionOf>", first), *list_of(n, two)],
            "union": [(c, f"<{OWL}unionOf>", first), *list_of(n, two)],
            "one of": [(c, f"<{OWL}oneOf>", first), *list_of(n, rnd.sample(NODES, 2))],
            "chain": [(p, f"<{OWL}propertyChainAxiom>", first), *list_of(n, rnd.sample(PROPERTIES, 2))],
            "key": [(c, f"<{OWL}hasKey>", first), *list_of(n, rnd.sample(PROPERTIES, 2))],
            "some": [(c, f"<{OWL}someValuesFrom>", pick([d, f"<{OWL}Thing>"])), (c, f"<{OWL}onProperty>", p)],
            "all": [(c, f"<{OWL}allValuesFrom>", d), (c, f"<{OWL}onProperty>", p)],
            "has": [(c, f"<{OWL}hasValue>", pick(NODES)), (c, f"<{OWL}onProperty>", p)],
            "most": [
                (c, f"<{OWL}maxCardinality>", f'"{pick("01")}"^^<{XSD}nonNegativeInteger>'),
                (c, f"<{OWL}onProperty>", p),
            ],
        }
        yield from pick(list(kinds.values()))
    yield from rdfs_triples(rnd, ())  # owlrl infers through literals as subjects


def closure(triples, semantics):
    """What owlrl derives, without what every graph entails, and how many errors it reports."""
    owlrl = pytest.importorskip("owlrl")
    import rdflib

    graph = rdflib.Graph()
    graph.parse(data="".join(f"{s} {p} {o} .\n" for s, p, o in triples), format="nt")
    owlrl.DeductiveClosure(getattr(owlrl, semantics), axiomatic_triples=False, datatype_axioms=False).expand(graph)
    found = {tuple(term.n3() for term in row) for row in graph}
    return {row for row in found if "ErrorMessage" not in row[0]}, "ErrorMessage" in str(found)


TRIVIAL = {f"<{RDFS}subClassOf>", f"<{RDFS}subPropertyOf>", f"<{OWL}sameAs>", f"<{OWL}equivalentClass>",
           f"<{OWL}equivalentProperty>"}  # fmt: skip
EVERYTHING = {f"<{RDFS}Resource>", f"<{OWL}Thing>", f"<{RDFS}Class>", f"<{RDF}Property>", f"<{OWL}Class>",
              f"<{RDFS}Literal>", f"<{RDFS}Datatype>", f"<{OWL}Nothing>"}  # fmt: skip


def told(rows):
    """The statements about terms of the test, without those that hold of every class, property or node."""
    return {
        (s, p, o)
        for s, p, o in rows
        if s.startswith(f"<{EX}")
        and not (p in TRIVIAL and (s == o or {s, o} & EVERYTHING))
        and not (p == TYPE and o in EVERYTHING)
        and not (p in (f"<{RDFS}domain>", f"<{RDFS}range>") and o in EVERYTHING)
        and not ({s, p, o} & {f"<{RDF}nil>"} and p == f"<{OWL}sameAs>")
        and "error" not in p
    }


def mine(program, relation, triples):
    db = Engine(program)
    with db.epoch() as e:
        e.insert("triple", triples)
    return db, set(db[relation])


@pytest.mark.parametrize("convention", ["prolog", "souffle"])
def test_rdfs_is_that_of_owlrl(convention):
    for seed in range(share(8, 30)):
        triples = list(dict.fromkeys(rdfs_triples(random.Random(seed))))
        theirs, _ = closure(triples, "RDFS_Semantics")
        declared = ".decl triple(s: symbol, p: symbol, o: symbol)\n" * (convention == "souffle")
        _, found = mine(f"{declared}#include <rdfs.dl>\n", "rdfs", triples)
        assert told(found) == told(theirs), seed


def test_owl_2_rl_is_that_of_owlrl():
    cases, inconsistent = share(4, 60), 0
    for seed in range(cases):
        triples = list(dict.fromkeys(owl_triples(random.Random(seed))))
        theirs, wrong = closure(triples, "OWLRL_Semantics")
        db, found = mine("#include <owl2rl.dl>\n", "owl", triples)
        assert told(found) == told(theirs), seed
        assert bool(len(db["inconsistent"])) == wrong, seed
        inconsistent += wrong
    assert cases // 12 <= inconsistent < cases


def expanded(db):
    """What `owl2rl_merged.dl` derives, about all terms."""
    members = {}
    for term, representative in db["owl_rep"]:
        members.setdefault(representative, []).append(term)
    pairs = [(rule, members.get(x, [x]), members.get(y, [y])) for rule, x, y in db["inconsistent"]]
    wrong = {(rule, a, b) for rule, xs, ys in pairs for a in xs for b in ys}
    return set(db.query("owl_expanded(S, P, O)")), wrong


def test_representatives_are_expanded_to_what_follows_without_them():
    for seed in range(share(20, 60)):
        rnd, facts = random.Random(seed), set()
        terms = [*NODES, *CLASSES, *PROPERTIES]
        plain, merged = Engine("#include <owl2rl.dl>\n"), Engine("#include <owl2rl_merged.dl>\n")
        for _ in range(3):
            gone = set(rnd.sample(sorted(facts), min(len(facts), rnd.randrange(6))))
            same = {(rnd.choice(terms), f"<{OWL}sameAs>", rnd.choice(terms)) for _ in range(rnd.randrange(4))}
            new = ({*owl_triples(rnd)} | same) - facts
            facts = (facts - gone) | new
            for db in (plain, merged):
                with db.epoch() as e:
                    e.delete("triple", sorted(gone))
                    e.insert("triple", sorted(new))
            assert expanded(merged) == (set(plain["owl"]), set(plain["inconsistent"])), seed


def test_a_clique_of_equal_terms_costs_its_size():
    links = [(f"<{EX}c{i}>", f"<{OWL}sameAs>", f"<{EX}c{i + 1}>") for i in range(199)]
    db, _ = mine("#include <owl2rl_merged.dl>\n", "owl", [*links, (f"<{EX}c7>", f"<{EX}p>", f"<{EX}x>")])
    assert len(db["owl"]) == 2
    assert db.fact_count < 12 * 200
    assert len(db.query(f'owl_expanded(S, "<{EX}p>", "<{EX}x>")')) == 200
    assert len(db.query(f'owl_expanded("<{EX}c3>", "<{OWL}sameAs>", X)')) == 199
    with db.epoch() as e:
        e.delete("triple", [links[99]])
    assert len(db.query(f'owl_expanded("<{EX}c3>", "<{OWL}sameAs>", X)')) == 99


def test_one_member_of_a_list_is_not_different_from_itself():
    facts = [(f"<{EX}d>", TYPE, f"<{OWL}AllDifferent>"), (f"<{EX}d>", f"<{OWL}members>", f"<{EX}l-0>"),
             *list_of("l", [f"<{EX}a>", f"<{EX}c>"]), (f"<{EX}a>", f"<{OWL}sameAs>", f"<{EX}b>")]  # fmt: skip
    for library in ("owl2rl", "owl2rl_merged"):
        db, _ = mine(f"#include <{library}.dl>\n", "owl", facts)
        assert not len(db["inconsistent"])
        with db.epoch() as e:
            e.insert("triple", [(f"<{EX}c>", f"<{OWL}sameAs>", f"<{EX}b>")])
        assert {row[0] for row in db["inconsistent"]} == {"eq-diff2"}


def test_inferences_follow_changes_and_have_proofs():
    db = Engine(PREFIXES + ".include <owl2rl.dl>\n:- inconsistent(_, _, _).\n")
    with db.epoch() as e:
        e.insert("triple", [(f"<{EX}a>", f"<{OWL}sameAs>", f"<{EX}b>"), (f"<{EX}a>", f"<{EX}p>", f"<{EX}c>")])
    assert db.query("owl(ex:b, ex:p, X)").__len__() == 1
    assert "eq_rep_s" in str(db.why("owl(ex:b, ex:p, ex:c)"))
    with pytest.raises(ConstraintError), db.epoch() as e:
        e.insert("triple", [(f"<{EX}a>", f"<{OWL}differentFrom>", f"<{EX}b>")])
    with db.epoch() as e:
        e.delete("triple", [(f"<{EX}a>", f"<{OWL}sameAs>", f"<{EX}b>")])
    assert db.query("owl(ex:b, ex:p, X)").__len__() == 0


def test_a_file_of_the_program_goes_before_the_library(tmp_path):
    from tidelog.syntax import parse_program

    (tmp_path / "rdfs.dl").write_text("mine(1).\n")
    assert parse_program("#include <rdfs.dl>", include=tmp_path).facts
    assert parse_program("#include <owl2rl.dl>", include=tmp_path).rules
    with pytest.raises(ProgramError, match="TL180"):
        parse_program('#include "owl2rl.dl"', include=tmp_path)
    with pytest.raises(ProgramError, match="TL180"):
        parse_program("#include <../reader.py>", include=tmp_path)
