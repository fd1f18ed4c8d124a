"""The checker: whether a list of rules is a focused derivation, sequent by sequent.

Law: `check` returns the open premises of a derivation, and a derivation without open premise is a proof. It computes
every premise from the conclusion by the rule alone and believes nothing that is written; a rule that does not apply is
an `IllegalStep` that names its number. It shares only the data types with the search and the translations: what these
do wrong, this module does not repeat.

    negative phase   ⊢ K : Γ ⇑ L   ⊥ ⅋ & ⊤ ∀ ? on the first formula of L; a positive formula or an atom is stored in Γ
    decide           ⊢ K : Γ ⇑ ·   focus on a formula of Γ or of K[l], but not on an atom; K[l] keeps it if l contracts
    positive phase   ⊢ K : Γ ⇓ F   1 ⊗ ⊕ ∃ ! initial, tests and definitions; release at a negative formula
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from tidelog.errors import TidelogError
from tidelog.lab.semantics.sellf import formula as f
from tidelog.lab.semantics.sellf import rules as r
from tidelog.lab.semantics.sellf.formula import Formula, free_variables, instance, is_positive
from tidelog.lab.semantics.sellf.rules import Rule, SequentDerivation
from tidelog.lab.semantics.sellf.sequent import FormulaContexts, Sequent
from tidelog.lab.semantics.sellf.signature import Signature
from tidelog.lab.semantics.sellf.term import Term, VariableTerm, value_of
from tidelog.lab.semantics.semantics_failures import NO_DERIVATION
from tidelog.lab.semantics.term import type_of
from tidelog.program.functions.table import holds


@dataclass(frozen=True)
class Definition:
    """name(x, y) ≜ F, with F positive and without other free variables."""

    parameters: tuple[str, ...]
    body: Formula


@dataclass(frozen=True)
class Theory:
    """What derivations are relative to: the subexponentials and the definitions."""

    signature: Signature
    definitions: Mapping[str, Definition] = field(default_factory=dict)


class _Refusal(Exception):
    """Why a rule does not apply; becomes an `IllegalStep` with the number of the rule."""


def sequents(theory: Theory, derivation: SequentDerivation) -> Iterator[tuple[Sequent, ...]]:
    """What is still to be proved, the next sequent last: at the beginning and after every rule."""
    goals = [derivation.end]
    yield tuple(goals)
    for number, rule in enumerate(derivation.rules, 1):
        if not goals:
            raise NO_DERIVATION.error(number=number, rule=rule, why="nothing is left to prove")
        goal = goals.pop()
        try:
            goals.extend(reversed(_premises(theory, goal, rule)))
        except _Refusal as why:
            raise NO_DERIVATION.error(number=number, rule=rule, why=f"{why} at {goal}") from None
        yield tuple(goals)


def check(theory: Theory, derivation: SequentDerivation) -> tuple[Sequent, ...]:
    """The open premises of a derivation; none of them means that it is a proof."""
    *_, goals = sequents(theory, derivation)
    return goals


def is_proof(theory: Theory, derivation: SequentDerivation) -> bool:
    """Whether the derivation is right and nothing is left open."""
    try:
        return not check(theory, derivation)
    except TidelogError:
        return False


def _premises(theory: Theory, goal: Sequent, rule: Rule) -> list[Sequent]:
    """The premises of a rule whose conclusion is the goal."""
    if goal.focus is not None:
        return _positive(theory, goal, goal.focus, rule)
    if goal.todo:
        return _negative(goal, goal.todo[0], goal.todo[1:], rule)
    return [_decided(theory, goal, rule)]


def _expect(condition: bool, why: str) -> None:
    if not condition:
        raise _Refusal(why)


def _decided(theory: Theory, goal: Sequent, rule: Rule) -> Sequent:
    match rule:
        case r.Decide(index, formula):
            _expect(formula in goal.contexts[index], f"{formula} is not in {index}")
            _expect(not isinstance(formula, f.AtomFormula), "an atom cannot be focused on")
            kept = index in theory.signature.contraction
            contexts = goal.contexts if kept else goal.contexts.minus(index, formula)
            return replace(goal, contexts=contexts, focus=formula)
        case r.DecideLinear(formula):
            _expect(formula in goal.linear, f"{formula} is not in the linear context")
            _expect(not isinstance(formula, f.AtomFormula), "an atom cannot be focused on")
            return replace(goal, linear=goal.linear.minus(formula), focus=formula)
    raise _Refusal("a focus has to be chosen")


def _negative(goal: Sequent, first: Formula, rest: tuple[Formula, ...], rule: Rule) -> list[Sequent]:
    if is_positive(first) or isinstance(first, f.AtomFormula):
        _expect(rule == r.STORE, "a positive formula or an atom is stored")
        return [replace(goal, linear=goal.linear.plus(first), todo=rest)]
    match first, rule:
        case f.BOTTOM, r.UNIT_BOTTOM:
            return [goal.unfocused(*rest)]
        case f.TOP, r.UNIT_TOP:
            return []
        case f.Binary(f.PAR, left, right), r.PAR_RULE:
            return [goal.unfocused(left, right, *rest)]
        case f.Binary(f.WITH, left, right), r.WITH_RULE:
            return [goal.unfocused(left, *rest), goal.unfocused(right, *rest)]
        case f.Quantification(f.FORALL, variable, body), r.Eigen(name):
            _expect(name not in _free_in(goal), f"{name} occurs in the conclusion")
            return [goal.unfocused(_put(body, variable, VariableTerm(name)), *rest)]
        case f.Exponential(f.QUEST, index, body), r.QUEST_RULE:
            return [replace(goal, contexts=goal.contexts.plus(index, body), todo=rest)]
    raise _Refusal(f"it does not introduce {first}")


def _positive(theory: Theory, goal: Sequent, focus: Formula, rule: Rule) -> list[Sequent]:
    if not is_positive(focus):
        _expect(rule == r.RELEASE, "the focus is negative and has to be released")
        return [goal.unfocused(focus)]
    match focus, rule:
        case f.ONE, r.UNIT_ONE:
            _expect(_used_up(theory, goal), "some formulas have not been used")
            return []
        case f.Negation(atom), r.INITIAL:
            return _initial(theory, goal, atom)
        case f.Test(), r.HOLDS:
            _expect(_used_up(theory, goal), "some formulas have not been used")
            _expect(_holds(focus), "the test fails")
            return []
        case f.Call(), r.UNFOLD:
            return [goal.focused(_unfolded(theory, focus))]
        case f.Binary(f.TENSOR, left, right), r.Split():
            return _split(theory, goal, left, right, rule)
        case f.Binary(f.PLUS, left, right), r.ChooseBranch(branch):
            return [goal.focused(right if branch else left)]
        case f.Quantification(f.EXISTS, variable, body), r.Witness(term):
            return [goal.focused(_put(body, variable, term))]
        case f.Exponential(f.BANG, index, body), r.PROMOTE:
            return [_promoted(theory, goal, index, body)]
    raise _Refusal(f"it does not introduce {focus}")


def _used_up(theory: Theory, goal: Sequent) -> bool:
    return not goal.linear and not any(theory.signature.linear(index) for index in goal.contexts)


def _initial(theory: Theory, goal: Sequent, atom: f.AtomFormula) -> list[Sequent]:
    if atom in goal.linear:
        rest = replace(goal, linear=goal.linear.minus(atom))
    else:
        index = next((index for index, bag in goal.contexts.items() if atom in bag), None)
        if index is None:
            raise _Refusal(f"{atom} is not present")
        rest = replace(goal, contexts=goal.contexts.minus(index, atom))
    _expect(_used_up(theory, rest), f"formulas other than {atom} have not been used")
    return []


def _split(theory: Theory, goal: Sequent, left: Formula, right: Formula, given: r.Split) -> list[Sequent]:
    """Contexts with contraction go to both sides; all else is divided as the rule says."""
    shared = goal.contexts.kept(theory.signature.contraction)
    _expect(not any(index in theory.signature.contraction for index in given.contexts), "a shared context is divided")
    linear, rest = goal.linear, goal.contexts
    for formula in given.linear:
        _expect(formula in linear, f"{formula} is not in the linear context")
        linear = linear.minus(formula)
    for index, bag in given.contexts.items():
        for formula in bag:
            _expect(formula in rest[index], f"{formula} is not in {index}")
            rest = rest.minus(index, formula)
    mine = FormulaContexts({**dict(shared.items()), **dict(given.contexts.items())})
    return [Sequent(mine, given.linear, (), left), Sequent(rest, linear, (), right)]


def _promoted(theory: Theory, goal: Sequent, index: str, body: Formula) -> Sequent:
    """!ˡ: Γ is empty, and so is every linear context not above l; what is not above and may be weakened is dropped."""
    signature = theory.signature
    _expect(index in signature.indexes, f"{index} is not an index")
    _expect(not goal.linear, f"the linear context is not empty under !^{index}")
    above = [other for other in goal.contexts if signature.below(index, other)]
    blocked = [other for other in goal.contexts if other not in above and signature.linear(other)]
    _expect(not blocked, f"!^{index} needs {', '.join(sorted(blocked))} empty")
    return Sequent(goal.contexts.kept(above), todo=(body,))


def _unfolded(theory: Theory, call: f.Call) -> Formula:
    definition = theory.definitions.get(call.name)
    if definition is None:
        raise _Refusal(f"{call.name} has no definition")
    _expect(len(definition.parameters) == len(call.args), f"{call.name} has the wrong number of arguments")
    _expect(is_positive(definition.body), f"the definition of {call.name} is negative")
    _expect(free_variables(definition.body) <= set(definition.parameters), f"{call.name} has a free variable")
    _expect(not any(f.captures(definition.body, arg) for arg in call.args), "a variable would be captured")
    return instance(definition.body, dict(zip(definition.parameters, call.args, strict=True)))


def _put(body: Formula, variable: str, term: Term) -> Formula:
    _expect(not f.captures(body, term), "a variable would be captured")
    return instance(body, {variable: term})


def _free_in(goal: Sequent) -> set[str]:
    bags: Iterable[Iterable[Formula]] = (goal.linear, goal.todo, *(bag for _, bag in goal.contexts.items()))
    return {name for formulas in bags for formula in formulas for name in free_variables(formula)}


def _holds(test: f.Test) -> bool:
    try:
        left, right = value_of(test.left), value_of(test.right)
    except KeyError:
        raise _Refusal("the test is not closed") from None
    return holds(test.op, left, right, type_of(left)) == test.truth
