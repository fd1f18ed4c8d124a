"""From a core rule to its plans: one per body atom as trigger, and one over the whole state.

Law: every plan of a rule finds exactly the supports that its delta rule defines; plans differ only in the order of
visits.
"""

from __future__ import annotations

from tidelog.plan.body import Body, Bound, cell_order, is_generator
from tidelog.plan.estimate import Statistics
from tidelog.plan.order import BodyOrders, OrderedLiteral
from tidelog.plan.steps import (
    Absent,
    Apply,
    Compare,
    Compute,
    Expose,
    Generate,
    Meet,
    Operand,
    Plan,
    Range,
    Step,
    Tie,
    Visit,
)
from tidelog.plan.term_types import Functions, Schema, term_type, variable_types
from tidelog.plan.work import UNADVISED, AdvisedOrders
from tidelog.program import Aggregate, Atom, Call, Comparison, Const, Literal, Negation, Rule, Term, Var
from tidelog.program.functions.table import WRAP, Function, resolve
from tidelog.rewrite.names import is_requested_result

KERNEL_NUMBER = frozenset({"+", "-", "*", "/", "%", "band", "bor", "bxor"})
KERNEL_FLOAT = frozenset({"+", "-", "*", "/"})
ORDERED_BY_CELL = frozenset({"number", "unsigned", "float", "boolean", "date", "timestamp"})
ONE = Const(1, "number")
ZERO = Const(0, "number")


class RulePlanner:
    """The plans of one rule; what they share is computed once."""

    def __init__(self, rule: Rule, schema: Schema, functions: Functions, advised: AdvisedOrders = UNADVISED) -> None:
        self.rule, self.schema, self.functions = rule, schema, functions
        self.advised = advised
        self.types = variable_types(rule, schema, functions)
        orders = {name: cell_order(type_) for name, type_ in self.types.items() if type_ in ORDERED_BY_CELL}
        self.body = Body(rule.body, orders)

    @property
    def is_free(self) -> bool:
        """Whether a change of one atom leaves more than one order for the others, or another way to visit one."""
        if self.body.bounds:
            return True
        return len(self.body.rows) > (1 if any(isinstance(x, Negation) for x in self.rule.body) else 2)

    def deltas(self, statistics: Statistics) -> tuple[Plan, ...]:
        """All delta plans of the rule, in the order of their triggers; none for an aggregate that is folded."""
        if is_folded(self.rule):
            return ()
        ordering = BodyOrders(self.body, statistics)
        triggers = [i for i, literal in enumerate(self.rule.body) if isinstance(literal, Atom | Negation)]
        return tuple(_Builder(self).build(i, ordering) for i in triggers)

    def whole(self, statistics: Statistics) -> Plan:
        """The plan that finds all supports of the rule over the whole state."""
        return _Builder(self).build(None, BodyOrders(self.body, statistics, whole=True))


def plan_rule(rule: Rule, schema: Schema, functions: Functions, statistics: Statistics) -> tuple[Plan, ...]:
    """All delta plans of a rule, in the order of their triggers; none for an aggregate that is folded."""
    return RulePlanner(rule, schema, functions).deltas(statistics)


def plan_whole(rule: Rule, schema: Schema, functions: Functions, statistics: Statistics) -> Plan:
    """The plan that finds all supports of a rule over the whole state."""
    return RulePlanner(rule, schema, functions).whole(statistics)


def aggregate_of(rule: Rule) -> Aggregate | None:
    """The aggregate of an aggregate rule."""
    return next((arg for arg in rule.head.args if isinstance(arg, Aggregate)), None)


def is_folded(rule: Rule) -> bool:
    """Whether the rule folds groups: all but a min or max that shows candidates best first."""
    aggregate = aggregate_of(rule)
    if aggregate is None:
        return False
    return aggregate.kind not in ("min", "max") or aggregate.folded or is_requested_result(rule.head.predicate)


