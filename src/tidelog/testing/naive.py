"""The slow, obvious evaluator of the whole language: the judge of every faster one.

Law: the meaning of a program is its least model, found stratum by stratum: from nothing, replace the relations of the
stratum by the base facts and the facts derived from the last round until nothing changes. If min or max occur inside
recursion, the same loop iterates the exposed values; a limit stops programs without a fixed point.

- If a count, a sum or a mean depends on its own relation, it ranges over the facts of the round before, until nothing
  changes: the facts are those of the model if none depends on its own aggregate, which is not checked here.
- Rules of one relation with the same min and max in the same columns of their heads share their groups: one row shows
  the best that any of them derives. count, sum and mean belong to the one rule that contains them. Asserted facts, and
  rules without aggregates, add separate rows.
- Programs are used as the checks return them: well typed, with integer literals in float places made floats.
- Keys (``materialize``) determine which columns of a head with min or max accompany the best value; otherwise they are
  ignored: they are about changes, which do not occur here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from tidelog.errors import EvaluationError, LimitError
from tidelog.program import (
    Aggregate,
    Atom,
    Call,
    Comparison,
    Disjunction,
    Literal,
    Negation,
    Program,
    Rule,
    Term,
    Value,
)
from tidelog.program.elaborate.choose_witnesses import with_choices
from tidelog.program.elaborate.hide_heads import with_hidden_heads
from tidelog.program.elaborate.mark_witnesses import with_witnesses
from tidelog.program.elaborate.separate_scopes import scoped_rule
from tidelog.program.elaborate.wrap_arithmetic import wrapping
from tidelog.program.functions.lists import same
from tidelog.program.functions.table import FUNCTIONS, Function, order_key
from tidelog.program.graph.broadcast import with_neighbours
from tidelog.program.graph.choice import choices
from tidelog.program.graph.constraint import UNNAMED
from tidelog.program.graph.equivalence import equivalences
from tidelog.program.graph.subsumption import subsumed_relations
from tidelog.testing.folds import FOLDS
from tidelog.testing.occurrences import body_literals, dependencies, head_aggregates, names, names_of_body
from tidelog.testing.solutions import (
    Binding,
    Context,
    arrange,
    binds,
    in_order,
    results,
    valued,
    values,
    with_named_wildcards,
    without_repetitions,
)
from tidelog.testing.strata import reads, strata
from tidelog.testing.values import Row, column_types, of_type

Facts = Mapping[str, Iterable[Row]]
Model = dict[str, frozenset[Row]]
Shape = tuple[tuple[tuple[int, str], ...], ...]  # for each min or max its column, and those that decide between equals
Overloads = Mapping[str, tuple[Function, ...]]
NO_FACTS: Facts = {}
LIMIT = 10_000


def evaluate(program: Program, facts: Facts = NO_FACTS, functions: Overloads = FUNCTIONS, limit: int = LIMIT) -> Model:
    """Every relation of the program, including base relations and empty ones, over its own facts and the given ones.

    >>> from tidelog.program import Negation, Var
    >>> rule = Rule(Atom("p", (Var("X"),)), (Atom("q", (Var("X"),)), Negation(Atom("r", (Var("X"),)))))
    >>> model = evaluate(Program((rule,)), {"q": [(1,), (2,)], "r": [(2,)]})
    >>> model["p"]
    frozenset({(1,)})
    """
    return evaluate_both(program, facts, functions, limit)[0]


def evaluate_both(
    program: Program, facts: Facts = NO_FACTS, functions: Overloads = FUNCTIONS, limit: int = LIMIT
) -> tuple[Model, Model]:
    """The true facts, and those that are true or undefined, in the well-founded model.

    A stratum that negates one of its own relations, or reads an undefined fact, is evaluated by the alternating
    fixpoint: the least model if what may be true is negated lies below the truth, the least model if what is true is
    negated lies above it; from nothing true, both approach the model.

    >>> from tidelog.syntax import parse_program
    >>> true, possible = evaluate_both(parse_program("a :- !b. b :- !a. c :- !d. d :- !e, !c. e."))
    >>> sorted(name for name in true if true[name]), sorted(name for name in possible if possible[name])
    (['c', 'e'], ['a', 'b', 'c', 'e'])
    """
    named = relations(program, facts)
    columns = {relation: len(row) for relation, rows in facts.items() for row in list(rows)[:1]}
    program = with_neighbours(with_choices(with_witnesses(_without_constraints(program))), columns)
    program = scoped(program)
    judge = _Judge(program, functions)
    base = judge.base(facts)
    model: Model = {relation: frozenset(base.get(relation, ())) for relation in named}
    for relation in equivalences(program):
        model[relation] = frozenset(_closed(model[relation]))
    for relation, declared in choices(program).items():
        model[relation] = frozenset(first_choice(set(model[relation]), declared.domains))
    below, possible = reads(program.rules), dict(model)
    apart = _DoubtingJudge(replace(program, rules=tuple(map(_negating_apart, program.rules))), functions)
    folding: _Judge | None = None
    for stratum in strata(program.rules):
        recursive = any(relation in below[relation] for relation in stratum)
        own = [rule for rule in program.rules if rule.head.predicate in stratum]
        if any(_folds(rule, stratum) for rule in own):
            folding = folding or _Judge(replace(program, rules=tuple(map(_folding_apart, program.rules))), functions)
            possible.update(folding.settled(stratum, base, model, limit))
            continue
        if not any(_is_uncertain(rule, stratum, model, possible) for rule in own):
            possible.update(judge.least(stratum, base, model, limit if recursive else 1))
            continue
        for _ in range(limit):
            true = {relation: model.get(relation, frozenset()) for relation in stratum}
            apart.other, apart.is_certain = {**model, **_apart(possible)}, False
            possible.update(apart.least(stratum, base, {**possible, **_apart(model)}, limit))
            apart.other, apart.is_certain = {**possible, **_apart(model)}, True
            model.update(apart.least(stratum, base, {**model, **_apart(possible)}, limit))
            if all(model[relation] == true[relation] for relation in stratum):
                break
    return model, possible


def _is_uncertain(rule: Rule, stratum: frozenset[str], model: Model, possible: Model) -> bool:
    """Whether a rule negates its own stratum, or reads undefined facts."""
    negated = {literal.atom.predicate for literal in body_literals(rule) if isinstance(literal, Negation)}
    read = {name for name, _ in dependencies(rule)} - stratum
    return bool(negated & stratum) or any(model.get(name) != possible.get(name) for name in read)


def _folds(rule: Rule, stratum: frozenset[str]) -> bool:
    """Whether a rule has an aggregate that needs its own stratum complete."""
    negated = {literal.atom.predicate for literal in body_literals(rule) if isinstance(literal, Negation)}
    return any(strict and name in stratum and name not in negated for name, strict in dependencies(rule))


def _folding_apart(rule: Rule) -> Rule:
    """The rule with aggregates that range over relations under other names."""
    args = tuple(map(_over_apart, rule.head.args))
    body = tuple(map(_over_all if head_aggregates(rule) else _folding_literal, rule.body))
    return replace(rule, head=replace(rule.head, args=args), body=body)


def _over_all(literal: Literal) -> Literal:
    return replace(literal, predicate=f"over {literal.predicate}") if isinstance(literal, Atom) else literal


def _folding_literal(literal: Literal) -> Literal:
    if not isinstance(literal, Comparison):
        return literal
    return replace(literal, left=_over_apart(literal.left), right=_over_apart(literal.right))


def _over_apart(term: Term) -> Term:
    """The term with atoms in the bodies of its aggregates under other names."""
    if isinstance(term, Call):
        return replace(term, args=tuple(map(_over_apart, term.args)))
    if isinstance(term, Aggregate) and term.body is not None:
        return replace(term, body=tuple(map(_over_all, term.body)))
    return term


def _negating_apart(rule: Rule) -> Rule:
    """The rule in which negations read relations under other names."""
    return replace(rule, body=tuple(map(_apart_literal, rule.body)))


def _apart_literal(literal: Literal) -> Literal:
    if isinstance(literal, Negation):
        return replace(literal, atom=replace(literal.atom, predicate=f"not {literal.atom.predicate}"))
    if isinstance(literal, Disjunction):
        return replace(literal, branches=tuple(tuple(map(_apart_literal, branch)) for branch in literal.branches))
    if isinstance(literal, Comparison):
        return replace(literal, left=_apart_term(literal.left), right=_apart_term(literal.right))
    return literal


def _apart_term(term: Term) -> Term:
    if isinstance(term, Aggregate) and term.body is not None:
        return replace(term, body=tuple(map(_apart_literal, term.body)))
    return replace(term, args=tuple(map(_apart_term, term.args))) if isinstance(term, Call) else term


def _apart(model: Model) -> Model:
    return {f"not {name}": rows for name, rows in model.items()}


def violations(
    program: Program, facts: Facts = NO_FACTS, functions: Overloads = FUNCTIONS
) -> dict[str, frozenset[Row]]:
    """The violations of every constraint by its label: the values of the variables that its body binds.

    >>> from tidelog.syntax import parse_program
    >>> violations(parse_program("few: :- n(X), X > 9."), {"n": [(3,), (10,)]})
    {'few': frozenset({(10,)})}
    """
    hidden, wrong = with_hidden_heads(program)
    if wrong:
        raise EvaluationError(wrong[0].message)
    model = evaluate(hidden, facts, functions)
    return {rule.label or "": model[rule.head.predicate] for rule in hidden.rules if rule.constraint is not None}


@lru_cache(maxsize=8)  # of the same program there are many states
def _rewritten(program: Program) -> Program:
    """The program as it is evaluated."""
    return scoped(with_choices(with_witnesses(_without_constraints(program))))


def _without_constraints(program: Program) -> Program:
    """The program without its constraints."""
    return replace(program, rules=tuple(rule for rule in program.rules if rule.head.predicate != UNNAMED))


def first_choice(rows: Iterable[Row], domains: Sequence[tuple[int, ...]]) -> set[Row]:
    """The choice if nothing was chosen before: repeatedly the least row whose keys are all free, until none is left.

    >>> sorted(first_choice([(1, 5), (1, 2), (3, 2)], [(0,)])), sorted(first_choice([(1, 2), (3, 2)], [(0,), (1,)]))
    ([(1, 2), (3, 2)], [(1, 2)])
    """
    found: set[Row] = set()
    for row in sorted(rows, key=lambda row: tuple(map(order_key, row))):
        if not any(all(row[i] == other[i] for i in domain) for domain in domains for other in found):
            found.add(row)
    return found


def scoped(program: Program) -> Program:
    """The program with unique names for the variables of aggregates and for functions that wrap around."""
    return wrapping(replace(program, rules=tuple(map(scoped_rule, program.rules))))


def supports(program: Program, facts: Facts = NO_FACTS, functions: Overloads = FUNCTIONS) -> Counter[tuple[str, Row]]:
    """How many supports each fact of the least model has: one per rule and distinct ground body, one if it is asserted.

    Meant for core rules: plain heads, no disjunction. Every ``_`` of a positive atom is grounded too.
    """
    judge = _Judge(wrapping(program), functions)
    model = evaluate(program, facts, functions)
    found = Counter((relation, row) for relation, rows in judge.base(facts).items() for row in rows)
    for rule in program.rules:
        if head_aggregates(rule):
            raise EvaluationError(f"supports are counted for plain rules only, not for {_name(rule)}")
        found.update((rule.head.predicate, row) for row in judge.instances(rule, model))
    return found


def asserted(program: Program, functions: Overloads = FUNCTIONS) -> dict[str, frozenset[Row]]:
    """The facts that the program's own text asserts, by relation."""
    return {relation: frozenset(rows) for relation, rows in _Judge(wrapping(program), functions).base(NO_FACTS).items()}


