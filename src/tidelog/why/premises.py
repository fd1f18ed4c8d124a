"""Turn a support of a core rule into premises in the notation of the user's rule.

Law: relations made by rewrites are never shown. A projection behind a negated ``_`` is shown as the negated atom in the
rule, the valuations behind an aggregate as a group with its rows, and any other auxiliary fact is replaced by its
support. Literals that a rewrite repeats (those that bind the group of an aggregate) are shown once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

from tidelog.plan.body import is_generator, literal_variables
from tidelog.plan.plan_rule import aggregate_of
from tidelog.program import Aggregate, Atom, Call, Comparison, Const, Negation, Rule, Term, Value, Var, Wildcard
from tidelog.program.elaborate.ground_cycles import HIDDEN
from tidelog.program.elaborate.read_undefined import DOUBT, MAYBE
from tidelog.program.graph.choice import choices, chosen_for
from tidelog.program.graph.equivalence import LEAST
from tidelog.program.graph.well_founded import TRUTH, UNDEFINED
from tidelog.program.values.pattern import is_constructed, only_opens
from tidelog.program.values.scope import rule_names
from tidelog.program.values.term import POSSIBLE
from tidelog.rewrite.demand.pass_demand import BOUND
from tidelog.rewrite.demand.restrict import demanded_by_name
from tidelog.rewrite.names import CANDIDATES, KEYED, VALUES, behind_total, is_auxiliary
from tidelog.rewrite.paths.names import walk_in_words
from tidelog.rewrite.scope import body_aggregates, rule_terms
from tidelog.syntax import print_atom, print_literal, print_term
from tidelog.why.join import Question
from tidelog.why.ledger import FactKey, Ledger
from tidelog.why.support import GroupSupport, Support, Supports
from tidelog.why.tree import CLASS, Absence, Condition

READ = (UNDEFINED, MAYBE)  # relations of undefined facts
READINGS = (UNDEFINED, DOUBT)  # relations whose negations only readings have


@dataclass(frozen=True, slots=True)
class Group:
    """A `GroupNode` whose rows still contain items."""

    kind: str
    text: str
    value: Value
    size: int
    rule: str
    rows: tuple[tuple[Item, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class _AuxiliaryFact:
    """An auxiliary fact to be replaced by its support; ``text`` is what the user wrote in its place."""

    key: FactKey
    text: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A fact that is false, or undefined if ``truth`` is None, as a literal."""

    key: FactKey
    truth: bool | None
    positive: bool = True


Item: TypeAlias = FactKey | Absence | Condition | Group | Judged


@dataclass(frozen=True, slots=True)
class Inference:
    """One inference of a proof: the user's rule and its premises."""

    rule: str
    items: tuple[Item, ...]


