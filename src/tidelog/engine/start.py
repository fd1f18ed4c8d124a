"""How an engine begins: with the program it is given, or with the state that a folder holds.

Law: a state is taken over as it was, records, strata and rules; nothing is evaluated. A program that is given for a
state with other rules is refused, with how the two differ (D1).
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.engine.commit import commit_program
from tidelog.engine.core import Core
from tidelog.program import Program
from tidelog.program.equivalence import equivalences
from tidelog.program.subsumption import facts_as_rules
from tidelog.store.difference import check_same_program
from tidelog.store.durable import Durable
from tidelog.store.rules import ruleset_from_values


def start(core: Core, parsed: Program) -> None:
    """Begin with a program, or go on from what the state folder holds."""
    parsed = facts_as_rules(parsed)
    if core.durable is None or core.durable.is_new:
        _begin(core, parsed)
    else:
        _resume(core, core.durable, parsed)


def _begin(core: Core, parsed: Program) -> None:
    """The first epoch: the program's own declarations, rules and facts."""
    base = replace(parsed, rules=(), facts=())
    core.begin_with(replace(core.rules, program=base))
    closed = equivalences(base)
    if base.declarations and not parsed.rules and not closed:
        core.begin_with(core.rules.changed())  # declared relations are known before any fact
    if parsed.facts or parsed.rules or parsed.declarations:
        commit_program(core, parsed, declared=base if closed else None)


def _resume(core: Core, durable: Durable, parsed: Program) -> None:
    """Take over a state that was read."""
    image, placing = durable.image, core.planner.placing
    assert image.rules is not None
    core.begin_with(ruleset_from_values(image.rules, core.rules.functions, durable.store.name))
    check_same_program(core.rules.program, durable.facts, parsed, durable.store.name)
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