def relations(program: Program, facts: Facts = NO_FACTS) -> set[str]:
    """The names of all relations that a program, or facts for it, mention."""
    found = {declaration.relation for declaration in program.declarations} | set(facts)
    found |= {fact.atom.predicate for fact in program.facts}
    found |= {rule.head.predicate for rule in program.rules if rule.head.predicate != UNNAMED}
    return found | {predicate for rule in program.rules for predicate, _ in dependencies(rule)}


@dataclass(frozen=True)
class _Body:
    """The body of a rule as it is evaluated in every round."""

    source: Sequence[Literal]
    order: Sequence[Literal]
    kept: Sequence[str]  # the variables that have values
    scope: frozenset[str]

    @classmethod
    def of(cls, source: Sequence[Literal], scope: frozenset[str]) -> _Body:
        """A body of a rule whose head has the variables `scope`."""
        body = with_named_wildcards(source, scope)
        scope |= names_of_body(body)
        kept = sorted(frozenset[str]().union(*map(binds, body)))
        return cls(source, arrange(body, frozenset(), scope), kept, scope)


class _Judge:
    """One program with everything that stays constant while its model is computed."""

    def __init__(self, program: Program, functions: Overloads) -> None:
        self.program, self.functions = program, functions
        self.types = column_types(program)
        self.arranged: dict[tuple[int, frozenset[str]], _Body] = {}  # by the identity of a body, which is kept

    def base(self, facts: Facts) -> dict[str, set[Row]]:
        """The asserted facts."""
        found: dict[str, set[Row]] = defaultdict(set)
        for relation, rows in facts.items():
            found[relation].update(self.fitted(relation, row) for row in rows)
        for fact in self.program.facts:
            found[fact.atom.predicate].update(self.rows(fact.atom, {}, Context({}, self.functions)))
        return found

    def least(self, stratum: frozenset[str], base: Mapping[str, set[Row]], model: Model, limit: int) -> Model:
        """Complete the model by the relations of a stratum, from nothing; returns these. One round needs no check."""
        model.update(dict.fromkeys(stratum, frozenset[Row]()))
        for _ in range(limit):
            derived = self.round(stratum, base, model)
            settled = limit == 1 or all(model[relation] == derived[relation] for relation in stratum)
            model.update(derived)
            if settled:
                return derived
        raise LimitError(f"no fixed point after {limit} rounds of {', '.join(sorted(stratum))}")

    def settled(self, stratum: frozenset[str], base: Mapping[str, set[Row]], model: Model, limit: int) -> Model:
        """As `least`, for aggregates over their own stratum: they range over the result of the round before.

        A result that no longer changes is the model if no fact depends on its own aggregate, as the result of round n
        has all facts that depend on no more than n aggregates.
        """
        found: Model = dict.fromkeys(stratum, frozenset[Row]())
        for _ in range(limit):
            before, over = found, {f"over {name}": rows for name, rows in {**model, **found}.items()}
            found = self.least(stratum, base, {**model, **over}, limit)
            if found == before:
                model.update(found)
                return found
        raise LimitError(f"no fixed point after {limit} rounds of {', '.join(sorted(stratum))}")

    def round(self, stratum: frozenset[str], base: Mapping[str, set[Row]], model: Model) -> Model:
        """The relations of a stratum after one more application of its rules."""
        derived = {relation: set(base.get(relation, ())) for relation in stratum}
        pools: dict[tuple[str, Shape], set[Row]] = defaultdict(set)
        for rule in self.program.rules:
            if rule.head.predicate in stratum and not rule.subsumes:
                pooled = pools[rule.head.predicate, shape] if (shape := _shape(rule)) else derived[rule.head.predicate]
                pooled.update(self.heads(rule, model))
        for (relation, shape), rows in pools.items():
            derived[relation].update(_best(rows, shape))
        for relation in equivalences(self.program).keys() & stratum:
            derived[relation] = _closed(derived[relation])
        for relation, clauses in subsumed_relations(self.program.rules).items():
            if relation in stratum:
                derived[relation] = self.kept(derived[relation], clauses, model)
        for relation, declared in choices(self.program).items():
            if relation in stratum:
                derived[relation] = first_choice(derived[relation], declared.domains)
        return {relation: frozenset(rows) for relation, rows in derived.items()}

    def kept(self, rows: set[Row], clauses: Sequence[Rule], model: Model) -> set[Row]:
        """The rows that no other subsumes; of two that subsume each other, the lesser stays."""
        gone: set[tuple[Row, Row]] = set()
        relation = clauses[0].head.predicate
        for clause in clauses:
            less, more = clause.body[0], clause.body[1]
            assert isinstance(less, Atom)
            assert isinstance(more, Atom)
            pair = replace(less, predicate="a pair", args=(*less.args, *more.args))
            for row in self.instances(replace(clause, head=pair), {**model, relation: frozenset(rows)}):
                one, other = row[: len(less.args)], row[len(less.args) :]
                if one != other:
                    gone.add((one, other))
        worse = {(one, other) for one, other in gone if (other, one) not in gone or order_key(other) < order_key(one)}
        return rows - {one for one, _ in worse}

    def heads(self, rule: Rule, model: Model) -> set[Row]:
        """The rows that a rule derives from the model."""
        try:
            return set(
                self.groups(rule, model) if head_aggregates(rule) and not _shape(rule) else self.offers(rule, model)
            )
        except EvaluationError as error:
            raise EvaluationError(f"{error} (in {_name(rule)})") from error

    def instances(self, rule: Rule, model: Model) -> Iterator[Row]:
        """The heads of a rule without aggregates, one per distinct solution of its body."""
        for binding, context in self.solved(rule, model):
            yield from self.rows(rule.head, binding, context)

    def offers(self, rule: Rule, model: Model) -> Iterator[Row]:
        """The heads of a rule, with the values offered to its min or max."""
        offered = {i: aggregate.value for i, aggregate in head_aggregates(rule).items()}
        args = tuple(offered.get(i) or arg for i, arg in enumerate(rule.head.args))
        return self.instances(replace(rule, head=replace(rule.head, args=args)), model)

    def groups(self, rule: Rule, model: Model) -> Iterator[Row]:
        """One head per group of solutions that agree on the arguments without aggregate."""
        folded = head_aggregates(rule)
        keys = [arg for i, arg in enumerate(rule.head.args) if i not in folded]
        found: dict[Row, list[tuple[Binding, Context]]] = defaultdict(list)
        for binding, context in self.solved(rule, model):
            for key in product(*(tuple(values(arg, binding, context)) for arg in keys)):
                found[key].append((binding, context))
        for key, members in found.items():
            plain = iter(key)
            columns = [
                _folded(folded[i], members) if i in folded else [next(plain)] for i in range(len(rule.head.args))
            ]
            for row in product(*columns):
                yield self.fitted(rule.head.predicate, row)

    def solved(self, rule: Rule, model: Model) -> Iterator[tuple[Binding, Context]]:
        """The distinct solutions of a rule's body, each with the context in which to read the head."""
        scope = names(rule.head.args)
        key = id(rule.body), scope
        if (body := self.arranged.get(key)) is None:
            body = self.arranged[key] = _Body.of(rule.body, scope)
        context = self.context(model, body.scope)
        found = without_repetitions(body.kept, in_order(body.order, [{}], context))
        return ((binding, context) for binding in found)

    def context(self, model: Model, scope: frozenset[str]) -> Context:
        """The context in which a body is solved."""
        return Context(model, self.functions, scope)

    def rows(self, head: Atom, binding: Binding, context: Context) -> Iterator[Row]:
        for row in product(*(tuple(values(arg, binding, context)) for arg in head.args)):
            yield self.fitted(head.predicate, row)

    def fitted(self, relation: str, row: Row) -> Row:
        """The row with each value converted to the declared type of its column."""
        types = self.types.get(relation)
        if types is None:
            return tuple(row)
        return tuple(of_type(value, type_, relation) for value, type_ in zip(row, types, strict=True))


