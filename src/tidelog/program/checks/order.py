"""Recursion through a best value with witnesses: every value must be worse than those it is computed from.

Law: a witness is tested, joined and computed with like any other column, so a better value may invalidate facts derived
from a worse one. The result is still unique if values are settled best first: if along every cycle of the recursion the
value gets strictly worse, or stays equal while the first witness, a list, gets longer (shorter lists come first). A
rule `C = D + W` that reads D makes the value worse by its *step* W. If the sign of a step is not known before data
arrives, an *order rule* derives the steps that violate the law, and an epoch that derives one is refused (TL2207):

    __order_r2/1(@S, T) :- link(@S, Z, W), T = W, T < 0.

The rule reads the body without its recursion if that binds the step, and otherwise the whole body.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tidelog.errors import Diagnostic
from tidelog.program.checks.value_use import Recursion, alternatives, dependent_columns
from tidelog.program.graph.strata import Stratum, strong_components
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import scope_names, term_variables
from tidelog.program.values.term import (
    FLOAT,
    LIST,
    UNSIGNED,
    Aggregate,
    Atom,
    Call,
    Comparison,
    Const,
    Literal,
    Term,
    Var,
)

ORDER = "__order_"
STEP = Var("the step")  # cannot be written as a variable in a text
DEEP = 100
SAME, LONGER = 0, 1


@dataclass(frozen=True, slots=True)
class OrderResult:
    """The result for a stratum with witnesses: findings, or the order rules that monitor its data."""

    findings: tuple[Diagnostic, ...] = ()
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class _Edge:
    """A rule that reads a value of ``source``: by which step its own is worse, and how its witness grows."""

    rule: Rule
    body: Sequence[Literal]
    source: str
    step: Term | None
    modest: bool  # the value is known not to be better than the one read
    witness: int | None

    @property
    def is_copy(self) -> bool:
        return isinstance(self.step, Const) and self.step.value == 0


def has_witnesses(stratum: Stratum) -> bool:
    """Whether a relation of the stratum shows a best value with witnesses."""
    return any(isinstance(arg, Aggregate) and arg.ties for rule in stratum.rules for arg in rule.head.args)


def order(graded: Sequence[tuple[Rule, bool]], stratum: Stratum, recursion: Recursion) -> OrderResult:
    """Check the recursive rules of a stratum, each with whether it never derives a better value than it reads."""
    witnesses = _witness_columns(stratum, recursion)
    edges = [
        edge
        for rule, modest in graded
        for body in alternatives(rule.body)
        for edge in _edges(rule, body, recursion, modest, witnesses)
    ]
    # With a growing list, equal values are allowed too, but only if every rule that may keep a value keeps the list.
    by_list = not any(edge.witness is None and (edge.is_copy or edge.step is None) for edge in edges)
    work = _Work(recursion, by_list)
    for edge in edges:
        work.judge(edge)
    work.refuse_idle_cycles()
    return OrderResult(tuple(work.findings), tuple(work.rules))


@dataclass(slots=True)
class _Work:
    recursion: Recursion
    by_list: bool
    findings: list[Diagnostic] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    idle: list[_Edge] = field(default_factory=list)  # those that may keep value and witness as they are

    def judge(self, edge: _Edge) -> None:
        longer = self.by_list and edge.witness == LONGER
        if edge.step is None and not edge.modest:
            self._refuse(edge, "nothing ensures that its value is worse than the one it reads")
        elif edge.step is None or edge.is_copy:
            if not longer:
                self.idle.append(edge)
        elif not _is_worse(edge.step, self.recursion.kind, equal=longer) and not (longer and edge.modest):
            self._watch(edge, equal=longer)

    def _watch(self, edge: _Edge, *, equal: bool) -> None:
        if isinstance(edge.step, Const):
            self._refuse(edge, "its value is not worse than the one it reads")
        else:
            number = 1 + sum(rule.origin == edge.rule for rule in self.rules)
            self.rules.append(_order_rule(edge, self.recursion, number, equal=equal))

    def _refuse(self, edge: _Edge, reason: str) -> None:
        span = edge.rule.head.span or edge.rule.span
        self.findings.append(diagnose("TL505", span, kind=self.recursion.kind, reason=reason))

    def refuse_idle_cycles(self) -> None:
        """Refuse cycles on which nothing gets worse: their result would depend on the order of evaluation."""
        graph: dict[str, list[str]] = {name: [] for name in sorted(self.recursion.relations)}
        for edge in self.idle:
            graph[edge.rule.head.predicate].append(edge.source)
        home = {name: i for i, names in enumerate(strong_components(graph)) for name in names}
        for edge in self.idle:
            if home[edge.source] == home[edge.rule.head.predicate]:
                self._refuse(edge, "nothing in this cycle makes the value worse, so no witness is the first")


def _edges(
    rule: Rule, body: Sequence[Literal], recursion: Recursion, modest: bool, witnesses: Mapping[str, int]
) -> Iterator[_Edge]:
    defined = _definitions(body)
    lists = _list_names(body, recursion)
    value = _head_term(rule, recursion.columns.get(rule.head.predicate, -1))
    witness = _head_term(rule, witnesses.get(rule.head.predicate, -1))
    for atom in body:
        column = recursion.columns.get(atom.predicate, -1) if isinstance(atom, Atom) else -1
        if isinstance(atom, Atom) and column >= 0 and value is not None:
            read = atom.args[column]
            step = _step(value, read.name, defined) if isinstance(read, Var) else None
            carried = witnesses.get(atom.predicate, -1)
            kept = atom.args[carried] if carried >= 0 else None
            grows = None
            if isinstance(kept, Var) and witness is not None:
                grows = _growth(witness, kept.name, defined, lists)
            yield _Edge(rule, body, atom.predicate, step, modest, grows)


def _head_term(rule: Rule, column: int) -> Term | None:
    if column < 0:
        return None
    arg = rule.head.args[column]
    return arg.value if isinstance(arg, Aggregate) and arg.body is None else arg


def _witness_columns(stratum: Stratum, recursion: Recursion) -> dict[str, int]:
    """The column of each relation that carries the first witness, where that is a list."""
    first: dict[str, int] = {}
    for rule in stratum.rules:
        for arg in rule.head.args:
            if isinstance(arg, Aggregate) and arg.ties:
                column = arg.ties[0][0]
                if recursion.schema[rule.head.predicate][column] == LIST and arg.ties[0][1] == "min":
                    first[rule.head.predicate] = column
    return dependent_columns(stratum.rules, Recursion(recursion.kind, recursion.relations, first, recursion.schema))


def _definitions(body: Sequence[Literal]) -> dict[str, Term]:
    """The equations that define variables which no atom binds."""
    bound = scope_names(tuple(literal for literal in body if isinstance(literal, Atom)))
    defined: dict[str, Term] = {}
    for literal in body:
        if isinstance(literal, Comparison) and literal.op == "=":
            for side, other in ((literal.left, literal.right), (literal.right, literal.left)):
                if isinstance(side, Var) and side.name not in bound and side.name not in defined:
                    defined[side.name] = other
                    break
    return defined


def _names(term: Term, defined: Mapping[str, Term], depth: int = 0) -> set[str]:
    """The variables of a term, after following definitions."""
    found: list[Var] = []
    term_variables(term, found)
    names = {variable.name for variable in found}
    if depth < DEEP:
        names = names.union(*(_names(defined[name], defined, depth + 1) for name in names if name in defined))
    return names


def _step(term: Term, read: str, defined: Mapping[str, Term], depth: int = 0) -> Term | None:
    """The step that a term adds to the value read; None if it is not a sum."""
    if isinstance(term, Var):
        if term.name == read:
            return Const(0, "number")
        known = defined.get(term.name) if depth < DEEP else None
        return None if known is None else _step(known, read, defined, depth + 1)
    if not isinstance(term, Call) or term.function not in ("+", "-") or len(term.args) != 2:
        return None
    left, right = term.args
    for part, other in ((left, right), (right, left)) if term.function == "+" else ((left, right),):
        step = _step(part, read, defined, depth + 1)
        if step is not None and read not in _names(other, defined):
            return _added(term.function, step, other)
    return None


def _added(function: str, step: Term, other: Term) -> Term:
    if isinstance(step, Const) and step.value == 0 and function == "+":
        return other
    if isinstance(step, Const) and isinstance(other, Const):
        assert isinstance(step.value, int | float)
        assert isinstance(other.value, int | float)
        return Const(step.value + other.value if function == "+" else step.value - other.value, other.type)
    if isinstance(step, Const) and step.value == 0:
        return Call("-", (other,))
    return Call(function, (step, other))


def _is_worse(step: Term, kind: str, *, equal: bool) -> bool:
    """Whether a step is known to make the value worse, or ``equal`` to leave it as it is."""
    if not isinstance(step, Const) or not isinstance(step.value, int | float):
        return False
    by = step.value if kind == "min" else -step.value
    return by > 0 or (equal and by == 0)


def _list_names(body: Sequence[Literal], recursion: Recursion) -> dict[str, bool]:
    """The variables of atoms, with whether they are lists; where data says so later, the program is looked at again."""
    known: dict[str, bool] = {}
    for atom in body:
        if isinstance(atom, Atom):
            for arg, type_ in zip(atom.args, recursion.schema.get(atom.predicate, ()), strict=False):
                if isinstance(arg, Var):
                    known[arg.name] = type_ == LIST or known.get(arg.name, False)
    return known


def _growth(
    term: Term, read: str, defined: Mapping[str, Term], lists: Mapping[str, bool], depth: int = 0
) -> int | None:
    """LONGER if a list has more elements than the one read and keeps their order, SAME if it may have as many."""
    if isinstance(term, Var):
        if term.name == read:
            return SAME
        known = defined.get(term.name) if depth < DEEP else None
        return None if known is None else _growth(known, read, defined, lists, depth + 1)
    if not isinstance(term, Call) or len(term.args) != 2 or term.function not in ("f_concat", "f_append"):
        return None
    front, back = term.args
    if term.function == "f_append":
        return None if _growth(front, read, defined, lists, depth + 1) is None else LONGER
    grown = _growth(back, read, defined, lists, depth + 1)
    if grown is not None:
        return LONGER if _adds(front, defined, lists) else grown
    grown = _growth(front, read, defined, lists, depth + 1)
    return LONGER if grown is not None and _adds(back, defined, lists) else grown


def _adds(term: Term, defined: Mapping[str, Term], lists: Mapping[str, bool], depth: int = 0) -> bool:
    """Whether a term of a concatenation adds at least one element: it is not a list, or it is a non-empty list."""
    if isinstance(term, Var) and term.name in defined and depth < DEEP:
        return _adds(defined[term.name], defined, lists, depth + 1)
    if isinstance(term, Call):
        return term.function in ("f_append", "f_init") or (term.function == "list" and bool(term.args))
    return isinstance(term, Const) or (isinstance(term, Var) and lists.get(term.name) is False)


def _order_rule(edge: _Edge, recursion: Recursion, number: int, *, equal: bool) -> Rule:
    """A rule that derives the steps that do not make the value worse."""
    assert edge.step is not None
    type_ = recursion.schema[edge.rule.head.predicate][recursion.columns[edge.rule.head.predicate]]
    zero = Const(0.0 if type_ == FLOAT else 0, type_ if type_ in (FLOAT, UNSIGNED) else "number")
    op = {("min", True): "<", ("min", False): "<=", ("max", True): ">", ("max", False): ">="}[recursion.kind, equal]
    body = _without_recursion(edge, recursion)
    place = next(
        (atom.args[atom.location] for atom in body if isinstance(atom, Atom) and atom.location is not None), None
    )
    label = f"{edge.rule.label or edge.rule.head.predicate}/order{number}"
    columns = (STEP,) if place is None else (place, STEP)
    head = Atom(f"{ORDER}{label}", columns, None if place is None else 0)
    watched = (*body, Comparison("=", STEP, edge.step), Comparison(op, STEP, zero))
    return Rule(head, watched, label, edge.rule.span, edge.rule)


def expected_step(rule: Rule) -> str:
    """What an order rule requires of a step, as words before "zero" in the message."""
    test = rule.body[-1]
    assert isinstance(test, Comparison)
    return {"<": "at least", "<=": "above", ">": "at most", ">=": "below"}[test.op]


def _without_recursion(edge: _Edge, recursion: Recursion) -> tuple[Literal, ...]:
    """The part of the body that does not recur, if it binds the step; else the body."""
    assert edge.step is not None
    kept: list[Literal] = [x for x in edge.body if isinstance(x, Atom) and x.predicate not in recursion.relations]
    bound = scope_names(tuple(kept))
    waiting = [literal for literal in edge.body if isinstance(literal, Comparison)]
    while True:
        ready = [literal for literal in waiting if _is_ready(literal, bound)]
        if not ready:
            break
        kept += ready
        bound = bound | scope_names(tuple(ready))
        waiting = [literal for literal in waiting if literal not in ready]
    return tuple(kept) if _names(edge.step, {}) <= bound else tuple(edge.body)


def _is_ready(literal: Comparison, bound: set[str]) -> bool:
    """Whether a comparison compares bound values, or is an equation that binds one more variable."""
    unbound = scope_names((literal,)) - bound
    if not unbound or literal.op != "=":
        return not unbound
    sides = (literal.left, literal.right)
    return len(unbound) == 1 and any(
        isinstance(side, Var) and unbound == {side.name} and not _names(other, {}) - bound
        for side, other in (sides, sides[::-1])
    )
