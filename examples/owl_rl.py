"""An ontology as a program: OWL RL axioms become rules, triples become facts of unary and binary relations.

Without an argument it runs a small ontology; with a file of tab-separated triples (plain or .gz) it prints its rules.
"""

import gzip
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from tidelog.lab.dbsp import DatalogCircuit
from tidelog.program import Atom, Rule, Var
from tidelog.syntax import print_rule

X, Y, Z = map(Var, "XYZ")
SMALL = """Chair subClassOf Person;headOf subPropertyOf worksFor;worksFor domain Person;headOf range Department
Chair intersectionOf _:1;_:1 first Person;_:1 rest _:2;_:2 first _:3;_:2 rest nil;_:3 onProperty headOf
_:3 someValuesFrom Department;member inverseOf memberOf;partOf type TransitiveProperty;ann memberOf cs;ann headOf cs
cs partOf science;science partOf university"""


def name(term: str) -> str:
    return term.strip("<>").replace("/", "#").rpartition("#")[2]


def read_triples(path: Path) -> list[tuple[str, ...]]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [tuple(line.split("\t")) for line in text.decode().split("\n") if line]


def to_rules(triples: list[tuple[str, ...]]) -> list[Rule]:
    said = {(s, name(p)): o for s, p, o in triples}  # enough for lists and restrictions, which have one of each
    return list(dict.fromkeys(rule for s, p, o in triples for rule in axiom(name(s), name(p), name(o), said)))


def axiom(c: str, kind: str, d: str, said: dict[tuple[str, str], str]) -> Iterable[Rule]:
    match kind:
        case "subClassOf" if not d.startswith("_:"):  # a restriction here would need a new individual in a head
            yield Rule(Atom(d, (X,)), (Atom(c, (X,)),))
        case "subPropertyOf":
            yield Rule(Atom(d, (X, Y)), (Atom(c, (X, Y)),))
        case "domain" | "range":
            yield Rule(Atom(d, ({"domain": X, "range": Y}[kind],)), (Atom(c, (X, Y)),))
        case "inverseOf":
            yield from (Rule(Atom(a, (X, Y)), (Atom(b, (Y, X)),)) for a, b in ((c, d), (d, c)))
        case "type" if d == "TransitiveProperty":
            yield Rule(Atom(c, (X, Z)), (Atom(c, (X, Y)), Atom(c, (Y, Z))))
        case "intersectionOf":
            yield from intersection(c, d, said)


def intersection(c: str, part: str, said: dict[tuple[str, str], str]) -> Iterable[Rule]:
    """All conditions together make a member; a member satisfies each condition that is a class."""
    body: list[Atom] = []
    while member := said.get((part, "first")):
        if filler := said.get((member, "someValuesFrom")):
            path, y = name(said[member, "onProperty"]), Var(f"Y{len(body)}")
            body += [Atom(path, (X, y)), Atom(name(filler), (y,))]
        else:
            body.append(Atom(name(member), (X,)))
        part = said[part, "rest"]
    return [Rule(Atom(c, (X,)), tuple(body)), *(Rule(a, (Atom(c, (X,)),)) for a in body if a.args == (X,))]


def to_facts(triples: list[tuple[str, ...]]) -> dict[str, set[tuple[str, ...]]]:
    """``(s, type, C)`` is ``C(s)``, every other triple ``(s, p, o)`` is ``p(s, o)``."""
    facts: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for s, p, o in triples:
        facts[name(o if name(p) == "type" else p)].add((s,) if name(p) == "type" else (s, o))
    return facts


if __name__ == "__main__":
    small = [tuple(line.split()) for line in SMALL.replace(";", "\n").splitlines()]
    triples = read_triples(Path(sys.argv[1])) if sys.argv[1:] else small
    print(*map(print_rule, to_rules(triples)), sep="\n")
    if not sys.argv[1:]:
        derived = DatalogCircuit(facts=to_facts(triples)).epoch(add=to_rules(triples)).inserted
        print(*(f"{relation}{row}" for relation in sorted(derived) for row in sorted(derived[relation])), sep="\n")
