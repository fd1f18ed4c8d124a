"""The instructions of LAM 2010L, figure 2, as formulas, and the subexponential indexes that they use.

    load <t> l K     ?ˡ(l t) ⅋ K
    unload l <t> K   (l t)⊥ ⊗ K
    loop l B K       a definition c ≜ ∃T[(l T)⊥ ⊗ B] ⊕ !^{l̂}K, where B continues with c
    end              ⊥

Law: l̂ lies below every data index except l, so that !^{l̂} can be introduced exactly when the context of l is empty; and
no such index lies below another, since the order is transitive and would lead from l̂ to l by way of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.lab.semantics.sellf.checker import Definition
from tidelog.lab.semantics.sellf.formula import (
    BOTTOM,
    AtomFormula,
    Formula,
    Negation,
    Test,
    bang,
    exists,
    par,
    plus,
    quest,
    tensor,
)
from tidelog.lab.semantics.sellf.signature import Signature
from tidelog.lab.semantics.sellf.term import ConstantTerm, Term, VariableTerm

INFINITY, MINUS_INFINITY, TEST = "inf", "-inf", "test"
UPD, PICKED, EXEC, RULES, QUERY, SPARE = "upd", "picked", "exec", "rules", "query", "spare"
INS, DEL = ConstantTerm("INS"), ConstantTerm("DEL")
END = BOTTOM
PENDING = frozenset({UPD, PICKED, EXEC})
ELEMENT = VariableTerm("T")
"""The variable by which a loop names the element that it has taken."""


def table(relation: str) -> str:
    """p: the table of a relation."""
    return f"table {relation}"


def fresh(relation: str) -> str:
    """pν: the table in which picked updates count already."""
    return f"fresh {relation}"


def delta(relation: str) -> str:
    """Δp: the one tuple whose delta rules are running."""
    return f"delta {relation}"


def work(position: int) -> str:
    """The copy that the loop at this body position consumes."""
    return f"work {position}"


def hat(index: str) -> str:
    """l̂: its bang says that the context of l is empty."""
    return f"empty {index}"


def signature_of(relations: Iterable[str], positions: int) -> Signature:
    """The subexponentials of a program: -∞ below all, ∞ above all, `rules` and ∞ unbounded, all else linear."""
    tables = [name(relation) for relation in relations for name in (table, fresh, delta)]
    looped = [*tables, *map(work, range(positions)), SPARE]
    data = [*looped, UPD, PICKED, EXEC, QUERY, RULES, INFINITY]
    order = [(hat(loop), index) for loop in looped for index in data if index != loop]
    order += [(TEST, index) for index in data if index not in PENDING]
    indexes = [*data, *map(hat, looped), TEST, MINUS_INFINITY]
    order += [pair for index in indexes for pair in ((MINUS_INFINITY, index), (index, INFINITY))]
    unbounded = {RULES, INFINITY}
    return Signature.of(indexes, order, unbounded, unbounded)


def load(element: tuple[Term, ...], index: str, then: Formula) -> Formula:
    """Put an element into a context."""
    return par(quest(index, AtomFormula(index, element)), then)


def unload(index: str, element: tuple[Term, ...], then: Formula) -> Formula:
    """Take an element out of a context."""
    return tensor(Negation(AtomFormula(index, element)), then)


def loop(parameters: tuple[str, ...], index: str, body: Formula, then: Formula) -> Definition:
    """Take the elements T of a context one by one through the body, which calls the definition again."""
    taken = exists(ELEMENT.name, unload(index, (ELEMENT,), body))
    return Definition(parameters, plus(taken, bang(hat(index), then)))


def either(test: Test, then: Formula, otherwise: Formula) -> Formula:
    """Go on by whether a test holds."""
    against = Test(test.op, test.left, test.right, not test.truth)
    return plus(tensor(test, then), tensor(against, otherwise))


def equal(left: Term, right: Term) -> Test:
    """(s = t)."""
    return Test("=", left, right)
