"""RDFS: triples in N-Triples, the entailment rules of the vocabulary, and an ontology that changes."""

from tidelog import Engine
from tidelog.io.ntriples import read_ntriples

TRIPLES = """
<urn:Dog> <rdfs:subClassOf> <urn:Mammal> .
<urn:Mammal> <rdfs:subClassOf> <urn:Animal> .
<urn:hasPuppy> <rdfs:subPropertyOf> <urn:hasChild> .
<urn:hasChild> <rdfs:domain> <urn:Parent> .
<urn:hasPuppy> <rdfs:range> <urn:Dog> .
<urn:laika> <urn:hasPuppy> <urn:rex> .
<urn:laika> <rdf:type> <urn:Dog> .
<urn:rex> <urn:name> "Rex"@en .
"""
RULES = """
#define TYPE "<rdf:type>"
#define SUB_CLASS "<rdfs:subClassOf>"
#define SUB_PROPERTY "<rdfs:subPropertyOf>"
holds(S, P, O)            :- triple(S, P, O).
holds(A, SUB_CLASS, C)    :- holds(A, SUB_CLASS, B), holds(B, SUB_CLASS, C).
holds(P, SUB_PROPERTY, R) :- holds(P, SUB_PROPERTY, Q), holds(Q, SUB_PROPERTY, R).
holds(S, Q, O)            :- holds(P, SUB_PROPERTY, Q), holds(S, P, O).
holds(X, TYPE, C)         :- holds(P, "<rdfs:domain>", C), holds(X, P, _).
holds(X, TYPE, C)         :- holds(P, "<rdfs:range>", C), holds(_, P, X).
holds(X, TYPE, D)         :- holds(C, SUB_CLASS, D), holds(X, TYPE, C).
"""


def types(db, thing):
    """The classes of a thing, without their brackets."""
    answers = db.query(f'holds("<urn:{thing}>", "<rdf:type>", C)')
    return ", ".join(sorted(c.removeprefix("<urn:").removesuffix(">") for (c,) in answers))


def main():
    table = read_ntriples(TRIPLES.encode(), "pets.nt", ("s", "p", "o"))
    db = Engine(RULES)
    with db.epoch() as epoch:
        epoch.insert("triple", table)
    print(f"{table.num_rows} triples entail {len(db['holds'])}")
    print("laika is:", types(db, "laika"))
    print("rex is:", types(db, "rex"))

    with db.epoch() as epoch:
        epoch.delete("triple", [("<urn:hasPuppy>", "<rdfs:range>", "<urn:Dog>")])
    lost = epoch.changes["holds"].deleted
    print(f"without the range of hasPuppy {len(lost)} statements fall; rex is: {types(db, 'rex') or 'nothing known'}")

    with db.epoch() as epoch:
        epoch.add_rule('holds(Y, "<urn:childOf>", X) :- holds(X, "<urn:hasChild>", Y).', "inverse")
    print("an inverse property gives", *sorted(epoch.changes["holds"].inserted))


if __name__ == "__main__":
    main()
