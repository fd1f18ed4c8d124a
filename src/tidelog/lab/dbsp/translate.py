"""From programs to clauses: atoms and negated atoms, with a diagnostic for everything else.

Law: a translated rule has the same ground instances as the rule, each ``_`` being a separate variable; constants become
numbers, one per value and type, so that ``1`` and ``1.0`` stay distinct and comparing them costs nothing.
A negated atom with ``_`` reads a projection, whose clause is added. Nothing else is rewritten: disjunctions, paths,
comparisons and functions are refused, all in one report.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from tidelog.errors import Diagnostic, ProgramError
from tidelog.lab.dbsp.clause import Atom as Pattern
from tidelog.lab.dbsp.clause import Clause, Variable
from tidelog.lab.dbsp.dbsp_catalogue import COLUMNS, LITERAL, NEGATED, TERM, UNBOUND
from tidelog.lab.dbsp.dbsp_failures import NO_VALUE
from tidelog.program import Atom, Call, Const, Fact, Negation, Program, Rule, Term, Value, Var, Wildcard
from tidelog.program.graph.lifetime import retentions
from tidelog.program.values.term import canonical_float
from tidelog.rewrite.names import PROJECTION
from tidelog.rewrite.project_negations import project_negations

LITERAL_NAMES = {
    "Comparison": "a comparison",
    "Boolean": "a truth value",
    "Disjunction": "a disjunction",
    "PathAtom": "a path",
}


class Constants:
    """A number for every value, and back.

    >>> constants = Constants()
    >>> [constants.number(value) for value in (1, 1.0, "1", 1)]
    [0, 1, 2, 0]
    >>> constants.value(2)
    '1'
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._values: list[Value] = []

    def number(self, value: Value) -> int:
        """The value's number; a new one for a new value."""
        key = value if type(value) is str else _typed(value)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._values)
            self._values.append(canonical_float(value) if isinstance(value, float) else value)
        return number

    def value(self, number: int) -> Value:
        """The value of a number."""
        return self._values[number]


def _typed(value: Value) -> Hashable:
    """A key that distinguishes values of different types, also inside lists."""
    if isinstance(value, tuple):
        return tuple, tuple(map(_typed, value))
    if isinstance(value, float):
        return float, canonical_float(value)
    if isinstance(value, int):
        return int, int(value)
    if isinstance(value, str):
        return value
    raise NO_VALUE.error(value=value)


class Arities:
    """The number of columns of each relation, fixed by its first use.

    >>> arities = Arities()
    >>> arities.fits("edge", 2), arities.fits("edge", 3), arities.expected("edge")
    (True, False, 2)
    """

    def __init__(self) -> None:
        self._arities: dict[str, int] = {}

    def fits(self, relation: str, columns: int) -> bool:
        """Whether the relation has this number of columns; a new relation does."""
        return self._arities.setdefault(relation, columns) == columns

    def copy(self) -> Arities:
        """The same knowledge, to be added to on trial."""
        trial = Arities()
        trial._arities.update(self._arities)
        return trial

    def expected(self, relation: str) -> int:
        """The number of columns of a relation that was seen."""
        return self._arities[relation]


def check(program: Program, arities: Arities | None = None) -> None:
    """Raises one error with every finding about the program's rules and facts.

    >>> from tidelog.program import Comparison
    >>> x = Var("X")
    >>> check(Program((Rule(Atom("p", (x,)), (Atom("q", (x,)), Comparison("<", x, x)), "r1"),)))
    Traceback (most recent call last):
    ...
    tidelog.errors.ProgramError: TL801: a comparison in rule `r1` cannot run on the circuit
    """
    seen = arities or Arities()
    findings = [d for rule in program.rules for d in _rule_findings(rule, seen)]
    findings += [d for fact in program.facts for d in _fact_findings(fact, seen)]
    findings += [
        TERM.diagnostic(None, what="a lifetime or a maximum number of facts", where=f"`{name}`")
        for name in retentions(program)
    ]
    if findings:
        raise ProgramError(findings)


def rule_to_clauses(rule: Rule, constants: Constants) -> list[Clause]:
    """The clause of a rule, after those of the projections that its negated atoms read.

    >>> from tidelog.syntax import parse_program
    >>> rule = parse_program("leaf(X) :- node(X), !edge(X, _).").rules[0]
    >>> [clause.head[0] for clause in rule_to_clauses(rule, Constants())]
    ['__only_edge/1', 'leaf']
    """
    return [rule_to_clause(each, constants) for each in project_negations(rule)]