class _DoubtingJudge(_Judge):
    """The judge of strata that read undefined facts.

    The result of an aggregate is certain if no row of its group is undefined. Otherwise both the value over true rows
    and that over possible rows are undefined.
    """

    other: Model | None = None  # possible facts if ``is_certain``, otherwise the true ones
    is_certain = True

    def round(self, stratum: frozenset[str], base: Mapping[str, set[Row]], model: Model) -> Model:
        own = [rule for rule in self.program.rules if rule.head.predicate in stratum]
        if not any(map(head_aggregates, own)):
            return super().round(stratum, base, model)
        derived = {relation: set(base.get(relation, ())) for relation in stratum}
        pools: dict[tuple[str, Shape | int], list[Rule]] = defaultdict(list)
        for rule in own:
            if head_aggregates(rule):
                pools[rule.head.predicate, _shape(rule) or id(rule)].append(rule)
            else:
                derived[rule.head.predicate].update(self.heads(rule, model))
        assert self.other is not None
        opposite = _DoubtingJudge(self.program, self.functions)
        opposite.other, opposite.is_certain = model, not self.is_certain
        for (relation, _), rules in pools.items():
            here, there = self._results(rules, model), opposite._results(rules, self.other)
            if self.is_certain:
                rows = self._valuations(rules, model) ^ opposite._valuations(rules, self.other)
                doubt = {group for group, _ in rows}
                derived[relation].update(row for row in here if _group(rules[0], row) not in doubt)
            else:
                derived[relation].update(here | there)
        return {relation: frozenset(rows) for relation, rows in derived.items()}

    def _results(self, rules: Sequence[Rule], model: Model) -> set[Row]:
        rows = {row for rule in rules for row in self.heads(rule, model)}
        return set(_best(rows, shape)) if (shape := _shape(rules[0])) else rows

    def _valuations(self, rules: Sequence[Rule], model: Model) -> set[tuple[Row, str]]:
        """The rows that are aggregated, with their groups."""
        found = set()
        for rule in rules:
            keys = [arg for i, arg in enumerate(rule.head.args) if i not in head_aggregates(rule)]
            for binding, context in self.solved(rule, model):
                for key in product(*(tuple(values(arg, binding, context)) for arg in keys)):
                    found.add((key, f"{id(rule)} {sorted(binding.items())!r}"))
        return found

    def context(self, model: Model, scope: frozenset[str]) -> Context:
        return Context(model, self.functions, scope, self.other, self.is_certain)