class Premises:
    """Turns supports into steps; at most ``width`` rows of each group are shown."""

    def __init__(self, ledger: Ledger, supports: Supports, width: int) -> None:
        self.ledger = ledger
        self.supports = supports
        self.width = width
        self.convention = ledger.rules.program.convention

    def step(self, key: FactKey) -> Inference | None:
        """The step that derives a fact; None if no support by a rule is found."""
        support = self.supports.lowest(key)
        if support is None:
            return None
        if isinstance(support, GroupSupport):
            group = self._group(support, key, "")
            return Inference(group.rule, (group,))
        return Inference(self._proposer(support), self._items(support))

    def _proposer(self, support: Support) -> str:
        """The user's rule behind a support; for a chosen fact, the rule that proposed it."""
        label, rules = self.ledger.owner(support.rule), self.ledger.rules
        chosen = label not in rules.labels and chosen_for(support.rule) in choices(rules.program)
        return self._label_behind(support.facts[0][1]) if chosen else label

    def _items(self, support: Support) -> tuple[Item, ...]:
        """The premises of a support, with auxiliary facts replaced by their supports."""
        found: list[Item] = []
        waiting: list[Item | _AuxiliaryFact] = list(reversed(self._parts(support, "")))
        while waiting:
            part = waiting.pop()
            if isinstance(part, _AuxiliaryFact):
                waiting.extend(reversed(self._behind(part)))
            else:
                found.append(part)
        return _distinct(found)

    def _behind(self, part: _AuxiliaryFact) -> list[Item | _AuxiliaryFact]:
        if (results := behind_total(part.key[0])) is not None:
            return [self._total(part, results)]
        support = self.supports.lowest(part.key)
        if support is None:
            return [self.ledger.users_fact(part.key)]
        if isinstance(support, GroupSupport):
            return [self._group(support, part.key, part.text)]
        return self._parts(support, part.text)

    def _total(self, part: _AuxiliaryFact, results: str) -> Group:
        """The group behind a total: the group of its result, or an empty one."""
        for key in self.ledger.keys(results, dict(enumerate(part.key[1][:-1]))):
            support = self.supports.lowest(key)
            assert isinstance(support, GroupSupport), "results are made by aggregates alone"
            return self._group(support, key, part.text)
        label = self.ledger.owner(self.ledger.by_head[part.key[0]][0])
        kind, text = self._aggregate_behind(results), part.text or self.aggregate_text(label, results)
        return Group(kind, text, self.ledger.values(part.key)[-1], 0, label)

    def _parts(self, support: Support, text: str) -> list[Item | _AuxiliaryFact]:
        """The literals of a core rule in the order of its text, then what its head computes."""
        facts = dict(support.facts)
        parts: list[Item | _AuxiliaryFact] = []
        for position, literal in enumerate(support.rule.body):
            if isinstance(literal, Atom) and self.request_for(literal) is not None:
                continue  # the demand for a fact is not a premise of it
            if isinstance(literal, Negation) and self.reading(literal.atom) is not None:
                continue  # the same negation is shown of true facts
            if isinstance(literal, Atom):
                key = facts[position]
                if (fact := self._read_fact(key)) is not None:
                    parts.append(fact)
                    continue
                parts.append(_AuxiliaryFact(key, text or written(literal)) if is_auxiliary(key[0]) else key)
            elif isinstance(literal, Negation):
                parts.append(self._absence(support, literal, text))
            else:
                assert isinstance(literal, Comparison)
                if not only_opens(literal, support.rule) and not support.rule.head.predicate.startswith(KEYED):
                    parts.append(self._test(support, literal))
        return [*parts, *self._head_computations(support)]

    def reading(self, atom: Atom) -> Atom | None:
        """The atom over undefined facts or groups in doubt that an atom is, or projects; None for any other."""
        if atom.predicate.startswith(READINGS):
            return atom
        match self.ledger.by_head.get(atom.predicate, []):
            case [Rule(head=head, body=(Atom(predicate=name) as source,))] if name.startswith(READINGS):
                known = dict(zip(head.args, atom.args, strict=True))
                return replace(source, args=tuple(known.get(arg, Wildcard()) for arg in source.args))
        return None

    def _read_fact(self, key: FactKey) -> Item | None:
        """The user's fact that another shows in a reading of its rule; None for any other."""
        name = next((key[0].removeprefix(prefix) for prefix in (POSSIBLE, *READ) if key[0].startswith(prefix)), None)
        if name is None:
            return None
        is_undefined = not key[0].startswith(POSSIBLE) and self.ledger.is_undefined((name, key[1]))
        return Judged((name, key[1]), None) if is_undefined else (name, key[1])

    def _absence(self, support: Support, literal: Negation, text: str) -> Item:
        atom = self.put_in(support.question, literal.atom, support.binding.get)
        source = atom if not is_auxiliary(atom.predicate) else self.projected(atom)
        if source is not None:
            if f"{UNDEFINED}{source.predicate}" in self.ledger.rules.schema:
                known = {i: self.supports.join.encode(x) for i, x in enumerate(source.args) if isinstance(x, Const)}
                for key in self.ledger.keys(f"{UNDEFINED}{source.predicate}", known):
                    return Judged((source.predicate, key[1]), None, positive=False)
            return Absence(print_atom(source, self.convention))
        if (walk := self.walk_text(atom)) is not None:
            return Absence(walk)
        kind = self._aggregate_behind(atom.predicate)
        zero: Value = 0.0 if self.ledger.rules.schema[support.rule.head.predicate][-1] == "float" else 0
        label = self.ledger.owner(support.rule)
        return Group(kind, text or self.aggregate_text(label, atom.predicate), zero, 0, label)

    def request_for(self, atom: Atom) -> Atom | None:
        """The atom that this one demands; None if it is not a demand."""
        found = demanded_by_name(atom.predicate)
        if found is None:
            return None
        values = iter(atom.args)
        return Atom(found[0], tuple(next(values) if mark == BOUND else Wildcard() for mark in found[1]))

    def projected(self, atom: Atom) -> Atom | None:
        """The atom that an atom over a projection represents, with ``_`` for omitted columns."""
        if (name := hidden_in(atom.predicate)) is not None:
            return hidden_atom(name, atom.args, self.ledger.rules.schema)
        rules = self.ledger.by_head.get(atom.predicate, [])
        match rules:
            case [Rule(head=head, body=(Atom() as source, *rest)) as rule] if not is_auxiliary(source.predicate):
                if aggregate_of(rule) is not None or (rest and not head.predicate.startswith(KEYED)):
                    return None
                known = dict(zip(head.args, atom.args, strict=True))
                args = (arg if isinstance(arg, Const) else known.get(arg, Wildcard()) for arg in source.args)
                return replace(source, args=tuple(args))
        return None

    def walk_text(self, atom: Atom) -> str | None:
        """The text of an atom over the walks of a path, as the path between its ends; None for any other atom."""
        return walk_in_words(atom.predicate, [print_term(arg, self.convention) for arg in atom.args])

    def _aggregate_behind(self, name: str) -> str:
        """The kind of the aggregate whose groups an auxiliary relation holds."""
        for rule in self.ledger.by_head.get(name, ()):
            aggregate = aggregate_of(rule)
            if aggregate is not None:
                return aggregate.kind
            for literal in rule.body:
                if isinstance(literal, Atom):
                    return self._aggregate_behind(literal.predicate)
        return "count"

    def _test(self, support: Support, literal: Comparison) -> Condition:
        return self.condition(support.question, literal, support.binding.get)

    def condition(self, question: Question, literal: Comparison, cell: Callable[[str], int | None]) -> Condition:
        """A comparison with its values inserted; an equation that only names a value is shown as written."""
        known = rule_names(self.ledger.user_rule(self.ledger.owner(question.rule)))
        source = print_literal(literal, self.convention) if known.issuperset(literal_variables(literal)) else ""
        left, right = (self.put_in_term(question, side, cell) for side in (literal.left, literal.right))
        names = bool(source) and literal.op == "=" and left == right
        return Condition(source if names else self.ground_text(question, literal, cell), source)

    def ground_text(self, question: Question, literal: Comparison, cell: Callable[[str], int | None]) -> str:
        """The text of a comparison with its values inserted."""
        left, right = (self.put_in_term(question, side, cell) for side in (literal.left, literal.right))
        if is_generator(literal):
            here, there = (left, right) if isinstance(right, Call) and right.function == "range" else (right, left)
            return f"{print_term(here, self.convention)} is in {print_term(there, self.convention)}"
        return print_literal(Comparison(literal.op, left, right), self.convention)

    def _head_computations(self, support: Support) -> list[Condition]:
        tests = []
        for column, arg in enumerate(support.rule.head.args):
            if isinstance(arg, Call) and not is_constructed(arg):
                result = Var(f"column {column + 1}")
                text = self.ground_text(support.question, Comparison("=", result, arg), support.binding.get)
                tests.append(Condition(text))
        return tests

    def put_in(self, question: Question, atom: Atom, cell: Callable[[str], int | None]) -> Atom:
        """An atom with the values of its known variables."""
        return replace(atom, args=tuple(self.put_in_term(question, arg, cell) for arg in atom.args))

    def put_in_term(self, question: Question, term: Term, cell: Callable[[str], int | None]) -> Term:
        """A term with the values of its known variables."""
        if isinstance(term, Var):
            known, type_ = cell(term.name), question.types.get(term.name)
            return term if known is None else Const(self.ledger.value(known, type_), type_ or "any")
        if isinstance(term, Call):
            return replace(term, args=tuple(self.put_in_term(question, arg, cell) for arg in term.args))
        return term

    def _group(self, support: GroupSupport, key: FactKey, text: str) -> Group:
        """The group of an aggregate, with the row that decided or the first rows."""
        rule, label = support.rule, self.ledger.owner(support.rule)
        if support.decided is not None:
            rows = [support.decided]
            if support.source.startswith((VALUES, CANDIDATES)):
                label = self._label_behind(support.decided)
        else:
            rows = list(islice(self.ledger.keys(support.source, support.known), self.width))
        place = next(i for i, arg in enumerate(rule.head.args) if isinstance(arg, Aggregate))
        value = self.ledger.values(key)[place]
        shown_rows = tuple(self._row(row) for row in rows)
        if key[0].startswith(LEAST):
            return Group(CLASS, self._class_text(key), value, len(shown_rows), label, shown_rows)
        shown = text or self.aggregate_text(label, rule.head.predicate)
        return Group(support.aggregate.kind, shown, value, support.size, label, shown_rows)

    def _class_text(self, key: FactKey) -> str:
        """The statement that a node of an equivalence relation is in the class of another, the least node."""
        types = self.ledger.rules.schema[key[0]]
        node, least = (self.ledger.cell_text(cell, type_) for cell, type_ in zip(key[1], types, strict=True))
        return f"{node} is the least of its class" if node == least else f"{node} is in the class of {least}"

    def _row(self, key: FactKey) -> tuple[Item, ...]:
        if not is_auxiliary(key[0]):
            return (key,)
        support = self.supports.lowest(key)
        while support is not None and _is_copy(support):
            assert isinstance(support, Support)
            key = support.facts[0][1]
            support = self.supports.lowest(key)
        if support is None:
            return (self.ledger.users_fact(key),)
        assert isinstance(support, Support), "rows of a group come from plain rules"
        return self._items(support)

    def _label_behind(self, key: FactKey) -> str:
        """The user's rule that derived a candidate, behind its projections."""
        support = self.supports.lowest(key)
        assert support is not None
        while _is_copy(support):
            assert isinstance(support, Support)
            behind = self.supports.lowest(support.facts[0][1])
            if behind is None:
                break  # an asserted edge
            support = behind
        return self.ledger.owner(support.rule)

    def aggregate_text(self, label: str, predicate: str) -> str:
        """The text of the aggregate that an auxiliary relation was made for; empty if none is found."""
        rule = self.ledger.user_rule(label)
        found = [arg for arg in rule.head.args if isinstance(arg, Aggregate) and arg.body is None]
        number = predicate.rpartition("/")[2]
        place = int(number) - 1 if number.isdigit() and predicate != rule.head.predicate else 0
        inner = predicate.rpartition("_")[2]
        if is_auxiliary(predicate) and inner.isdigit() and inner != "0":
            found = [aggregate for term in rule_terms(rule) for aggregate in body_aggregates(term)]
            place = int(inner) - 1
        return print_term(found[place], self.convention) if place < len(found) else ""


