"""A knowledge graph: RDF triples, the RDFS rules, paths through places, and an ontology that changes."""

from pathlib import Path

from tidelog import Engine
from tidelog.io.ntriples import read_ntriples

FOLDER = Path(__file__).parent / "data" / "art"
ART = "<http://art.example/{}>"


def short(term):
    """A term without brackets and namespace."""
    return term.strip("<>").rpartition("/")[2].rpartition("#")[2]


def types(db, thing):
    """The classes of a thing."""
    return ", ".join(sorted(short(kind) for (kind,) in db.query(f'type("{ART.format(thing)}", C)')))


def main():
    triples = read_ntriples((FOLDER / "art.nt").read_bytes(), "art.nt", ("s", "p", "o"))
    db = Engine.from_file(FOLDER / "art.dl")
    with db.epoch() as epoch:
        epoch.insert("triple", triples)
    print(f"{triples.num_rows} triples; the Last Supper is: {types(db, 'LastSupper')}")
    print("works by place:", {short(place): count for place, count in sorted(db["works"]) if count > 2})

    with db.epoch() as epoch:
        epoch.delete("triple", [(ART.format("Milkmaid"), ART.format("keptIn"), ART.format("Rijksmuseum"))])
        epoch.insert("triple", [(ART.format("Milkmaid"), ART.format("keptIn"), ART.format("Louvre"))])
    counts = {short(place): count for place, count in sorted(epoch.changes["works"].inserted)}
    print("after the Milkmaid is lent to Paris:", counts)

    print("the ontology learns that frescos are murals:")
    with db.epoch() as epoch:
        subclass = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
        epoch.insert("triple", [(ART.format("Fresco"), subclass, ART.format("Mural"))])
    print(f"  the Last Supper is: {types(db, 'LastSupper')}")

    print("a new rule: pupils of painters are painters")
    painter, taught = ART.format("Painter"), ART.format("taught")
    with db.epoch() as epoch:
        epoch.delete("triple", [(ART.format("Fabritius"), ART.format("painted"), ART.format("Goldfinch"))])
        epoch.add_rule(f'type(Y, "{painter}") :- type(X, "{painter}"), triple(X, "{taught}", Y).', "pupils")
    print(f"  Fabritius, without any painting, is: {types(db, 'Fabritius')}")


if __name__ == "__main__":
    main()
