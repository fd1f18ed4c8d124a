"""execRules as definitions: the delta rules of a program as nested loops over contexts.

LAM 2010L leaves execRules to a report. As in `linear.exec_rules`, every body atom is a loop over a copy of its context:

    copy   carries c to `work j` and to `spare`, then `back` carries `spare` to c again
    walk   takes the tuples of `work j`; one that fits continues with atom j + 1, or loads the head into `upd`

Law: a definition has the variables bound so far as its parameters, so that formulas are first order: what the paper
writes as a function given to `loop` is a name here. Tests decide every branch, so that a derivation is fixed by the
order in which loops take their tuples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tidelog.errors import ProgramError
from tidelog.lab.semantics import semantics_catalogue as catalogue
from tidelog.lab.semantics.network import LocalRule, Network
from tidelog.lab.semantics.sellf import instructions as i
from tidelog.lab.semantics.sellf.checker import Definition
from tidelog.lab.semantics.sellf.formula import Call, Formula, Test, exists, plus, tensor
from tidelog.lab.semantics.sellf.instructions import ELEMENT, either, equal, load, loop, unload
from tidelog.lab.semantics.sellf.term import ConstantTerm, FunctionTerm, RowTerm, Term, VariableTerm
from tidelog.lab.semantics.semantics_failures import NO_GENERATORS
from tidelog.lab.semantics.term import Guard
from tidelog.program import Boolean, Const, Var, Wildcard, variables
from tidelog.program import Call as FunctionCall
from tidelog.program import Term as ProgramTerm
from tidelog.program.functions.table import FUNCTIONS

EXEC_RULES = "execRules"
LIST, SIGN = VariableTerm("L"), VariableTerm("U")


def rule_list(network: Network, relation: str) -> ConstantTerm:
    """R: the term that represents the delta rules of a relation."""
    return ConstantTerm((relation, *(f"{rule.label}/{at + 1}" for rule, at in network.uses.get(relation, ()))))


def rule_definitions(network: Network) -> dict[str, Definition]:
    """execRules(R, L, U), and the definitions that it calls."""
    choices = [
        tensor(equal(VariableTerm("R"), rule_list(network, relation)), Call(_rule_name(relation, 0), (LIST, SIGN)))
        for relation in network.arity
    ]
    found = {EXEC_RULES: Definition(("R", "L", "U"), plus(*choices))}
    for relation in network.arity:
        uses = network.uses.get(relation, ())
        for number, (rule, at) in enumerate(uses):
            found |= _Walk(rule, at, relation, number).definitions()
        last = unload(i.delta(relation), (LIST,), i.END)
        found[_rule_name(relation, len(uses))] = Definition(("L", "U"), last)
    return found


def _rule_name(relation: str, number: int) -> str:
    return f"rules {relation} {number}"


@dataclass(frozen=True)
class _Bind:
    """A new variable with the value of a term."""

    variable: str
    term: Term


_Step = Test | _Bind


class _Walk:
    """One delta rule: the atom at position ``at`` of its body is the update's."""

    def __init__(self, rule: LocalRule, at: int, relation: str, number: int) -> None:
        self._rule, self._at, self._relation, self._number = rule, at, relation, number
        self._bound: list[tuple[str, ...]] = [(LIST.name, SIGN.name)]  # per atom what has a value when its loop begins
        self._waiting = list(rule.guards)

    def definitions(self) -> dict[str, Definition]:
        """The loops of all body atoms; the first of them begins the rule."""
        found: dict[str, Definition] = {}
        for atom in range(len(self._rule.atoms)):
            found |= self._loops(atom)
        found[_rule_name(self._relation, self._number)] = found[self._call("copy", 0).name]
        return found

    def _loops(self, atom: int) -> dict[str, Definition]:
        source, work, parameters = self._context(atom), i.work(atom), self._bound[atom]
        copy, back, walk = (self._call(kind, atom) for kind in ("copy", "back", "walk"))
        twice = load((ELEMENT,), work, load((ELEMENT,), i.SPARE, copy))
        following = Call(_rule_name(self._relation, self._number + 1), (LIST, SIGN))
        after = self._call("walk", atom - 1) if atom else following
        return {
            copy.name: loop(parameters, source, twice, back),
            back.name: loop(parameters, i.SPARE, load((ELEMENT,), source, back), walk),
            walk.name: loop(parameters, work, self._matched(atom, walk), after),
        }

    def _call(self, kind: str, atom: int) -> Call:
        return Call(f"{kind} {self._relation} {self._number} {atom}", tuple(map(VariableTerm, self._bound[atom])))

    def _context(self, atom: int) -> str:
        relation = self._rule.atoms[atom].predicate
        if atom == self._at:
            return i.delta(relation)
        return i.fresh(relation) if atom < self._at else i.table(relation)

    def _matched(self, atom: int, skip: Call) -> Formula:
        """Compare the tuple with the atom, run the guards that can be run, continue; `skip` where something fails."""
        bound = list(self._bound[atom])
        columns, steps = _columns(self._rule.atoms[atom].args, bound)
        steps += self._ready_guards(bound)
        self._bound.append(tuple(bound))
        last = atom + 1 == len(self._rule.atoms)
        then = _under(steps, self._head(bound, skip) if last else self._call("copy", atom + 1), skip)
        return exists(columns, tensor(equal(ELEMENT, RowTerm(tuple(map(VariableTerm, columns)))), then))

    def _ready_guards(self, bound: list[str]) -> Iterator[_Step]:
        """The guards whose variables have values now; an equation with one open side binds it."""
        while (found := next(((g, s) for g in self._waiting if (s := _ready(g, bound)) is not None), None)) is not None:
            guard, step = found
            self._waiting.remove(guard)
            if isinstance(step, _Bind):
                bound.append(step.variable)
            yield step

    def _head(self, bound: list[str], skip: Call) -> Formula:
        """Load the head into `upd`, functions in it computed first."""
        head = self._rule.head
        open_names = [var.name for arg in head.args for var in variables(arg) if _name(var) not in bound]
        if self._waiting or open_names:
            what = "a comparison" if self._waiting else f"variable {open_names[0]}"
            raise ProgramError([catalogue.BOUND.diagnostic(head.span, label=self._rule.label, what=what)])
        steps: list[_Step] = []
        args: list[Term] = []
        for column, arg in enumerate(map(_term, head.args)):
            if isinstance(arg, FunctionTerm):
                steps.append(_Bind(f"head{column}", arg))
                arg = VariableTerm(f"head{column}")
            args.append(arg)
        return _under(steps, load((ConstantTerm(head.predicate), RowTerm(tuple(args)), SIGN), i.UPD, skip), skip)