def hidden_in(relation: str) -> str | None:
    """The projection behind a negation with ``_``, if a relation is one or has its truth; None for any other."""
    name = relation.removeprefix(TRUTH)
    return name if name.startswith(HIDDEN) else None


def hidden_atom(name: str, args: Sequence[Term], schema: Mapping[str, Sequence[object]]) -> Atom:
    """The atom that a projection represents, with ``_`` for omitted columns.

    >>> print_atom(hidden_atom("__hidden_p/2", [Var("X")], {"p": ("number", "number")}))
    'p(_, X)'
    """
    source, _, kept = name.removeprefix(HIDDEN).rpartition("/")
    known = dict(zip((int(place) - 1 for place in kept.split("_") if place), args, strict=False))
    return Atom(source, tuple(known.get(i, Wildcard()) for i in range(len(schema[source]))))


def written(atom: Atom) -> str:
    """The user's text that a rewrite replaced by an atom of an auxiliary relation."""
    return "" if atom.span is None else " ".join(atom.span.text.split())


def _is_copy(support: Support | GroupSupport) -> bool:
    """Whether a support is a projection of one auxiliary fact."""
    return isinstance(support, Support) and len(support.rule.body) == 1 and _copies(support.facts)


def _copies(facts: Iterable[tuple[int, FactKey]]) -> bool:
    return all(is_auxiliary(key[0]) for _, key in facts)


def _distinct(items: Iterable[Item]) -> tuple[Item, ...]:
    """The items without repetition; items beside a group are not repeated in its rows."""
    found = tuple(dict.fromkeys(items))
    negated = {item.key for item in found if isinstance(item, Judged) and not item.positive}
    kept = tuple(i for i in found if not (isinstance(i, Judged) and i.positive and i.key in negated))
    beside: set[Item] = {item for item in kept if not isinstance(item, Group)}
    return tuple(_without(item, beside) if isinstance(item, Group) else item for item in kept)


def _without(group: Group, beside: set[Item]) -> Group:
    rows = (tuple(item for item in row if item not in beside) or row for row in group.rows)
    return replace(group, rows=tuple(rows))
