"""Focused proof search for commands: every focused derivation from one neutral sequent to the next.

Law: `executions` follows all rules that apply, in all ways: every focus, every branch of ⊕, every formula that closes a
premise. So what it does not find has no focused derivation, as long as formulas stay in the fragment of the encoding:
no & and ∀, and on the left of ⊗ a negated atom or a test, whose premise closes at once. It yields as it finds, in a
fixed order. Witnesses of ∃ are left open until an atom or an equation decides them. Nothing is trusted because it was
found here: the checker has separate rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tidelog.lab.semantics.sellf import formula as f
from tidelog.lab.semantics.sellf import rules as r
from tidelog.lab.semantics.sellf.checker import Theory
from tidelog.lab.semantics.sellf.formula import Formula, instance, is_positive
from tidelog.lab.semantics.sellf.rules import Rule
from tidelog.lab.semantics.sellf.sequent import FormulaContexts, Sequent
from tidelog.lab.semantics.sellf.term import ConstantTerm, RowTerm, Term, VariableTerm, free, replaced, value_of
from tidelog.lab.semantics.term import type_of
from tidelog.program import Value
from tidelog.program.functions.table import holds

Binding = Mapping[str, Term]


@dataclass(frozen=True)
class SearchResult:
    """A derivation: its rules, and its open premise, or None where it has none."""

    rules: tuple[Rule, ...]
    premise: Sequent | None


@dataclass(frozen=True)
class _State:
    """A branch of the search: the goal (None: proved), the rules so far, the last one first, and what witnesses are."""

    goal: Sequent | None
    rules: tuple[object, ...] | None = None
    binding: Binding = field(default_factory=dict)
    witnesses: tuple[Term, ...] = ()
    size: int = 0

    def after(self, goal: Sequent | None, *rules: Rule, binding: Binding | None = None) -> _State:
        """The branch after more rules."""
        chain = self.rules
        for rule in rules:
            chain = (rule, chain)
        known = self.binding if binding is None else {**self.binding, **binding}
        return _State(goal, chain, known, self.witnesses, self.size + len(rules))


def executions(
    theory: Theory, start: Sequent, first: r.Decide | None = None, witnesses: Sequence[Term] = ()
) -> Iterator[SearchResult]:
    """All focused derivations above a sequent up to the next neutral sequent.

    The first focus and the first witnesses may be given.
    """
    state = _State(start, witnesses=tuple(witnesses))
    agenda = [state] if first is None else [state.after(start.focused(first.formula), first)]
    while agenda:
        state = agenda.pop()
        if state.goal is None or (state.goal.neutral and state.size):
            yield SearchResult(_resolved(state), state.goal)
        else:
            agenda.extend(reversed(list(_steps(theory, state, state.goal))))


def _resolved(state: _State) -> tuple[Rule, ...]:
    rules: list[Rule] = []
    chain = state.rules
    while chain is not None:
        rule, chain = chain  # type: ignore[assignment]  # a pair of a rule and the chain before it
        rules.append(_closed(rule, state.binding))  # type: ignore[arg-type]  # see above
    return tuple(reversed(rules))


def _closed(rule: Rule, binding: Binding) -> Rule:
    match rule:
        case r.Witness(term):
            return r.Witness(_value(term, binding))
        case r.DecideLinear(formula):
            return r.DecideLinear(instance(formula, {name: _value(VariableTerm(name), binding) for name in binding}))
        case _:
            return rule


def _value(term: Term, binding: Binding) -> Term:
    """What a witness has become; one that nothing has decided may be anything."""
    while any(name in binding for name in free(term)):
        term = replaced(term, binding)
    return replaced(term, {name: ConstantTerm(0) for name in free(term)})


def _steps(theory: Theory, state: _State, goal: Sequent) -> Iterator[_State]:
    if goal.focus is None:
        if goal.todo:
            yield _decomposed(state, goal, goal.todo[0], goal.todo[1:])
        else:
            yield from _focused(theory, state, goal)
    elif is_positive(goal.focus):
        yield from _introduced(theory, state, goal, goal.focus)
    else:
        yield state.after(goal.unfocused(goal.focus), r.RELEASE)


def _focused(theory: Theory, state: _State, goal: Sequent) -> Iterator[_State]:
    for formula in goal.linear.distinct():
        if not isinstance(formula, f.AtomFormula):
            rest = replace(goal, linear=goal.linear.minus(formula), focus=formula)
            yield state.after(rest, r.DecideLinear(formula))
    for index, bag in goal.contexts.items():
        for formula in bag.distinct():
            if not isinstance(formula, f.AtomFormula):
                rest = goal if index in theory.signature.contraction else _without(goal, index, formula)
                yield state.after(rest.focused(formula), r.Decide(index, formula))


def _decomposed(state: _State, goal: Sequent, first: Formula, rest: tuple[Formula, ...]) -> _State:
    if is_positive(first) or isinstance(first, f.AtomFormula):
        return state.after(replace(goal, linear=goal.linear.plus(first), todo=rest), r.STORE)
    match first:
        case f.BOTTOM:
            return state.after(goal.unfocused(*rest), r.UNIT_BOTTOM)
        case f.TOP:
            return state.after(None, r.UNIT_TOP)
        case f.Binary(f.PAR, left, right):
            return state.after(goal.unfocused(left, right, *rest), r.PAR_RULE)
        case f.Exponential(f.QUEST, index, body):
            return state.after(replace(goal, contexts=goal.contexts.plus(index, body), todo=rest), r.QUEST_RULE)
    raise AssertionError(f"{first} is outside the fragment of the encoding")


def _introduced(theory: Theory, state: _State, goal: Sequent, focus: Formula) -> Iterator[_State]:
    match focus:
        case f.Call(name, args):
            definition = theory.definitions[name]
            body = instance(definition.body, dict(zip(definition.parameters, args, strict=True)))
            yield state.after(goal.focused(body), r.UNFOLD)
        case f.Binary(f.PLUS, left, right):
            yield state.after(goal.focused(left), r.ChooseBranch(0))
            yield state.after(goal.focused(right), r.ChooseBranch(1))
        case f.Quantification(f.EXISTS, variable, body):
            yield _witnessed(state, goal, variable, body)
        case f.Exponential(f.BANG, index, body):
            yield from _promoted(theory, state, goal, index, body)
        case f.Binary(f.TENSOR, left, right):
            yield from _split(theory, state, goal, left, right)
        case f.ZERO:
            return
        case _:
            raise AssertionError(f"{focus} is outside the fragment of the encoding")


def _witnessed(state: _State, goal: Sequent, variable: str, body: Formula) -> _State:
    term = state.witnesses[0] if state.witnesses else VariableTerm(f"?{state.size}")
    following = state.after(goal.focused(instance(body, {variable: term})), r.Witness(term))
    return replace(following, witnesses=state.witnesses[1:])


def _promoted(theory: Theory, state: _State, goal: Sequent, index: str, body: Formula) -> Iterator[_State]:
    below = theory.signature.below
    if not goal.linear and all(below(index, at) or not theory.signature.linear(at) for at in goal.contexts):
        kept = goal.contexts.kept(at for at in goal.contexts if below(index, at))
        yield state.after(Sequent(kept, todo=(body,)), r.PROMOTE)


def _split(theory: Theory, state: _State, goal: Sequent, left: Formula, right: Formula) -> Iterator[_State]:
    if isinstance(left, f.Test):
        binding = _tested(left)
        if binding is not None:
            rest = goal.focused(instance(right, binding))
            yield state.after(rest, r.Split(), r.HOLDS, binding=binding)
        return
    assert isinstance(left, f.Negation), f"{left} is outside the fragment of the encoding"
    for index, bag in goal.contexts.items():
        for formula in bag.distinct():
            found = _unified(left.atom, formula)
            if found is not None:
                shared = index in theory.signature.contraction
                rest = goal if shared else _without(goal, index, formula)
                given = r.Split() if shared else r.Split(contexts=FormulaContexts.of([(index, formula)]))
                yield state.after(rest.focused(instance(right, found)), given, r.INITIAL, binding=found)


def _without(goal: Sequent, index: str, formula: Formula) -> Sequent:
    return replace(goal, contexts=goal.contexts.minus(index, formula))


def _unified(wanted: f.AtomFormula, formula: Formula) -> Binding | None:
    """What makes the wanted atom the stored one, which is closed."""
    if not isinstance(formula, f.AtomFormula) or (wanted.name, len(wanted.args)) != (formula.name, len(formula.args)):
        return None
    binding: dict[str, Term] = {}
    for term, stored in zip(wanted.args, formula.args, strict=True):
        if not _fit(replaced(term, binding), value_of(stored), binding):
            return None
    return binding


def _fit(term: Term, value: Value, binding: dict[str, Term]) -> bool:
    match term:
        case VariableTerm(name):
            binding[name] = ConstantTerm(value)
            return True
        case RowTerm(parts) if isinstance(value, tuple) and len(parts) == len(value):
            return all(_fit(replaced(part, binding), each, binding) for part, each in zip(parts, value, strict=True))
        case ConstantTerm(known):
            return known == value
        case _:
            return False


def _tested(test: f.Test) -> Binding | None:
    """What makes a test hold: nothing for a closed one, values for the open side of an equation."""
    for here, there in ((test.left, test.right), (test.right, test.left)):
        if test.op == "=" and test.truth and any(free(here)) and not any(free(there)):
            binding: dict[str, Term] = {}
            return binding if _fit(here, value_of(there), binding) else None
    left = value_of(test.left)
    return {} if holds(test.op, left, value_of(test.right), type_of(left)) == test.truth else None
