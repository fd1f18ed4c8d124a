"""How the engine evaluates its rules: strata, join orders, indexes, cross products, placement.

Law: what is told is read off the plans in force, not planned again; rules are told as the user wrote them, relations
made by rewrites in words, unless core rules are asked for. Placement is that of the engine's partitions, or the one
that the same rules would get on several.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tidelog.partition.stratum import RuleCode, Stratum
from tidelog.plan.ruleset import Ruleset
from tidelog.plan.steps import Absent, Apply, Compare, Compute, Expose, Generate, Operand, Plan, Step, Visit
from tidelog.program import Atom, Call, Comparison, Const, Literal, Negation, Rule, Term, Var
from tidelog.rewrite.paths.names import in_words
from tidelog.rewrite.place.describe import copied, describe_made, describe_relations, describe_rules
from tidelog.rewrite.place.place import Placed
from tidelog.runtime.runtime import Runtime
from tidelog.syntax import print_literal, print_rule, print_term

_WORDS = {
    "__val_": "rows to aggregate",
    "__cand_": "candidates",
    "__agg_": "groups",
    "__total_": "totals",
    "__some_": "groups with rows",
}


@dataclass(frozen=True, slots=True)
class JoinOrder:
    """What is visited when a fact of the trigger changes, in order; ``crossed`` relations are visited whole."""

    trigger: str
    steps: tuple[str, ...]
    crossed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RulePlan:
    """A rule and its join orders."""

    label: str
    text: str
    orders: tuple[JoinOrder, ...]


@dataclass(frozen=True, slots=True)
class StratumPlan:
    """Relations evaluated together, and the rules that derive them."""

    number: int
    relations: tuple[str, ...]
    recursive: bool
    rules: tuple[RulePlan, ...]


@dataclass(frozen=True, slots=True)
class RelationPlan:
    """A relation with its columns (name: type); ``stratum`` is None for relations without rules."""

    name: str
    columns: tuple[str, ...]
    stratum: int | None
    facts: int


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """An index, by column numbers from 1, and the rules that use it."""

    relation: str
    columns: tuple[int, ...]
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlacementPlan:
    """Where each relation lives on several partitions, and what each rule sends: a sentence by name or label."""

    partitions: int
    relations: Mapping[str, str]
    rules: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Explanation:
    """How an engine evaluates; as text by ``str``, as plain values by `to_json`."""

    relations: tuple[RelationPlan, ...]
    strata: tuple[StratumPlan, ...]
    indexes: tuple[IndexPlan, ...]
    placement: PlacementPlan | None = None

    @property
    def cross_products(self) -> tuple[tuple[str, str], ...]:
        """(rule, relation) wherever a relation is visited whole in the middle of a join."""
        found = {
            (rule.label, name)
            for stratum in self.strata
            for rule in stratum.rules
            for order in rule.orders
            for name in order.crossed
        }
        return tuple(sorted(found))

    def to_json(self) -> dict[str, Any]:
        """Plain values for `json`."""
        return {**asdict(self), "cross_products": [list(pair) for pair in self.cross_products]}

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def explain(
    runtime: Runtime,
    rules: Ruleset,
    columns: Mapping[str, Sequence[str]],
    core: bool,
    placed: Placed | None = None,
    partitions: int = 1,
) -> Explanation:
    """How the rules in force are evaluated; ``columns`` names the columns of each relation.

    ``placed`` is how the rules run on so many ``partitions``, None on one.
    """
    names = Names(rules, core, placed)
    strata = sorted({id(s): s for s in runtime.node.strata.values() if s.rules}.values(), key=lambda s: s.order)
    home = {name: i for i, stratum in enumerate(strata, 1) for name in stratum.relations}
    relations = tuple(
        RelationPlan(
            names.relation(name),
            tuple(f"{c}: {t or '?'}" for c, t in zip(columns.get(name, ()), types, strict=False)),
            home.get(name),
            runtime.facts.live(name),
        )
        for name, types in sorted(rules.schema.items())
        if (core or not name.startswith("__")) and runtime.facts.arity(name) is not None
    )
    plans = tuple(_stratum_plan(i, stratum, names) for i, stratum in enumerate(strata, 1))
    indexes = _indexes(runtime.node.partition.codes.values(), names)
    placement = None if placed is None else _placement(placed, rules, names, partitions)
    return Explanation(relations, plans, indexes, placement)


def _placement(placed: Placed, rules: Ruleset, names: Names, partitions: int) -> PlacementPlan:
    if names.core:
        return PlacementPlan(partitions, describe_relations(placed), describe_rules(placed, rules.core))
    told = {label: describe_made(label, made, placed, names.relation) for label, made in rules.needed.items()}
    return PlacementPlan(partitions, describe_relations(placed, names.owners), told)


class Names:
    """Rules by their user's labels and texts, relations by their names or, if a rewrite made them, in words."""

    def __init__(self, rules: Ruleset, core: bool = False, placed: Placed | None = None) -> None:
        self.core = core
        self._rules = rules
        self.owners: dict[str, list[str]] = {}  # the user's labels of each core rule and copy
        for label, made in rules.needed.items():
            for name in made:
                self.owners.setdefault(name, []).append(label)
        self._heads: dict[str, list[Rule]] = {}
        for rule in rules.core.values():
            self._heads.setdefault(rule.head.predicate, []).append(rule)
        for label, needed in ({} if placed is None else placed.needed).items():
            for name in needed[:-1]:
                readers = self.owners.setdefault(name, [])
                readers += [owner for owner in self.owners.get(label, []) if owner not in readers]

    def label(self, rule: Rule) -> str:
        """The label under which a core rule is told; one that several rules share is told under all their labels."""
        return rule.label or "" if self.core else self._labels(rule)

    def _labels(self, rule: Rule) -> str:
        return ", ".join(self.owners.get(rule.label or "", [rule.label or ""]))

    def text(self, rule: Rule) -> str:
        """The text of a core rule, or of the user's rule it comes from; a shared one is told in words."""
        label, labels = rule.label or "", self._labels(rule)
        if self.core:
            return print_rule(rule, self._rules.program.convention)
        if label != labels and not label.startswith(f"{labels}/"):
            return f"{labels}: {self.relation(rule.head.predicate)}"
        return print_rule(self._rules.rule(labels), self._rules.program.convention)

    def relation(self, name: str) -> str:
        """A relation's name, or words for one that a rewrite made."""
        if self.core or not name.startswith("__"):
            return name
        if (walks := in_words(name)) is not None:
            return walks
        if (copy := copied(name, self._rules.schema)) is not None:
            return f"copy of {self.relation(copy[0])} {copy[1]}"
        if name not in self._heads:
            return name
        rule = self._heads[name][0]
        match rule.body:
            case (Atom(predicate=source),) if name.startswith("__only_"):
                kept = [str(rule.body[0].args.index(arg) + 1) for arg in rule.head.args]  # type: ignore[union-attr]  # matched
                columns = f"column{'s' if len(kept) > 1 else ''} {', '.join(kept)}" if kept else "no column"
                return f"{self.relation(source)} on {columns}"
        words = next((text for prefix, text in _WORDS.items() if name.startswith(prefix)), "auxiliary facts")
        labels = dict.fromkeys(label for made in self._heads[name] for label in self.owners[made.label or ""])
        return f"{words} of {', '.join(labels)}"

    def literal(self, literal: Literal) -> str:
        """A literal with its relation told."""
        atom = literal.atom if isinstance(literal, Negation) else literal
        if isinstance(atom, Atom) and self.relation(atom.predicate) != atom.predicate:
            args = ", ".join(self.term(arg) for arg in atom.args)
            text = f"[{self.relation(atom.predicate)}]({args})"
            return f"!{text}" if isinstance(literal, Negation) else text
        return print_literal(literal, self._rules.program.convention)

    def term(self, term: Term) -> str:
        """A term as it is written."""
        return print_term(term, self._rules.program.convention)


