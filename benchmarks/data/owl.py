"""Several universities instead of one, and the rules of OWL RL that they touch.

Law: a copy renames every university that has a number, and all that is named after it; what has no number (classes,
properties, the ontology) is shared. All systems get numbers for terms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.data.lubm import QUICK, RULES, TERMS, Triple, encoded, read_triples
from benchmarks.data.workloads import Workload

COPIES, APART = 10, 1_000
"""LUBM-1 names universities 0 to 999."""
NUMBERED = re.compile(r"University(\d+)")
OWL = "http://www.w3.org/2002/07/owl#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
OWL_TERMS = {
    **TERMS,
    **{name: f"<{OWL}{name}>" for name in ("inverseOf", "someValuesFrom", "onProperty", "intersectionOf")},
    **{name: f"<{OWL}{name}>" for name in ("equivalentClass", "equivalentProperty")},
    **{name: f"<{OWL}{name}>" for name in ("TransitiveProperty", "SymmetricProperty")},
    **{name: f"<{RDF}{name}>" for name in ("first", "rest", "nil")},
}
OWL_RULES = (
    RULES
    + """
inv1   t(Y, B, X) :- t(A, {inverseOf}, B), t(X, A, Y).
inv2   t(Y, A, X) :- t(A, {inverseOf}, B), t(X, B, Y).
trp    t(X, A, Z) :- t(A, {type}, {TransitiveProperty}), t(X, A, Y), t(Y, A, Z).
symp   t(Y, A, X) :- t(A, {type}, {SymmetricProperty}), t(X, A, Y).
eqc1   t(A, {subClassOf}, B) :- t(A, {equivalentClass}, B).
eqc2   t(B, {subClassOf}, A) :- t(A, {equivalentClass}, B).
eqp1   t(A, {subPropertyOf}, B) :- t(A, {equivalentProperty}, B).
eqp2   t(B, {subPropertyOf}, A) :- t(A, {equivalentProperty}, B).
svf1   t(X, {type}, R) :- t(R, {someValuesFrom}, C), t(R, {onProperty}, A), t(X, A, Y), t(Y, {type}, C).
list1  holds(L, C) :- t(L, {first}, C).
list2  holds(L, C) :- t(L, {rest}, M), holds(M, C).
all1   in_all(X, L) :- t(L, {rest}, {nil}), t(L, {first}, C), t(X, {type}, C).
all2   in_all(X, L) :- t(L, {rest}, M), in_all(X, M), t(L, {first}, C), t(X, {type}, C).
int1   t(X, {type}, C) :- t(C, {intersectionOf}, L), in_all(X, L).
int2   t(C, {subClassOf}, D) :- t(C, {intersectionOf}, L), holds(L, D).
"""
)


def read_copies(path: Path, quick: bool) -> list[Triple]:
    """LUBM-1 and its copies, each triple once."""
    triples = read_triples(path, QUICK // 5 if quick else None)
    return list(dict.fromkeys(triple for number in range(COPIES) for triple in copied(triples, number)))


def copied(triples: Sequence[Triple], number: int) -> Iterator[Triple]:
    """The triples with universities of another number.

    >>> list(copied([("<http://www.University7.edu>", "<a>", "<#University>")], 2))
    [('<http://www.University2007.edu>', '<a>', '<#University>')]
    """
    for s, p, o in triples:
        yield _renamed(s, number), p, _renamed(o, number)


def _renamed(term: str, number: int) -> str:
    if not number or "University" not in term:
        return term
    return NUMBERED.sub(lambda found: f"University{int(found[1]) + number * APART}", term)


def rdfs_copies(path: Path, quick: bool) -> Workload:
    """The six RDFS rules."""
    workload, _ = encoded(read_copies(path, quick))
    title = f"RDFS, {COPIES} x LUBM-1, {len(workload.facts['t']):,} triples"
    return Workload("rdfs", title, workload.rules, "t", workload.facts, workload.sql)


def owl_copies(path: Path, quick: bool) -> Workload:
    """OWL RL, as far as LUBM touches it: three relations that recur together."""
    triples = read_copies(path, quick)
    workload, numbers = encoded(triples, OWL_TERMS.values())
    named = {name: numbers[term] for name, term in OWL_TERMS.items()}
    lines = [line.split(maxsplit=1)[1] for line in OWL_RULES.format(**named).split("\n") if line]
    title = f"OWL RL, {COPIES} x LUBM-1, {len(triples):,} triples"
    return Workload("owl", title, "\n".join(lines), "t", workload.facts, "")
