"""Inference of the places of a program that hold values of one type, in one pass over its text.

Law: columns are places, and so are the variables of each rule and the arguments and results of its calls. Constants and
signatures determine types of places; using a variable twice, comparing and applying functions unite them. A conflict is
reported where it appears, with the reasons of both types, and the pass continues. `types` runs the pass over a program,
examines again what it left open, and reads the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from tidelog.errors import Diagnostic
from tidelog.program.functions.table import ANY, NUMERIC, ORDERED_TYPES
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.types.casts import cast_type
from tidelog.program.types.path_types import path_ends
from tidelog.program.types.places import Demand, Places, related_places, type_name
from tidelog.program.types.signatures import Signature
from tidelog.program.types.structure_types import make_place
from tidelog.program.types.unify import INTEGER, NIL, TEXT, TRUTH, Reason
from tidelog.program.values.rule import Rule, rule_of
from tidelog.program.values.schema import BASE_TYPES
from tidelog.program.values.scope import aggregate_names, rule_names
from tidelog.program.values.structure import is_structural
from tidelog.program.values.term import (
    AGGREGATE_RESULTS,
    BOOLEAN,
    CHOICE,
    DATE,
    LIST,
    NUMBER,
    POSSIBLE,
    RECORD,
    SYMBOL,
    TIMESTAMP,
    Aggregate,
    Atom,
    Call,
    Comparison,
    Const,
    Disjunction,
    GroundRule,
    Literal,
    Negation,
    PathAtom,
    Term,
    Var,
    Wildcard,
)

Environment = dict[str, int]
OPEN_TYPES = {NUMBER: INTEGER, SYMBOL: TEXT, BOOLEAN: TRUTH}  # of constants that get the type of their place
MEASURED_TYPES = {
    **dict.fromkeys(("min", "max", "argmin", "argmax"), ORDERED_TYPES),
    "collect": frozenset((*NUMERIC, SYMBOL, LIST)),
}  # of aggregates that apply to more than numbers
MAKES_LISTS = frozenset({LIST, "f_append", "f_concat", "f_init"})
TRUTH_VARIABLES = frozenset({"True", "False", "TRUE", "FALSE"})  # which other languages read as truth values


@dataclass(slots=True)
class Use:
    """A call whose overload is not settled yet: its arguments and its result are the places."""

    call: Call
    signature: Signature
    places: list[int]


@dataclass(slots=True)
class Inference(Places):
    """Types of the places of a program during inference."""

    literals: list[tuple[int, Const]] = field(default_factory=list)
    recorded: tuple[str, ...] = (NUMBER,)  # the types of constants whose places are kept
    open_uses: list[Use] = field(default_factory=list)
    open_results: list[int] = field(default_factory=list)  # results whose type the function does not declare
    rule: Rule | None = None

    def visit_rule(self, rule: Rule) -> Environment:
        """Visit body, then head; returns the places of the rule's variables."""
        env: Environment = {}
        self.rule = rule
        self.body(rule.body, env)
        self.atom(rule.head, env)
        return env

    def atom(self, atom: Atom, env: Environment) -> None:
        """Unite the arguments with the columns."""
        places = self.column_places(atom.predicate)
        for arg, place in zip(atom.args, places, strict=False):
            if isinstance(arg, Var):
                known = env.get(arg.name)
                if known is None:
                    env[arg.name] = place
                else:
                    self.unite(known, place, arg.span, f"`{arg.name}` is used as")
                if arg.name in TRUTH_VARIABLES:
                    self.truth_variable(arg, place)
            elif isinstance(arg, Const):
                self.constant(arg, place, atom)
            elif isinstance(arg, Call | Aggregate):
                self.unite(self.term(arg, env), place, arg.span, "this argument must be")
        for arg in atom.args[len(places) :]:  # reported elsewhere; its literals are counted like all others
            self.term(arg, env)

    def constant(self, const: Const, place: int, atom: Atom) -> None:
        """Determine a column's type from a constant in it."""
        if const.value is None:
            self.nil(place, const)
            return
        type_ = const.type
        if type_ in OPEN_TYPES:
            if type_ in self.recorded:
                self.literals.append((place, const))
            # The common case, a column that has the constant's type already, must not build a reason.
            if self.classes.type(place) in (type_, OPEN_TYPES[type_]):
                return
            type_ = OPEN_TYPES[type_]
        if not self.classes.set(place, type_, _constant_reason(const)):
            self.conflict(place, type_, const.span, f"this column of `{atom.predicate}` holds")

    def truth_variable(self, variable: Var, place: int) -> None:
        """Refuse a variable that looks like a truth value in a boolean column."""
        found = partial(_variable_for_truth, variable)
        self.demands.append(Demand(place, frozenset(BASE_TYPES) - {BOOLEAN}, found))

    def term(self, term: Term, env: Environment) -> int:
        """The place of the term's value."""
        if isinstance(term, Var):
            place = env.get(term.name)
            if place is None:
                place = env[term.name] = self.classes.fresh()
            return place
        if isinstance(term, Const):
            return self.constant_term(term)
        if isinstance(term, Call):
            return self.call(term, env)
        return self.aggregate(term, env) if isinstance(term, Aggregate) else self.classes.fresh()

    def constant_term(self, const: Const) -> int:
        """A new place for a constant in an expression."""
        if const.value is None:
            place = self.classes.fresh()
            self.nil(place, const)
            return place
        if const.type not in OPEN_TYPES:
            return self.classes.fresh(const.type, _constant_reason(const))
        place = self.classes.fresh(OPEN_TYPES[const.type], _constant_reason(const))
        if const.type in self.recorded:
            self.literals.append((place, const))
        return place

    def nil(self, place: int, const: Const) -> None:
        """Return a place for ``nil``, which has the record type of its place, and no other type."""
        self.classes.set(place, NIL, Reason("this is nil", const.span))
        records = frozenset((NIL, RECORD, *self.structures.records))
        self.demands.append(Demand(place, records, lambda found: diagnose("TL422", const.span, found=found)))

    def call(self, call: Call, env: Environment) -> int:
        """The place of the result; arguments and result follow the signature."""
        if (type_ := cast_type(call)) is not None:
            return self.cast(call, type_, env)
        if (call.function == LIST and self.structures.any) or is_structural(call.function):
            return make_place(call, tuple(self.term(arg, env) for arg in call.args), self)
        places = [self.term(arg, env) for arg in call.args]
        if call.function in MAKES_LISTS:
            self.in_list(places, call)
        places.append(self.classes.fresh())
        signature = self.signature(call.function, len(call.args))
        if signature is not None:
            self.apply(call, signature, places)
            if all(overload[-1] == ANY for overload in signature.overloads):
                self.open_results.append(places[-1])
        return places[-1]

    def cast(self, call: Call, type_: str, env: Environment) -> int:
        """The place of a cast's value, of a type that has the same base (TL409)."""
        place, base = self.term(call.args[0], env), self.base(type_)
        if base is None or self.classes.set(place, base, Reason(f"this is cast to {type_}", call.span)):
            return place
        found = type_name(self.classes.type(place))
        related = related_places([self.classes.reason(place)], call.span)
        self.findings.append(diagnose("TL409", call.span, related=related, found=found, name=type_, base=base))
        return self.classes.fresh()  # of any type: the cast is the mistake, not the use of its value

    def apply(self, call: Call, signature: Signature, places: list[int]) -> None:
        """Apply what all overloads agree on; `settle` examines again what they leave open."""
        for position, type_ in signature.fixed:
            self.set_position(call, places, position, type_, signature)
        for position, other in signature.linked:
            first, second = places[position], places[other]
            if not self.classes.unite(first, second):
                self.mismatch(call, signature, places)
                return
        for position, type_ in enumerate(signature.overloads[0][:-1]):
            if type_ == ANY:
                self.no_structure(places[position], call.args[position].span or call.span, f"`{call.function}`")
        if not signature.settled:
            self.open_uses.append(Use(call, signature, places))

    def set_position(self, call: Call, places: list[int], position: int, type_: str, signature: Signature) -> None:
        """Set the known type of an argument or of the result."""
        word = "gives" if position == len(call.args) else "takes"
        if not self.classes.set(places[position], type_, Reason(f"`{call.function}` {word} {type_} here", call.span)):
            self.mismatch(call, signature, places)

    def mismatch(self, call: Call, signature: Signature, places: Sequence[int]) -> None:
        """Report that no overload fits the arguments."""
        found = ", ".join(type_name(self.classes.type(place)) for place in places[:-1])
        known = "; ".join(f"({', '.join(o[:-1])}) gives {o[-1]}" for o in signature.overloads)
        related = related_places([self.classes.reason(place) for place in places], call.span)
        hint = _TIME_SUMS if call.function in ("+", "-") and _is_time(found) else f"`{call.function}` takes {known}."
        self.findings.append(diagnose("TL402", call.span, hint=hint, related=related, name=call.function, found=found))

    def aggregate(self, aggregate: Aggregate, env: Environment) -> int:
        """The place of the aggregate's value; its body is a scope inside the rule's (see `scope`)."""
        inner = env
        if aggregate.body is not None:
            if self.rule is not None:
                self.seed(rule_names(self.rule), env)
            inner = dict(env)
            self.seed(aggregate_names(aggregate), inner)
            self.body(aggregate.body, inner)
        values = [self.term(term, inner) for term in aggregate.arguments]
        kind = aggregate.kind
        for ground in aggregate.ground:
            if ground.formula is None:
                self._instances(ground, aggregate)
            else:
                self._formula(ground, rule_of(ground.formula))
        if kind == "count" or not values:
            return self.classes.fresh(NUMBER, Reason("count returns a number", aggregate.span))
        if kind == CHOICE:
            return values[0]
        for value in values[: len(aggregate.measured)]:
            self._demand_type(aggregate, value)
        if kind in AGGREGATE_RESULTS:
            result = AGGREGATE_RESULTS[kind]
            return self.classes.fresh(result, Reason(f"{kind} returns a {result}", aggregate.span))
        return values[0]

    def _instances(self, ground: GroundRule, aggregate: Aggregate) -> None:
        """Unite the columns of instances with those of the relations that their literals read."""
        at, places = ground.width, self.column_places(ground.relation)
        for name, _, width in ground.literals:
            for i, place in enumerate(self.column_places(f"{POSSIBLE}{name}")[:width]):
                self.unite(place, places[at + i], aggregate.span, "this argument must be")
            at += width

    def _formula(self, ground: GroundRule, formula: Rule) -> None:
        """Visit the rule that computes values, whose literals are typed already, and unite the columns it reads."""
        literals, rule = self.literals, self.rule
        self.literals = []
        env = self.visit_rule(formula)
        self.literals, self.rule = literals, rule
        places = self.column_places(ground.relation)
        for name, place in zip(ground.names, places[ground.columns - len(ground.names) :], strict=True):
            self.unite(env[name], place, None, f"`{name}` is used as")

    def _demand_type(self, aggregate: Aggregate, value: int) -> None:
        """Require a type to which an aggregate applies of its values; for any and all, boolean."""
        only = {"any": BOOLEAN, "all": BOOLEAN, "string_agg": SYMBOL}.get(aggregate.kind)
        if only is not None:
            self.classes.set(value, only, Reason(f"{aggregate.kind} applies to a {only}", aggregate.span))
        wanted = frozenset({only}) if only is not None else MEASURED_TYPES.get(aggregate.kind, frozenset(NUMERIC))
        self.demands.append(Demand(value, wanted, lambda found: _wrong_aggregate(aggregate, found)))

    def seed(self, names: Iterable[str], env: Environment) -> None:
        """Assign a place to every name of a scope before an inner scope is opened."""
        for name in names:
            if name not in env:
                env[name] = self.classes.fresh()

    def body(self, literals: Sequence[Literal], env: Environment) -> None:
        """Visit the literals of one scope."""
        for literal in literals:
            if isinstance(literal, Atom):
                self.atom(literal, env)
            elif isinstance(literal, Negation):
                self.atom(literal.atom, env)
            elif isinstance(literal, Comparison):
                self.comparison(literal, env)
            elif isinstance(literal, PathAtom):
                self.path_atom(literal, env)
            elif isinstance(literal, Disjunction):
                for branch in literal.branches:
                    self.body(branch, env)

    def path_atom(self, literal: PathAtom, env: Environment) -> None:
        """Unite the ends with the columns where the path begins and ends."""
        ends = path_ends(literal.path, self)
        for term, place in zip((literal.source, literal.target), ends, strict=True):
            what = f"`{term.name}` is used as" if isinstance(term, Var) else "this end of the path must be"
            if not isinstance(term, Wildcard):
                self.unite(self.term(term, env), place, term.span, what)

    def comparison(self, literal: Comparison, env: Environment) -> None:
        """Unite both sides; for `<` and similar operators, require a type with an order."""
        left, right = self.term(literal.left, env), self.term(literal.right, env)
        self.unite(left, right, literal.span, "the two sides are")
        if literal.op not in ("=", "!="):
            self.demands.append(Demand(left, ORDERED_TYPES, lambda found: _no_order(literal, found)))


_TIME_SUMS = (
    "Use `date_add(D, N)` and `date_diff(A, B)` for days, `timestamp_add(T, N, 1s)` and `timestamp_diff(A, B, 1s)` for "
    "units of time."
)


def _is_time(types: str) -> bool:
    return DATE in types or TIMESTAMP in types


def _constant_reason(const: Const) -> Reason:
    return Reason(f"this is a {const.type}", const.span)


def _variable_for_truth(variable: Var, _found: str) -> Diagnostic:
    return diagnose("TL412", variable.span, name=variable.name, word=variable.name.lower())


def _wrong_aggregate(aggregate: Aggregate, types: str) -> Diagnostic:
    return diagnose("TL403", aggregate.span, kind=aggregate.kind, found=types)


def _no_order(literal: Comparison, types: str) -> Diagnostic:
    return diagnose("TL404", literal.span, op=literal.op, found=types)