def is_projection(relation: str) -> bool:
    """Whether a relation is one that only negated atoms read.

    >>> is_projection("__only_edge/1"), is_projection("edge")
    (True, False)
    """
    return relation.startswith(PROJECTION)


def rule_to_clause(rule: Rule, constants: Constants) -> Clause:
    """The clause of a rule that ``check`` let pass.

    >>> rule = Rule(Atom("p", (Var("X"),)), (Atom("q", (Var("X"), Wildcard(), Const("a", "symbol"))),))
    >>> rule_to_clause(rule, Constants()).body
    (('q', (Variable(name='X'), Variable(name=0), 0)),)
    """
    numbers = iter(range(_wildcards(rule)))

    def term(t: Term) -> Hashable:
        if isinstance(t, Var):
            return Variable(t.name)
        return Variable(next(numbers)) if isinstance(t, Wildcard) else constants.number(_ground(t))

    body = tuple(_pattern(a, term) for a in rule.body if isinstance(a, Atom))
    negated = tuple(_pattern(a.atom, term) for a in rule.body if isinstance(a, Negation))
    return Clause(_pattern(rule.head, term), body, negated)


def fact_row(atom: Atom) -> tuple[Value, ...]:
    """The values of a ground atom that ``check`` let pass.

    >>> fact_row(Atom("p", (Const(1, "number"), Call("list", (Const("a", "symbol"),)))))
    (1, ('a',))
    """
    return tuple(_ground(term) for term in atom.args)


def _pattern(atom: Atom, term: Callable[[Term], Hashable]) -> Pattern:
    return atom.predicate, tuple(term(t) for t in atom.args)


def _wildcards(rule: Rule) -> int:
    return sum(isinstance(t, Wildcard) for atom in rule.body if isinstance(atom, Atom) for t in atom.args)


def _ground(term: Term) -> Value:
    if isinstance(term, Const):
        return term.value
    assert isinstance(term, Call), "only constants and lists of constants pass the check"
    return tuple(_ground(t) for t in term.args)


def _is_ground(term: Term) -> bool:
    if isinstance(term, Call):
        return term.function == "list" and all(_is_ground(t) for t in term.args)
    return isinstance(term, Const)


def _rule_findings(rule: Rule, arities: Arities) -> Iterator[Diagnostic]:
    label = rule.root.label or rule.root.head.predicate
    if rule.constraint is not None:
        yield LITERAL.diagnostic(rule.span, what="a constraint", label=label)
        return
    bound = {t.name for atom in rule.body if isinstance(atom, Atom) for t in atom.args if isinstance(t, Var)}
    for literal in rule.body:
        if isinstance(literal, Atom):
            yield from _atom_findings(literal, f"rule `{label}`", arities, (Var, Wildcard))
        elif isinstance(literal, Negation):
            yield from _atom_findings(literal.atom, f"rule `{label}`", arities, (Var, Wildcard))
            free = [t for t in literal.atom.args if isinstance(t, Var) and t.name not in bound]
            yield from (NEGATED.diagnostic(t.span or literal.span or rule.span, name=t.name, label=label) for t in free)
        else:
            yield LITERAL.diagnostic(literal.span or rule.span, what=LITERAL_NAMES[type(literal).__name__], label=label)
    yield from _atom_findings(rule.head, f"rule `{label}`", arities, (Var, Wildcard))
    for term in rule.head.args:
        if isinstance(term, Wildcard) or (isinstance(term, Var) and term.name not in bound):
            what = "`_`" if isinstance(term, Wildcard) else f"variable `{term.name}`"
            yield UNBOUND.diagnostic(term.span or rule.span, what=what, label=label)


def _fact_findings(fact: Fact, arities: Arities) -> Iterator[Diagnostic]:
    return _atom_findings(fact.atom, f"a fact of `{fact.atom.predicate}`", arities, ())


def _atom_findings(atom: Atom, where: str, arities: Arities, allowed: tuple[type[Term], ...]) -> Iterator[Diagnostic]:
    name, found = atom.predicate, len(atom.args)
    if not arities.fits(name, found):
        yield COLUMNS.diagnostic(atom.span, name=name, expected=arities.expected(name), found=found)
    for term in atom.args:
        if not isinstance(term, allowed) and not _is_ground(term):
            yield TERM.diagnostic(term.span or atom.span, what=_term_name(term), where=where)


def _term_name(term: Term) -> str:
    if isinstance(term, Call):
        return f"the function `{term.function}`"
    return "an aggregate" if not isinstance(term, Var | Wildcard) else "a variable"
