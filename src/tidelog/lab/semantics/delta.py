"""Delta rules: which updates follow from one update (firRules of LAM 2010 and PPDP 2011).

Law: for a rule with body b1..bn the delta rule at position i reads b1..b(i-1) in the new tables (ν), the update at b_i,
and b(i+1)..bn in the old ones; so every derivation that an iteration makes or breaks is found exactly once, also when
one fact matches several atoms. Multiplicities multiply: k copies of one body fact and m of another make k·m
derivations.
A `Choice` follows the updates of its candidates: it compares the best candidate before and after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from tidelog.errors import ProgramError
from tidelog.lab.semantics import semantics_catalogue as catalogue
from tidelog.lab.semantics.annotation import Annotation
from tidelog.lab.semantics.bag import Bag
from tidelog.lab.semantics.fact import DELETE, INSERT, Fact, Node, Occurrence, Row, Update, order
from tidelog.lab.semantics.network import Choice, LocalRule, Network
from tidelog.lab.semantics.state import State
from tidelog.lab.semantics.term import Binding, Guard, evaluate, solve
from tidelog.program import Atom, Const, Var
from tidelog.program.functions.table import order_key


class Derivation(NamedTuple):
    """One instance of a rule: its head and the occurrences of its body, in the order of the body."""

    rule: LocalRule
    head: Fact
    body: tuple[Occurrence, ...]
    copies: int


def match(atom: Atom, row: Row, binding: Binding) -> Binding | None:
    """The binding extended so that the atom becomes the row, or None.

    >>> match(Atom("p", (Var("X"), Var("X"))), (1, 2), {}) is None
    True
    """
    extended = dict(binding)
    for term, value in zip(atom.args, row, strict=True):
        if isinstance(term, Var):
            if extended.setdefault(term.name, value) != value:
                return None
        elif isinstance(term, Const) and term.value != value:
            return None
    return extended


def join(
    rule: LocalRule,
    tables: Sequence[Bag[Occurrence]],
    at: int | None = None,
    given: Occurrence | None = None,
    binding: Binding | None = None,
) -> Iterator[Derivation]:
    """All instances of the rule with the i-th body fact from ``tables[i]``, and the given occurrence at ``at``."""
    order_of_atoms = [i for i in range(len(rule.atoms)) if i != at]
    body: list[Occurrence | None] = [None] * len(rule.atoms)
    bound: Binding | None = binding or {}
    if at is not None and given is not None:
        body[at] = given
        bound = match(rule.atoms[at], given.fact.row, bound or {})
    if bound is not None:
        for guards, start in solve(rule.guards, bound):
            yield from _extend(rule, tables, order_of_atoms, body, guards, start, 1)


def _extend(
    rule: LocalRule,
    tables: Sequence[Bag[Occurrence]],
    todo: list[int],
    body: list[Occurrence | None],
    guards: tuple[Guard, ...],
    binding: Binding,
    copies: int,
) -> Iterator[Derivation]:
    if not todo:
        yield Derivation(rule, head_of(rule, guards, binding), tuple(o for o in body if o is not None), copies)
        return
    position, rest = todo[0], todo[1:]
    for occurrence, count in _fitting(rule.atoms[position], binding, tables[position]):
        matched = match(rule.atoms[position], occurrence.fact.row, binding)
        if matched is None:
            continue
        body[position] = occurrence
        for waiting, extended in solve(guards, matched) if guards else ((guards, matched),):
            yield from _extend(rule, tables, rest, body, waiting, extended, copies * count)


def _fitting(atom: Atom, binding: Binding, table: Bag[Occurrence]) -> Iterator[tuple[Occurrence, int]]:
    """The occurrences that agree with what is bound: a quick look before `match` builds a binding."""
    fixed = [
        (column, binding[term.name] if isinstance(term, Var) else term.value)
        for column, term in enumerate(atom.args)
        if isinstance(term, Const) or (isinstance(term, Var) and term.name in binding)
    ]
    for occurrence, count in table.counts().items():
        row = occurrence.fact.row
        for column, value in fixed:
            if row[column] != value:
                break
        else:
            yield occurrence, count


def head_of(rule: LocalRule, waiting: tuple[Guard, ...], binding: Binding) -> Fact:
    """The head under a binding; a guard still waiting or a variable without a value is a `ProgramError`."""
    if waiting:
        raise ProgramError([catalogue.BOUND.diagnostic(waiting[0].span, label=rule.label, what="a comparison")])
    try:
        return Fact(rule.head.predicate, tuple(evaluate(term, binding) for term in rule.head.args))
    except KeyError as missing:
        what = f"variable {missing.args[0]}"
        raise ProgramError([catalogue.BOUND.diagnostic(rule.head.span, label=rule.label, what=what)]) from missing


def derivations(network: Network, update: Update, node: Node, old: State, new: State) -> Iterator[Derivation]:
    """The instances that the delta rules of one update find."""
    occurrence = update.occurrence
    for rule, position in network.uses.get(update.fact.relation, ()):
        tables = [(new if i < position else old).table(node, atom.predicate) for i, atom in enumerate(rule.atoms)]
        yield from join(rule, tables, position, occurrence)


def fire_rules(
    network: Network, annotation: Annotation, update: Update, old: State, new: State, fired: Iterable[Update] = ()
) -> list[Update]:
    """All updates that follow from one. ``fired`` are the updates of the same iteration that have fired before it."""
    node = network.node_of(update.fact)
    updates = fire_delta_rules(network, annotation, update, old, new)
    choice = network.choice_of.get(update.fact.relation)
    if choice is not None:
        updates += _choose(choice, annotation, update, old.table(node, choice.candidates), fired)
    return updates


def fire_delta_rules(network: Network, annotation: Annotation, update: Update, old: State, new: State) -> list[Update]:
    """The updates that the delta rules alone derive, without choices."""
    updates: list[Update] = []
    for rule, head, body, copies in derivations(network, update, network.node_of(update.fact), old, new):
        note = annotation.derived(rule.label, head, body)
        if note is not None:
            updates += [Update(update.sign, head, note)] * copies
    return updates


def axioms(network: Network, annotation: Annotation) -> list[Update]:
    """The insertions that rules without body atoms derive, once."""
    return [
        Update(INSERT, head, note)
        for rule in network.rules
        if not rule.atoms
        for _, head, body, _ in join(rule, ())
        if (note := annotation.derived(rule.label, head, body)) is not None
    ]


def best(choice: Choice, candidates: Iterable[Occurrence]) -> Occurrence | None:
    """The candidate with the best value; among equals the one with the smallest note, so that it is unique and a
    candidate derived from another one never takes its place."""
    ranked = sorted(candidates, key=lambda o: order((_weight(o.note), o.fact, o.note)))
    for column, kind in reversed(((choice.position, choice.kind), *choice.ties)):
        ranked.sort(key=lambda o: order_key(o.fact.row[column]), reverse=kind == "max")  # used at once
    return ranked[0] if ranked else None


def _weight(note: Hashable) -> int:
    return sum(len(part) for part in note if isinstance(part, frozenset)) if isinstance(note, tuple) else 0


def chosen(choice: Choice, candidate: Fact) -> Fact:
    """The fact that represents the chosen candidate."""
    return Fact(choice.relation, candidate.row)


def _choose(
    choice: Choice, annotation: Annotation, update: Update, table: Bag[Occurrence], fired: Iterable[Update]
) -> Iterator[Update]:
    # Updates of one iteration follow each other here in the order of firing, so that their effects add up.
    group = choice.group(update.fact.row)
    counts: Counter[Occurrence] = Counter()
    for occurrence, count in table.counts().items():
        if choice.group(occurrence.fact.row) == group:
            counts[occurrence] += count
    for earlier in fired:
        if earlier.fact.relation == choice.candidates and choice.group(earlier.fact.row) == group:
            counts[earlier.occurrence] += earlier.sign
    before = best(choice, (o for o, n in counts.items() if n > 0))
    counts[update.occurrence] += update.sign
    after = best(choice, (o for o, n in counts.items() if n > 0))
    if before != after:
        for sign, candidate in ((DELETE, before), (INSERT, after)):
            if candidate is not None:
                yield from _selected(choice, annotation, sign, candidate)


def _selected(choice: Choice, annotation: Annotation, sign: int, candidate: Occurrence) -> Iterator[Update]:
    head = chosen(choice, candidate.fact)
    note = annotation.derived(choice.candidates, head, (candidate,))
    if note is not None:
        yield Update(sign, head, note)