def _stratum_plan(number: int, stratum: Stratum, names: Names) -> StratumPlan:
    recursive = any(
        isinstance(literal, Atom) and literal.predicate in stratum.relations
        for code in stratum.rules.values()
        for literal in code.rule.body
    )
    rules: dict[tuple[str, str], tuple[JoinOrder, ...]] = {}
    for code in stratum.rules.values():
        key = (names.label(code.rule), names.text(code.rule))
        rules[key] = (*rules.get(key, ()), *_orders(code, names))
    told = tuple(RulePlan(label, text, orders) for (label, text), orders in rules.items())
    return StratumPlan(number, tuple(sorted(map(names.relation, stratum.relations))), recursive, told)


def _orders(code: RuleCode, names: Names) -> tuple[JoinOrder, ...]:
    if code.fold is not None:
        return (JoinOrder(names.literal(code.rule.body[0]), (f"fold the {code.fold.kind} of its group",)),)
    return tuple(_order(plan, names) for plan in code.plans)


def _order(plan: Plan, names: Names) -> JoinOrder:
    assert plan.trigger is not None
    trigger = plan.rule.body[plan.trigger]
    told = _Told(plan, names)
    steps = tuple(text for step in plan.steps if (text := told.step(step)))
    return JoinOrder(names.literal(trigger), steps, tuple(map(names.relation, plan.cross_products)))


