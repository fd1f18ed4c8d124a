"""Instances of components that are added and removed at run time.

Law: an added instance has the same meaning as in the program's text (`program.expand_components`). Removing it removes
its rules, its relations with all their facts, and its types, so that adding and removing it leaves no trace. An
instance that other rules still read cannot be removed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.base.facts import program_facts
from tidelog.engine.core.core import Core
from tidelog.engine.read import members as read
from tidelog.errors import Diagnostic, ProgramError
from tidelog.io.rows import read_rows
from tidelog.program import Instance, Program
from tidelog.program.elaborate.expand_components import expand_components, joined
from tidelog.program.values.program import SEPARATOR, Component, belongs_to
from tidelog.store.image.difference import fact_texts
from tidelog.syntax import parse_instance

if TYPE_CHECKING:
    from tidelog.engine.write.epoch import CollectedChanges


def add_instance(core: Core, collected: CollectedChanges, instance: str | Instance) -> str:
    """Collect what an instance adds; returns its name. A text may declare further components."""
    components: tuple[Component, ...] = ()
    if isinstance(instance, str):
        components, instance = parse_instance(instance)
    program = _program(core, collected)
    components = tuple(c for c in components if c not in program.components)  # repeated verbatim
    if any(belongs_to(name, instance.name) for name in _names(program, collected)):
        raise failures.INSTANCE_TAKEN.error(name=instance.name)
    made = _expanded(program, components, instance)
    bare = replace(made, rules=(), facts=())
    collected.program = joined([program, bare], (*program.components, *components))
    collected.added += made.rules
    collected.facts += program_facts(made, core.rules.functions)
    if core.durable is not None:
        collected.text_facts = [*_texts(core, collected), *fact_texts(made)]
    return instance.name


def remove_instance(core: Core, collected: CollectedChanges, name: str) -> None:
    """Collect what is removed with an instance."""
    program = _program(core, collected)
    labels = [rule.label for rule in core.rules.program.rules if rule.label and belongs_to(rule.label, name)]
    relations = [d.relation for d in program.declarations if belongs_to(d.relation, name)]
    added = [rule for rule in collected.added if belongs_to(rule.label or "", name)]
    if not (labels or relations or added):
        raise failures.NO_INSTANCE.error(name=name, known=_known(program, collected))
    collected.program = _without(program, name)
    collected.added = [rule for rule in collected.added if rule not in added]
    collected.removed += [label for label in labels if label not in collected.removed]
    collected.facts = [change for change in collected.facts if not belongs_to(change[1], name)]
    collected.arrivals = [arrival for arrival in collected.arrivals if not belongs_to(arrival.relation, name)]
    retract_all(core, collected, relations)
    if core.durable is not None:
        collected.text_facts = [text for text in _texts(core, collected) if not belongs_to(text, name)]


def retract_all(core: Core, collected: CollectedChanges, relations: Iterable[str]) -> None:
    """Collect the retraction of all asserted facts of relations that are removed."""
    for relation in relations:
        rows = read.asserted(core, relation).rows() if core.knows(relation) else []
        if rows:
            collected.facts.append((-1, relation, read_rows(relation, rows)))


def _program(core: Core, collected: CollectedChanges) -> Program:
    return core.rules.program if collected.program is None else collected.program


def _names(program: Program, collected: CollectedChanges) -> list[str]:
    """The names of everything that an instance may have created."""
    declared = [d.relation for d in program.declarations] + [t.name for t in program.types]
    labels = (rule.label or "" for rule in (*program.rules, *collected.added))
    return [*declared, *(label for label in labels if label not in collected.removed)]


def _known(program: Program, collected: CollectedChanges) -> str:
    names = {name.split(SEPARATOR)[0] for name in _names(program, collected) if SEPARATOR in name}
    return ", ".join(f"`{name}`" for name in sorted(names)) or "none"


def _expanded(program: Program, components: tuple[Component, ...], instance: Instance) -> Program:
    found: list[Diagnostic] = []
    names = replace(program, rules=(), facts=(), directives=(), keys=(), lifetimes=())
    given = replace(names, components=(*program.components, *components), instances=(instance,))
    whole = expand_components(given, found.append)
    if found:
        raise ProgramError(found)
    start = len(names.declarations), len(names.types)
    return replace(whole, declarations=whole.declarations[start[0] :], types=whole.types[start[1] :], components=())


def _without(program: Program, name: str) -> Program:
    return replace(
        program,
        declarations=tuple(d for d in program.declarations if not belongs_to(d.relation, name)),
        types=tuple(t for t in program.types if not belongs_to(t.name, name)),
        directives=tuple(d for d in program.directives if not belongs_to(d.relation, name)),
        keys=tuple(k for k in program.keys if not belongs_to(k.relation, name)),
        lifetimes=tuple(each for each in program.lifetimes if not belongs_to(each.relation, name)),
    )


def _texts(core: Core, collected: CollectedChanges) -> list[str]:
    """The facts of the program's text so far."""
    if collected.text_facts is not None:
        return list(collected.text_facts)
    return [] if core.durable is None else list(core.durable.facts)
