"""Seeds: the nodes at which walks begin, defined by literals of a body.

Law: a seed is named after its literals with their variables renamed in order, so that two rules that begin the same
walk at the same nodes share it, regardless of the names of their variables. A single atom with one argument is its own
seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tidelog.program import Atom, Call, Comparison, Const, Literal, Negation, Term, Var, Wildcard
from tidelog.rewrite.paths.names import SEEDS
from tidelog.rewrite.paths.rules import FROM
from tidelog.rewrite.scope import body_names, map_terms, own_terms, terms_of


@dataclass(frozen=True, slots=True)
class Seed:
    """The nodes X for which the literals of ``body`` hold; ``atom`` holds if X is one of them."""

    text: str
    body: tuple[Literal, ...]
    atom: Atom

    @property
    def needs_relation(self) -> bool:
        """Whether the atom is over a relation that must still be created."""
        return self.body != (self.atom,)


def to_seed(node: Var, literals: Iterable[Literal]) -> Seed:
    """The seed that literals provide for the variable ``node``.

    >>> person, knows = Atom("person", (Var("A"),)), Atom("knows", (Var("A"), Var("B")))
    >>> to_seed(Var("A"), [person]).text, to_seed(Var("A"), [person, knows]).text
    ('person', 'person(X), knows(X, _)')
    """
    body = tuple(replace(x, span=None) for x in _renamed(tuple(literals), node))
    match body:
        case (Atom(predicate=name, args=(Var(),)) as atom,) if type(atom) is Atom:
            return Seed(name, body, atom)
    text = ", ".join(map(literal_text, body))
    return Seed(text, body, Atom(f"{SEEDS}{text}", (FROM,)))


def _renamed(literals: tuple[Literal, ...], node: Var) -> tuple[Literal, ...]:
    """The literals with X for the node, X1, X2, ... for other variables, and ``_`` for those that nothing else uses."""
    times = Counter(
        part.name for x in literals for term in terms_of(x) for part in own_terms(term) if isinstance(part, Var)
    )
    single = {
        arg.name
        for x in literals
        if isinstance(x, Atom)
        for arg in x.args
        if isinstance(arg, Var) and times[arg.name] == 1 and arg != node
    }
    others = [name for name in body_names(literals) if name != node.name and name not in single]
    known: dict[str, Term] = {name: Var(f"X{i}") for i, name in enumerate(others, 1)}
    known.update(dict.fromkeys(single, Wildcard()))
    known[node.name] = FROM
    return tuple(map_terms(literal, lambda term: _put_in(term, known)) for literal in literals)


def _put_in(term: Term, known: Mapping[str, Term]) -> Term:
    if isinstance(term, Var):
        return known[term.name]
    if isinstance(term, Call):
        return replace(term, args=tuple(_put_in(arg, known) for arg in term.args))
    return term


def literal_text(literal: Literal) -> str:
    """A unique text for a core literal."""
    match literal:
        case Atom():
            return f"{literal.predicate}({', '.join(map(term_text, literal.args))})"
        case Negation(atom=atom):
            return f"!{literal_text(atom)}"
    assert isinstance(literal, Comparison)
    return f"{term_text(literal.left)} {literal.op} {term_text(literal.right)}"


def term_text(term: Term) -> str:
    """A unique text for a scalar term.

    >>> term_text(Const(1, "number")), term_text(Const(1, "unsigned"))
    ('1', '1 unsigned')
    """
    match term:
        case Var(name=name):
            return name
        case Const(value=value, type=type_):
            return repr(value) if type_ in ("number", "symbol") else f"{value!r} {type_}"
        case Call(function=function, args=args):
            return f"{function}({', '.join(map(term_text, args))})"
    return "_"
