"""Start an engine: with a given program, or with the state in a folder.

Law: records, strata and rules of a state are taken over unchanged; nothing is evaluated. A program that is passed for a
state with other rules is refused, and the error describes the differences (D1).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tidelog.engine.write.commit import commit_program
from tidelog.program.graph.choice import split_relations
from tidelog.program.graph.lifetime import EXPIRIES, NOW
from tidelog.store.base import store_failures as failures
from tidelog.store.image.difference import check_same_program

if TYPE_CHECKING:
    from tidelog.engine.core.core import Core
    from tidelog.program import Program
    from tidelog.store.folder.durable import Durable


def start(core: Core, parsed: Program) -> None:
    """Begin with a program, or resume from the state folder."""
    if core.durable is None or core.durable.is_new:
        _begin(core, parsed)
    else:
        _resume(core, core.durable, parsed)


def _begin(core: Core, parsed: Program) -> None:
    """Commit the first epoch: the program's own declarations, rules and facts."""
    base = replace(parsed, rules=(), facts=())
    core.begin_with(replace(core.rules, program=base))
    closed = split_relations(base)
    if base.declarations and not parsed.rules and not closed:
        core.begin_with(core.rules.changed())  # declared relations are known before any fact
    if parsed.facts or parsed.rules or parsed.declarations:
        commit_program(core, parsed, declared=base if closed else None)


def _resume(core: Core, durable: Durable, parsed: Program) -> None:
    """Take over a state that was read."""
    from tidelog.store.image.agreement import check_references, check_strata, taken_over
    from tidelog.store.image.rules import ruleset_from_values

    image, name = durable.image, durable.store.name
    stored = image.rules
    if stored is None:
        raise failures.RULES_UNREADABLE.error(name=name, what="it contains no rules")
    core.begin_with(taken_over(name, lambda: ruleset_from_values(stored, core.rules.functions, name)))
    check_same_program(core.rules.program, durable.facts, parsed, durable.store.name)
    _check_rewrites(core, durable)
    check_strata(name, image.strata, core.rules.core.values())
    core.begin_with(core.rules, number=image.epoch)
    arities = (_move if durable.pieces else _fill)(core, durable)
    schema = {**{name: (None,) * arity for name, arity in arities.items()}, **core.rules.schema}
    core.begin_with(core.rules, schema, durable.epoch)
    if core.runtime.session is None:  # not checked on Spark, where every partition knows only its own entries
        check_references(name, schema, core.runtime.facts.rows, core.dictionary)
    core.committed.sizes.update((name, core.runtime.facts.live(name)) for name in arities)
    _learn_times(core)


def _fill(core: Core, durable: Durable) -> dict[str, int]:
    """Load the records of a state as they are; returns the number of columns of its relations."""
    from tidelog.store.image.agreement import taken_over

    image, placing = durable.image, core.planner.placing
    core.runtime.fill(durable, core.rules.core.values())
    placing.adopt(core.rules, durable.placements)
    form = placing.next_form(core.rules)
    arities = {**image.arities, **{name: len(types) for name, types in form.schema.items()}}
    places = {**durable.placements, **form.places}
    rules = map(core.planner.forming(core.rules), form.core.values())
    taken_over(durable.store.name, lambda: core.runtime.adopt(arities, image.strata, rules, places))
    durable.taken_over(core.rules, len(image.entries))
    return arities


def _move(core: Core, durable: Durable) -> dict[str, int]:
    """Load the records of a state into another number of partitions, in a separate epoch."""
    from tidelog.engine.open.repartition import held_in_folder, move_in, watched  # rarely needed

    with watched(core.runtime) as watch:
        moved = move_in(core, held_in_folder(core, durable), core.runtime, core.planner, watch)
    durable.moved_in()
    return moved.arities


def _learn_times(core: Core) -> None:
    """Learn the time of a state that was read, and the ends of its facts."""
    facts = core.runtime.facts
    for row in facts.rows(NOW) if NOW in core.rules.schema else ():
        core.times.now = int(row[0])
    for name in sorted(name for name in core.rules.schema if name.startswith(EXPIRIES)):
        core.times.enter(name.removeprefix(EXPIRIES), facts.rows(name))


def _check_rewrites(core: Core, durable: Durable) -> None:
    """Check that the rules derive the relations in the strata of the state, unless another version wrote it.

    A relation that has lost its rules may stay in a stratum with others, but is never alone in one.
    """
    rules, groups = core.rules, durable.image.strata
    heads = {rule.head.predicate for rule in rules.core.values()}
    strange = heads.difference(*groups).union(*(group for group in groups if heads.isdisjoint(group)))
    lifted = rules.before_folds
    other = {label for label, rule in lifted.core.items() if rule.head.predicate in strange}
    labels = sorted(label for label, made in lifted.core_labels.items() if other.intersection(made))
    if labels:
        raise failures.OTHER_REWRITE.error(name=durable.store.name, labels=", ".join(labels))