def _group(rule: Rule, row: Row) -> Row:
    return tuple(value for i, value in enumerate(row) if i not in head_aggregates(rule))


def _folded(aggregate: Aggregate, members: Iterable[tuple[Binding, Context]]) -> list[Value]:
    return list(results(aggregate, [value for member in members for value in valued(aggregate, *member)]))


def _shape(rule: Rule) -> Shape:
    """The columns of the head that show a min or max, if it has no other aggregates."""
    found = head_aggregates(rule)
    if not {aggregate.kind for aggregate in found.values()} <= {"min", "max"}:
        return ()
    return tuple(((i, aggregate.kind), *aggregate.ties) for i, aggregate in found.items())


def _best(rows: Iterable[Row], shape: Shape) -> Iterator[Row]:
    """For each group, the best value of each of the columns, with the accompanying values."""
    compared_columns = {i for compared in shape for i, _ in compared}
    groups: dict[Row, list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(value for i, value in enumerate(row) if i not in compared_columns)].append(row)
    for group in groups.values():
        best = list(group[0])
        for compared in shape:
            left = group
            for column, kind in compared:
                best[column] = FOLDS[kind]([row[column] for row in left])
                left = [row for row in left if same(row[column], best[column])]
        yield tuple(best)


def _closed(rows: Iterable[Row]) -> set[Row]:
    """The pairs of nodes that a walk over these rows joins, in either direction."""
    components: list[set[Value]] = []
    for row in rows:
        met = [component for component in components if not component.isdisjoint(row)]
        components = [component for component in components if component not in met]
        components.append({*row, *(value for component in met for value in component)})
    return {pair for component in components for pair in product(component, repeat=2)}


def _name(rule: Rule) -> str:
    return f"rule {rule.label or rule.root.label or 'of ' + rule.head.predicate}"
