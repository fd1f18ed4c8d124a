"""The linear-logic reading against the transition system: one is the other (the content of LAM 2010L, section 5).

A sequent between two commands is a configuration written differently: tables are K, tables with ν are Kν, and the
contexts upd, picked and exec are U, P and E.

Law (bisimulation): translated back, the outcomes of a command on a sequent are the results of the same command on the
configuration, and every command that is possible on one side is possible on the other. By induction on their length
every run of the one is a run of the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from tidelog.lab.semantics.bag import Bag
from tidelog.lab.semantics.commands import COMMIT, FIRE, PICK
from tidelog.lab.semantics.configuration import Configuration, Semantics
from tidelog.lab.semantics.errors import IllegalStep
from tidelog.lab.semantics.fact import Fact, Occurrence, Row, Update
from tidelog.lab.semantics.linear.commands import COMMANDS, rule_entries
from tidelog.lab.semantics.linear.contexts import Contexts, Element, Index
from tidelog.lab.semantics.linear.interpreter import outcomes
from tidelog.lab.semantics.linear.names import EXEC, PICKED, RULES, UPD, fresh, table
from tidelog.lab.semantics.state import State
from tidelog.lab.semantics.trace import perform

Move = tuple[str, Configuration]


def to_contexts(semantics: Semantics, configuration: Configuration) -> Contexts:
    """The sequent that represents a configuration."""
    tables: dict[Index, list[Element]] = {RULES: list(rule_entries(semantics.network))}
    for name, state in ((table, configuration.old), (fresh, configuration.new)):
        for _, (fact, _), count in state.occurrences():
            tables.setdefault(name(fact.relation), []).extend([fact.row] * count)
    for index, bag in ((UPD, configuration.waiting()), (PICKED, configuration.picked), (EXEC, configuration.fired)):
        tables[index] = [(update.fact.relation, update.fact.row, update.sign) for update in bag]
    return Contexts.of(tables)


def to_configuration(semantics: Semantics, contexts: Contexts) -> Configuration:
    """The configuration that a sequent represents."""
    network = semantics.network
    old, new = (
        State.of(network, _occurrences(contexts, {name(relation): relation for relation in network.arity}))
        for name in (table, fresh)
    )
    picked, fired = (Bag(_updates(contexts, index)) for index in (PICKED, EXEC))
    return Configuration(old, new, {}, picked, fired).sent(network, _updates(contexts, UPD))


def logical_moves(semantics: Semantics, configuration: Configuration, *, every_order: bool = False) -> frozenset[Move]:
    """Where one basic command of the linear-logic reading leads."""
    contexts = to_contexts(semantics, configuration)
    return frozenset(
        (name, to_configuration(semantics, outcome.contexts))
        for name, formula in COMMANDS.items()
        for outcome in outcomes(formula, contexts, every_order=every_order)
    )


def transition_moves(semantics: Semantics, configuration: Configuration) -> frozenset[Move]:
    """Where one command of the transition system leads."""
    return frozenset(_transitions(semantics, configuration))


def _transitions(semantics: Semantics, configuration: Configuration) -> Iterator[Move]:
    parts = {PICK: configuration.waiting(), FIRE: configuration.picked, COMMIT: configuration.fired}
    for command, bag in parts.items():
        for update in bag.distinct():
            try:
                yield command, perform(semantics, configuration, command, update)[0]
            except IllegalStep:
                continue


def _occurrences(contexts: Contexts, relations: dict[Index, str]) -> Iterator[Occurrence]:
    for index, relation in relations.items():
        for row in contexts.elements(index):
            yield Occurrence(Fact(relation, cast("Row", row)))


def _updates(contexts: Contexts, index: Index) -> Iterator[Update]:
    for relation, row, sign in cast("Iterator[tuple[str, Row, int]]", contexts.elements(index)):
        yield Update(sign, Fact(relation, row))
