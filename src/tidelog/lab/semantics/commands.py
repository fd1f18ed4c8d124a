"""The commands pick, fire and commit: the only ways in which a configuration changes.

Law (PPDP 2011, Figure 2; LAM 2010 calls commit update):

    pick    takes an update out of a node's bag and enters it in the tables with ν. A deletion can be picked only if its
            occurrence is in those tables, so that no count falls below zero however messages are reordered.
    fire    runs all delta rules of a picked update; the results go to the bags of the nodes that own the heads.
    commit  enters a fired update in the tables without ν.

Each is a pure function; a call whose precondition fails is an `IllegalStep`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidelog.lab.semantics import semantics_failures as failures
from tidelog.lab.semantics.configuration import Configuration, Semantics
from tidelog.lab.semantics.delta import fire_rules
from tidelog.lab.semantics.fact import Node, Update
from tidelog.lab.semantics.state import State

PICK, FIRE, COMMIT = "pick", "fire", "commit"


def pickable(semantics: Semantics, configuration: Configuration, update: Update) -> bool:
    """Whether an update in a bag may be picked: an insertion always, a deletion if its occurrence is present."""
    if update.sign > 0:
        return True
    recorded = semantics.annotation.picked(update)
    return configuration.new.holds(semantics.network.node_of(update.fact), recorded.occurrence)


def choices(semantics: Semantics, configuration: Configuration) -> Iterator[tuple[Node, Update]]:
    """The updates that may be picked, each once, with their nodes."""
    for node, bag in configuration.bags.items():
        for update in bag.distinct():
            if pickable(semantics, configuration, update):
                yield node, update


def pick(semantics: Semantics, configuration: Configuration, update: Update) -> Configuration:
    """<K, U ⊎ {u}, P, E>  →  <Kν changed by u, U, P ⊎ {u}, E>"""
    node = semantics.network.node_of(update.fact)
    bag = configuration.bags.get(node)
    if bag is None or update not in bag:
        raise failures.NOT_WAITING.error(update=update)
    if not pickable(semantics, configuration, update):
        raise failures.NOT_PRESENT.error(update=update)
    recorded = semantics.annotation.picked(update)
    new = changed(semantics, configuration.new, recorded)
    return replace(configuration.taken(node, update), new=new, picked=configuration.picked.plus(recorded))


def fire(semantics: Semantics, configuration: Configuration, update: Update) -> tuple[Configuration, list[Update]]:
    """<K, U, P ⊎ {u}, E>  →  <K, U ⊎ F, P, E ⊎ {u}>, with the updates F that the delta rules of u derive."""
    if update not in configuration.picked:
        raise failures.NOT_PICKED.error(update=update)
    derived = fire_rules(
        semantics.network, semantics.annotation, update, configuration.old, configuration.new, configuration.fired
    )
    moved = replace(configuration, picked=configuration.picked.minus(update), fired=configuration.fired.plus(update))
    return moved.sent(semantics.network, derived), derived


def commit(semantics: Semantics, configuration: Configuration, update: Update) -> Configuration:
    """<K, U, P, E ⊎ {u}>  →  <K changed by u, U, P, E>"""
    if update not in configuration.fired:
        raise failures.NOT_FIRED.error(update=update)
    if update.sign < 0 and not configuration.old.holds(semantics.network.node_of(update.fact), update.occurrence):
        raise failures.NOT_COMMITTED.error(update=update)
    old = changed(semantics, configuration.old, update)
    return replace(configuration, old=old, fired=configuration.fired.minus(update))


def changed(semantics: Semantics, state: State, update: Update) -> State:
    """The tables after one update. Under set semantics a fact that is there is not inserted again."""
    node = semantics.network.node_of(update.fact)
    if update.sign > 0:
        present = semantics.sets and state.holds(node, update.occurrence)
        return state if present else state.plus(node, update.occurrence)
    return state.minus(node, update.occurrence)