class _Told:
    """The steps of a plan with registers told as the variables and terms they hold."""

    def __init__(self, plan: Plan, names: Names) -> None:
        self.plan = plan
        self.names = names
        self.terms: dict[int, Term] = {}
        assert plan.trigger is not None
        trigger = plan.rule.body[plan.trigger]
        self._bind(trigger.atom if isinstance(trigger, Negation) else trigger, plan.binds)

    def _bind(self, atom: Literal, binds: Iterable[tuple[int, int]]) -> None:
        assert isinstance(atom, Atom)
        self.terms.update({register: atom.args[column] for column, register in binds})

    def _term(self, operand: Operand) -> Term:
        return operand if isinstance(operand, Const) else self.terms[operand]

    def step(self, step: Step) -> str:
        """The step in words; nothing for a computation, which is told where its value is used."""
        match step:
            case Visit():
                return self._visit(step)
            case Absent(position=position):
                return self.names.literal(self.plan.rule.body[position])
            case Compare(op=op, left=left, right=right):
                return self.names.literal(self._compared(op, self._term(left), self._term(right)))
            case Compute(op=op, target=target, args=args):
                self.terms[target] = Call(op, tuple(map(self._term, args)))
            case Apply(function=function, target=target, args=args):
                self.terms[target] = Call(function, tuple(map(self._term, args)))
            case Generate(target=target, first=first, end=end, step=by):
                args = (first, end) if by is None else (first, end, by)
                return self._generated(target, Call("range", tuple(map(self._term, args))))
            case Expose(kind=kind):
                return f"if it is the {'least' if kind == 'min' else 'greatest'} of its group"
        return ""

    def _compared(self, op: str, left: Term, right: Term) -> Comparison:
        """A comparison; that of texts is told as itself, not as the sign of their order."""
        if isinstance(left, Call) and left.function == "compare" and right == Const(0, "number"):
            left, right = left.args
        return Comparison(op, left, right)

    def _visit(self, step: Visit) -> str:
        atom = self.plan.rule.body[step.position]
        self._bind(atom, step.binds)
        text = self.names.literal(atom)
        if step.is_scan:
            return f"all of {text}"
        if len(step.key) == step.arity:
            return f"{text} as one fact"
        columns = ", ".join(str(column + 1) for column in step.columns)
        return f"{text} by column{'s' if len(step.key) > 1 else ''} {columns}"

    def _generated(self, target: int, values: Call) -> str:
        variable = next(
            (
                literal.left
                for literal in self.plan.rule.body
                if isinstance(literal, Comparison) and isinstance(literal.left, Var) and literal.right == values
            ),
            Var("_"),
        )
        self.terms[target] = variable
        return f"{self.names.term(variable)} in {self.names.term(values)}"


def _indexes(codes: Iterable[RuleCode], names: Names) -> tuple[IndexPlan, ...]:
    users: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for code in codes:
        used = {index for plan in (*code.plans, code.whole) for index in plan.indexes}
        if code.fold is not None and code.fold.group:
            used.add((code.source, tuple(sorted(code.fold.group))))
        for relation, columns in used:
            users.setdefault((relation, columns), []).append(names.label(code.rule))
    found = [
        IndexPlan(names.relation(relation), tuple(c + 1 for c in columns), tuple(dict.fromkeys(sorted(labels))))
        for (relation, columns), labels in users.items()
    ]
    return tuple(sorted(dict.fromkeys(found), key=lambda index: (index.relation, index.columns)))


def _lines(told: Explanation) -> Iterable[str]:
    yield "relations"
    for relation in told.relations:
        place = "base" if relation.stratum is None else f"stratum {relation.stratum}"
        yield f"  {relation.name}({', '.join(relation.columns)})  {place}, {counted(relation.facts, 'fact')}"
    for stratum in told.strata:
        yield ""
        yield f"stratum {stratum.number}{', recursive' if stratum.recursive else ''}: {'; '.join(stratum.relations)}"
        for rule in stratum.rules:
            yield f"  {rule.text}"
            for order in rule.orders:
                yield f"    on {order.trigger}" + (": " + ", then ".join(order.steps) if order.steps else "")
    if told.indexes:
        yield ""
        yield "indexes"
    for index in told.indexes:
        columns = ", ".join(map(str, index.columns))
        yield f"  {index.relation} by column{'s' if len(index.columns) > 1 else ''} {columns}: {', '.join(index.rules)}"
    if told.cross_products:
        yield ""
        yield "cross products: the rules below visit a whole relation for every match of what comes before"
    for label, name in told.cross_products:
        yield f"  {label}: {name}"
    if told.placement is not None:
        yield ""
        yield f"placement on {counted(told.placement.partitions, 'partition')}"
        yield from (f"  {line}" for line in told.placement.relations.values())
        yield from (f"  {line}" for line in told.placement.rules.values())


def counted(number: int, thing: str) -> str:
    """The number with its noun.

    >>> counted(1, "fact"), counted(2000, "fact")
    ('1 fact', '2,000 facts')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
