"""Relations that nobody declared, filled or derived: mostly slips of the pen, told before anything is done (D30).

Law: a name is unknown if no declaration, rule or fact knows it. To delete from such a relation or to ask for it is
always told; to fill one, or to read one in a rule, only where a known name is near, since new relations begin that way.
What is told is a `TidelogWarning`, or an error in an engine that is ``strict``; a deletion makes no relation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tidelog.engine import failures
from tidelog.engine.core import Core
from tidelog.engine.epoch import Collected
from tidelog.engine.tell import warn
from tidelog.errors import TidelogWarning
from tidelog.program import Program, Rule
from tidelog.program.arity import RESERVED
from tidelog.program.inline import inline_relations
from tidelog.program.nearest import LOOSELY, KnownNames
from tidelog.program.scope import atoms, rule_literals


def check_changes(core: Core, collected: Collected) -> None:
    """Tell the unknown relations of an epoch; what it deletes from them is left out."""
    if not collected.added and all(name in core.schema for _, name, _ in collected.facts) and not collected.arrivals:
        return  # as most epochs are: what they cost follows the change, not the program
    known = _Known.before(core, collected.program or core.rules.program)
    filled = {name for sign, name, _ in collected.facts if sign > 0} | {a.relation for a in collected.arrivals}
    after = known.after(collected.added)
    for name in sorted(filled - after.named):
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


@dataclass(frozen=True, slots=True)
class _Known:
    """Relations that are ``made``: declared, filled or derived; and ``named``: those, and those that rules read."""

    made: frozenset[str]
    named: frozenset[str]

    @classmethod
    def before(cls, core: Core, program: Program) -> _Known:
        """What an engine knows, and what the declarations of a program say."""
        rules = core.rules
        made = {declared.relation for declared in program.declarations} | {key.relation for key in program.keys}
        made |= {directive.relation for directive in program.directives}
        made |= {rule.head.predicate for rule in program.rules} | {*rules.known}
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
