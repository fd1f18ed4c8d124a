"""Relations that are not declared, filled or derived: mostly misspelt, reported before anything is done (D30).

Law: a name is unknown if no declaration, rule or fact knows it, those that come with the epoch included. To delete from
such a relation or to ask for it is always reported; to fill one, or to read one in a rule, only where a known name is
near, since new relations begin that way. The report is a `TidelogWarning`, or an error in an engine that is ``strict``;
a deletion makes no relation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tidelog.engine.base import failures
from tidelog.engine.core.core import Core
from tidelog.engine.write.epoch import Collected
from tidelog.errors import TidelogWarning
from tidelog.errors.warn import warn
from tidelog.partition.texts.dictionary import symbol_id
from tidelog.program import PROLOG, Program, Rule, Value
from tidelog.program.checks.notices import symbols_as_variables, values_of_facts
from tidelog.program.elaborate.inline import inline_relations
from tidelog.program.messages.nearest import LOOSELY, KnownNames
from tidelog.program.types.arity import RESERVED
from tidelog.program.values.scope import atoms, rule_literals


def check_changes(core: Core, collected: Collected) -> None:
    """Tell the unknown relations of an epoch; what it deletes from them is left out."""
    if not collected.added and all(name in core.schema for _, name, _ in collected.facts) and not collected.arrivals:
        return  # as most epochs are: what they cost follows the change, not the program
    known = _Known.before(core, collected.program)
    filled = {name for sign, name, _ in collected.facts if sign > 0} | {a.relation for a in collected.arrivals}
    after = known.after(collected.added)
    written = collected.text_facts is not None  # a program's own facts fill what they name
    for name in () if written else sorted(filled - after.named):
        near = next(after.near(name), None)
        if near is not None:
            _tell(core, name, near)
    for name in _read(collected.added):
        if name not in after.made | filled and name not in known.named:
            near = next(KnownNames(after.made | filled).near(name), None)
            if near is not None:
                _tell(core, name, near)
    gone = {name for sign, name, _ in collected.facts if sign < 0} - after.named - filled
    for name in sorted(gone):
        _tell(core, name, KnownNames(after.named).nearest(name, LOOSELY))
    collected.facts[:] = [fact for fact in collected.facts if fact[1] not in gone]


def check_question(core: Core, rule: Rule) -> None:
    """Tell the unknown relations of a question."""
    inline = inline_relations(core.rules.program)
    for name in _read([rule]):
        if name not in core.rules.schema and name not in inline and not name.startswith(RESERVED):
            _tell(core, name, KnownNames(core.relations).nearest(name, LOOSELY))


def check_symbols(core: Core, rules: Iterable[Rule], program: Program | None = None) -> None:
    """Warn of rules whose symbols look like variables in lower case; those of facts, here or in the program, do not."""
    if core.rules.program.convention != PROLOG:
        return
    own: set[Value] = set() if program is None else values_of_facts(program)

    def is_known(value: Value) -> bool:
        return value in own or bool(isinstance(value, str) and core.dictionary.known([symbol_id(value)]))

    for found in symbols_as_variables(rules, is_known):
        warn(TidelogWarning(f"{found.code}: {found.message}. {found.note} {found.hint}"))


@dataclass(frozen=True, slots=True)
class _Known:
    """Relations that are ``made``: declared, filled or derived; and ``named``: those, and those that rules read."""

    made: frozenset[str]
    named: frozenset[str]

    @classmethod
    def before(cls, core: Core, coming: Program | None) -> _Known:
        """What an engine knows, and what the program declares that comes with an epoch."""
        rules = core.rules
        made = {rule.head.predicate for rule in rules.program.rules} | {*rules.known}
        for program in (rules.program, coming) if coming is not None else (rules.program,):
            for said in (program.declarations, program.keys, program.directives, program.lifetimes):
                made |= {each.relation for each in said}
        return cls(frozenset(made), frozenset(made | {*core.relations}))

    def after(self, added: Iterable[Rule]) -> _Known:
        """What is known with some rules more."""
        added = list(added)
        heads = {rule.head.predicate for rule in added}
        return _Known(self.made | heads, self.named | heads | frozenset(_read(added)))

    def near(self, name: str) -> Iterator[str]:
        """The known names at one slip from a name."""
        return KnownNames(self.named).near(name)


def _read(rules: Iterable[Rule]) -> list[str]:
    """The relations that rules read, in order."""
    return list(dict.fromkeys(atom.predicate for rule in rules for atom in atoms(rule_literals(rule))))


def _tell(core: Core, name: str, near: str | None) -> None:
    """A warning at the line of the user's that led here, or an error."""
    error = failures.NOBODY_KNOWS.error(name=name, guess=f"; did you mean `{near}`?" if near else "")
    if core.strict:
        raise error
    warn(TidelogWarning(f"{error.code}: {error}"))
