"""Relations of an epoch that are not declared, filled or derived, and symbols that look like variables (D30).

Law: see `read/typos`. A deletion from an unknown relation does not create it; it is skipped.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tidelog.engine.core.core import Core
from tidelog.engine.read.typos import relations_read, report_unknown
from tidelog.engine.write.epoch import CollectedChanges
from tidelog.errors import TidelogWarning
from tidelog.errors.warn import warn
from tidelog.partition.texts.ids import symbol_id
from tidelog.program import PROLOG, Program, Rule, Value
from tidelog.program.checks.notices import symbols_as_variables, values_of_facts
from tidelog.program.messages.nearest import LOOSELY, KnownNames


def check_changes(core: Core, collected: CollectedChanges) -> None:
    """Report the unknown relations of an epoch; what it deletes from them is skipped."""
    filled = {name for sign, name, _ in collected.facts if sign > 0} | {a.relation for a in collected.arrivals}
    read = relations_read(collected.added)
    columns = core.rules.schema if collected.added else core.schema
    if all(name in columns for name in (*filled, *read, *(name for _, name, _ in collected.facts))):
        return  # like most epochs, whose cost follows the change and not the program
    known = _KnownRelations.before(core, collected.program)
    after = known.after(collected.added)
    written = collected.text_facts is not None  # a program's own facts count as filling their relations
    made, named = KnownNames(after.defined | filled), KnownNames(after.named)
    for name in () if written else sorted(filled - after.named):
        near = next(named.near(name), None)
        if near is not None:
            report_unknown(core, name, near)
    for name in read:
        if name not in after.defined and name not in filled and name not in known.named:
            near = next(made.near(name), None)
            if near is not None:
                report_unknown(core, name, near)
    gone = {name for sign, name, _ in collected.facts if sign < 0} - after.named - filled
    for name in sorted(gone):
        report_unknown(core, name, named.nearest(name, LOOSELY))
    collected.facts[:] = [fact for fact in collected.facts if fact[1] not in gone]


def check_symbols(core: Core, rules: Iterable[Rule], program: Program | None = None) -> None:
    """Warn of rules whose symbols look like variables in lower case, unless facts, here or in the program, use them."""
    if core.rules.program.convention != PROLOG:
        return
    own: set[Value] = set() if program is None else values_of_facts(program)

    def is_known(value: Value) -> bool:
        return value in own or bool(isinstance(value, str) and core.dictionary.known([symbol_id(value)]))

    for found in symbols_as_variables(rules, is_known):
        warn(TidelogWarning(f"{found.code}: {found.message}. {found.note} {found.hint}"))


@dataclass(frozen=True, slots=True)
class _KnownRelations:
    """Relations that are ``defined``: declared, filled or derived; and ``named``: those, and those that rules read."""

    defined: frozenset[str]
    named: frozenset[str]

    @classmethod
    def before(cls, core: Core, coming: Program | None) -> _KnownRelations:
        """What an engine knows, and what the program given with an epoch declares."""
        rules = core.rules
        defined = {rule.head.predicate for rule in rules.program.rules} | {*rules.known}
        for program in (rules.program, coming) if coming is not None else (rules.program,):
            for part in (program.declarations, program.keys, program.directives, program.lifetimes):
                defined |= {each.relation for each in part}
        return cls(frozenset(defined), frozenset(defined | {*core.relations}))

    def after(self, added: Iterable[Rule]) -> _KnownRelations:
        """What is known after adding some rules."""
        added = list(added)
        heads = {rule.head.predicate for rule in added}
        return _KnownRelations(self.defined | heads, self.named | heads | frozenset(relations_read(added)))