def _under(steps: list[_Step], then: Formula, skip: Formula) -> Formula:
    for step in reversed(steps):
        if isinstance(step, _Bind):
            then = exists([step.variable], tensor(equal(VariableTerm(step.variable), step.term), then))
        else:
            then = either(step, then, skip)
    return then


def _columns(args: tuple[ProgramTerm, ...], bound: list[str]) -> tuple[list[str], list[_Step]]:
    """A name for every column, new variables by their own names, and the tests of the other columns."""
    columns: list[str] = []
    tests: list[_Step] = []
    for column, arg in enumerate(args):
        if isinstance(arg, Var) and _name(arg) not in bound:
            bound.append(_name(arg))
            columns.append(_name(arg))
            continue
        columns.append(f"column{column}")
        if not isinstance(arg, Wildcard):
            tests.append(equal(VariableTerm(columns[-1]), _term(arg)))
    return columns, tests


def _ready(guard: Guard, bound: list[str]) -> _Step | None:
    if isinstance(guard, Boolean):
        return equal(ConstantTerm(int(guard.value)), ConstantTerm(1))
    left, right = (all(_name(var) in bound for var in variables(term)) for term in (guard.left, guard.right))
    if left and right:
        return Test(guard.op, _term(guard.left), _term(guard.right))
    if guard.op == "=" and right and isinstance(guard.left, Var):
        return _Bind(_name(guard.left), _term(guard.right))
    if guard.op == "=" and left and isinstance(guard.right, Var):
        return _Bind(_name(guard.right), _term(guard.left))
    return None


def _name(variable: Var) -> str:
    return f"x:{variable.name}"


def _term(term: ProgramTerm) -> Term:
    if isinstance(term, Var):
        return VariableTerm(_name(term))
    if isinstance(term, Const):
        return ConstantTerm(term.value)
    assert isinstance(term, FunctionCall), "aggregates are refused, wildcards have no value"
    if any(function.generator for function in FUNCTIONS.get(term.function, ())):
        raise NO_GENERATORS.error(function=term.function)
    return FunctionTerm(term.function, tuple(map(_term, term.args)))
