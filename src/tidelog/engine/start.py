"""How an engine begins: with the program it is given, or with the state that a folder holds.

Law: a state is taken over as it was, records, strata and rules; nothing is evaluated. A program that is given for a
state with other rules is refused, with how the two differ (D1).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tidelog.engine.commit import commit_program
from tidelog.program.choice import given_relations
from tidelog.program.lifetime import ENDS, NOW
from tidelog.store import failures
from tidelog.store.difference import check_same_program

if TYPE_CHECKING:
    from tidelog.engine.core import Core
    from tidelog.program import Program
    from tidelog.store.durable import Durable


def start(core: Core, parsed: Program) -> None:
    """Begin with a program, or go on from what the state folder holds."""
    if core.durable is None or core.durable.is_new:
        _begin(core, parsed)
    else:
        _resume(core, core.durable, parsed)


def _begin(core: Core, parsed: Program) -> None:
    """The first epoch: the program's own declarations, rules and facts."""
    base = replace(parsed, rules=(), facts=())
    core.begin_with(replace(core.rules, program=base))
    closed = given_relations(base)
    if base.declarations and not parsed.rules and not closed:
        core.begin_with(core.rules.changed())  # declared relations are known before any fact
    if parsed.facts or parsed.rules or parsed.declarations:
        commit_program(core, parsed, declared=base if closed else None)


def _resume(core: Core, durable: Durable, parsed: Program) -> None:
    """Take over a state that was read."""
    from tidelog.store.rules import ruleset_from_values

    image, placing = durable.image, core.planner.placing
    assert image.rules is not None
    core.begin_with(ruleset_from_values(image.rules, core.rules.functions, durable.store.name))
    check_same_program(core.rules.program, durable.facts, parsed, durable.store.name)
    _check_rewrites(core, durable)
    core.runtime.fill(durable, core.rules.core.values())
    placing.adopt(core.rules, durable.placements)
    form = placing.next_form(core.rules)
    arities = {**image.arities, **{name: len(types) for name, types in form.schema.items()}}
    places = {**durable.placements, **form.places}
    core.runtime.adopt(arities, image.strata, map(core.planner.forming(core.rules), form.core.values()), places)
    schema = {**{name: (None,) * arity for name, arity in arities.items()}, **core.rules.schema}
    core.begin_with(core.rules, schema, image.epoch)
    core.committed.sizes.update((name, core.runtime.facts.live(name)) for name in arities)
    durable.taken_over(core.rules, len(image.entries))
    _learn_times(core)


def _learn_times(core: Core) -> None:
    """The time of a state that was read, and the ends of its facts."""
    facts = core.runtime.facts
    for row in facts.rows(NOW) if NOW in core.schema else ():
        core.times.now = int(row[0])
    for name in sorted(name for name in core.schema if name.startswith(ENDS)):
        core.times.enter(name.removeprefix(ENDS), facts.rows(name))


def _check_rewrites(core: Core, durable: Durable) -> None:
    """Every relation that a rule derives stands in a stratum of the state, unless another version wrote it."""
    held = frozenset[str]().union(*durable.image.strata)
    missing = {label for label, rule in core.rules.core.items() if rule.head.predicate not in held}
    labels = sorted(label for label, made in core.rules.needed.items() if missing.intersection(made))
    if labels:
        raise failures.OTHER_REWRITE.error(name=durable.store.name, labels=", ".join(labels))