def group_columns(rule: Rule) -> tuple[int, ...]:
    """The columns of its source by which a min or max rule groups: neither value nor witness."""
    source, aggregate = rule.body[0], aggregate_of(rule)
    assert isinstance(source, Atom)
    assert aggregate is not None
    compared = {*aggregate.arguments, *(rule.head.args[place] for place, _ in aggregate.ties)}
    return tuple(i for i, arg in enumerate(source.args) if arg not in compared)


def value_type(rule: Rule, schema: Schema, functions: Functions) -> str:
    """The type of the values that an aggregate rule aggregates."""
    aggregate = aggregate_of(rule)
    if aggregate is None or not aggregate.measured:
        return "number"
    return term_type(aggregate.measured[0], variable_types(rule, schema, functions), functions) or "number"


class _Builder:
    """Builds one plan; registers are numbered in the order of first use."""

    def __init__(self, planning: RulePlanner) -> None:
        self.rule, self.schema, self.functions = planning.rule, planning.schema, planning.functions
        self.types, self.body, self.advised = planning.types, planning.body, planning.advised
        self.values: dict[str, Operand] = {}
        self.registers = 0
        self.steps: list[Step] = []

    def build(self, trigger: int | None, ordering: BodyOrders) -> Plan:
        binds: tuple[tuple[int, int], ...] = ()
        checks: tuple[tuple[int, Operand], ...] = ()
        if trigger is not None:
            binds, checks = self._match_trigger(self.rule.body[trigger])
        advised = self.advised.orders.get(trigger)
        order = ordering.order(self.body.mask(self.values), trigger, advised, binding=self.advised.binding)
        while order:
            following = order.pop(0)
            if not self._meet(following, order, ordering):
                self._add(following, self.rule.body[following.position])
        self._expose()
        columns = self.schema.get(self.rule.head.predicate, ())
        wanted = [*columns, *(None for _ in self.rule.head.args[len(columns) :])]
        head = tuple(self._operand(t, w) for t, w in zip(self.rule.head.args, wanted, strict=True))
        before = frozenset[int]() if trigger is None else self.body.read_before(trigger)
        return Plan(self.rule, trigger, binds, checks, tuple(self.steps), head, self.registers, before)

    def _expose(self) -> None:
        """The last step of a min or max: the candidate (group, value) is the only body atom."""
        aggregate = aggregate_of(self.rule)
        if aggregate is None or is_folded(self.rule):
            return
        source = self.rule.body[0]
        assert isinstance(source, Atom)
        assert isinstance(aggregate.value, Var)
        ties = tuple(self._tie(self.rule.head.args[place], kind, source) for place, kind in aggregate.ties)
        column = source.args.index(aggregate.value)
        columns = group_columns(self.rule)
        group = tuple(self._register(source.args[i]) for i in columns)
        type_ = self.types.get(aggregate.value.name) or "number"
        value = self._register(aggregate.value)
        name, arity = source.predicate, len(source.args)
        self.steps.append(Expose(name, arity, aggregate.kind, type_, group, columns, value, column, ties))

    def _tie(self, term: Term, kind: str, source: Atom) -> Tie:
        assert isinstance(term, Var)
        type_ = self.types.get(term.name) or "number"
        return Tie(kind, type_, self._register(term), source.args.index(term))

    def _register(self, term: Term) -> int:
        assert isinstance(term, Var)
        register = self.values[term.name]
        assert isinstance(register, int)
        return register

    def _match_trigger(self, literal: Literal) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, Operand], ...]]:
        assert isinstance(literal, Atom | Negation)
        atom = literal if isinstance(literal, Atom) else literal.atom
        binds, checks = self._match(atom, skip=())
        constants = tuple((i, a) for i, a in enumerate(atom.args) if isinstance(a, Const))
        return binds, constants + checks

    def _match(
        self, atom: Atom, skip: tuple[int, ...]
    ) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
        """Registers for the variables of an atom that are not bound yet; a second occurrence is a check."""
        binds: list[tuple[int, int]] = []
        checks: list[tuple[int, int]] = []
        for column, arg in enumerate(atom.args):
            if column in skip or not isinstance(arg, Var):
                continue
            known = self.values.get(arg.name)
            if known is None:
                binds.append((column, self._bind(arg.name)))
            else:
                assert isinstance(known, int)
                checks.append((column, known))
        return tuple(binds), tuple(checks)

    def _bind(self, name: str) -> int:
        register = self._fresh()
        self.values[name] = register
        return register

    def _fresh(self) -> int:
        self.registers += 1
        return self.registers - 1

    def _add(self, following: OrderedLiteral, literal: Literal) -> None:
        if isinstance(literal, Atom):
            self._visit(following, literal)
        elif isinstance(literal, Negation):
            args = tuple(self._operand(a) for a in literal.atom.args)
            self.steps.append(Absent(literal.atom.predicate, following.position, args))
        else:
            assert isinstance(literal, Comparison)
            self._compare(literal)

    def _visit(self, following: OrderedLiteral, atom: Atom) -> None:
        key = self._key(atom)
        within = self._range(following.bounds)
        binds, checks = self._match(atom, skip=tuple(i for i, _ in key))
        found = (atom.predicate, len(atom.args), following.position, key, binds, checks)
        self.steps.append(Visit(*found, following.estimate, range=within))

    def _meet(self, following: OrderedLiteral, later: list[OrderedLiteral], ordering: BodyOrders) -> bool:
        """Let an atom and the next one be visited from either side, if both bind the same variables.

        The second atom is taken from those that come later; tests between the two follow both.
        """
        place = next((i for i, one in enumerate(later) if not self.body.is_test(one.position)), len(later))
        pair = following.position, later[place].position if place < len(later) else -1
        first, second = (self.rule.body[i] for i in pair)
        if pair[1] < 0 or not isinstance(first, Atom) or not isinstance(second, Atom):
            return False
        bound = self.body.mask(self.values)
        other = ordering.other_side(*pair, bound) if bound else None
        if other is None:
            return False
        key, within = self._key(second), self._range(other.bounds)
        self.steps.append(Meet())
        self._visit(following, first)
        self._visit(later.pop(place), second)
        known, columns = set[str](), {column for column, _ in key}
        binds: list[tuple[int, int]] = []
        checks: list[tuple[int, int]] = []
        for column, arg in enumerate(second.args):
            if column not in columns:
                assert isinstance(arg, Var)
                (checks if arg.name in known else binds).append((column, self._register(arg)))
                known.add(arg.name)
        found = (second.predicate, len(second.args), other.position, key, tuple(binds), tuple(checks))
        self.steps.append(Visit(*found, other.estimate, range=within))
        self._visit(OrderedLiteral(following.position, 1.0), first)
        return True

    def _key(self, atom: Atom) -> tuple[tuple[int, Operand], ...]:
        """The columns of an atom whose values are known."""
        return tuple((i, self._operand(a)) for i, a in enumerate(atom.args) if self._is_bound(a))

    def _range(self, bounds: tuple[Bound, ...]) -> Range | None:
        """The first lower and the first upper bound of a column."""
        if not bounds:
            return None
        low = next((bound for bound in bounds if bound.is_low), None)
        high = next((bound for bound in bounds if not bound.is_low), None)
        variable = next(name for name, bit in self.body.bits.items() if bit == bounds[0].variable)
        return Range(
            bounds[0].column,
            self.body.orders[variable],
            None if low is None else self._operand(low.term),
            None if high is None else self._operand(high.term),
            above=low is not None and low.op == ">",
            below=high is not None and high.op == "<",
        )

    def _is_bound(self, term: Term) -> bool:
        return isinstance(term, Const) or (isinstance(term, Var) and term.name in self.values)

    def _compare(self, literal: Comparison) -> None:
        if is_generator(literal):
            self._generate(literal)
            return
        for here, there in ((literal.left, literal.right), (literal.right, literal.left)):
            if literal.op == "=" and isinstance(here, Var) and here.name not in self.values:
                self.values[here.name] = self._operand(there, self.types.get(here.name))
                return
        type_ = self._type(literal.left) or self._type(literal.right) or "number"
        wanted = None if literal.op in ("=", "!=") else type_
        left, right = self._operand(literal.left, wanted), self._operand(literal.right, wanted)
        if literal.op in ("=", "!=") or type_ in ORDERED_BY_CELL:
            self.steps.append(Compare(literal.op, type_, left, right))
        else:
            target = self._fresh()
            self.steps.append(Apply("compare", (type_, type_), "number", target, (left, right)))
            self.steps.append(Compare(literal.op, "number", target, ZERO))

    def _generate(self, literal: Comparison) -> None:
        here, there = literal.left, literal.right
        if not isinstance(there, Call) or there.function != "range":
            here, there = there, here
        assert isinstance(there, Call)
        type_ = self._type(there) or "number"
        args = [self._operand(a) for a in there.args]
        known = self._operand(here) if self._is_bound(here) or not isinstance(here, Var) else None
        target = self._fresh()
        if type_ == "float":
            self._generate_floats(args, target)
        else:
            self.steps.append(Generate(target, args[0], args[1], args[2] if len(args) > 2 else None))
        if known is not None:
            self.steps.append(Compare("=", type_, target, known))
        else:
            assert isinstance(here, Var)
            self.values[here.name] = target

    def _generate_floats(self, args: list[Operand], target: int) -> None:
        """A float range counts its members first; member i is first + i * step."""
        count, place = self._fresh(), self._fresh()
        floats = ("float",) * len(args)
        self.steps.append(Apply("range_size", floats, "number", count, tuple(args)))
        self.steps.append(Generate(place, ZERO, count, ONE))
        self.steps.append(Apply("range_member", (*floats, "number"), "float", target, (*args, place)))

    def _type(self, term: Term) -> str | None:
        return term_type(term, self.types, self.functions)

    def _operand(self, term: Term, type_: str | None = None) -> Operand:
        """The operand that holds the value of a term; ``type_`` is the type that its place demands."""
        if isinstance(term, Const):
            return term
        if isinstance(term, Var):
            return self.values[term.name]
        if isinstance(term, Aggregate):
            return ZERO if term.value is None else self._operand(term.value)
        assert isinstance(term, Call)
        return self._call(term, type_)

    def _call(self, term: Call, type_: str | None) -> int:
        types = tuple(self._type(a) or "any" for a in term.args)
        function = resolve(term.function, types, self.functions)
        assert function is not None, f"the type check admits {term.function}{types}"
        settled = _settled(types, function)
        args = tuple(self._operand(a, t) for a, t in zip(term.args, settled, strict=True))
        target = self._fresh()
        if self._in_kernel(term, types):
            self.steps.append(Compute(term.function, function.result, target, args))
        else:
            result = type_ or "any" if function.result == "any" else function.result
            self.steps.append(Apply(term.function, settled, result, target, args))
        return target

    def _in_kernel(self, term: Call, types: tuple[str, ...]) -> bool:
        name = term.function.removeprefix(WRAP)
        if len(term.args) > 2 or (len(term.args) == 1 and name != "-"):
            return False
        if all(t in ("number", "any") for t in types):
            return name in KERNEL_NUMBER
        return all(t in ("float", "any") for t in types) and name in KERNEL_FLOAT


def _settled(types: tuple[str, ...], function: Function) -> tuple[str, ...]:
    """Argument types, with the parameter's type where the argument's own is not determined."""
    last = len(function.params) - 1
    return tuple(function.params[min(i, last)] if t == "any" else t for i, t in enumerate(types))
