"""Relations that are not declared, filled or derived: probably misspelt, and reported before anything is done (D30).

Law: a name is unknown if no declaration, rule or fact has it, including those of the epoch itself. Deleting from such a
relation or querying it is always reported; filling one, or reading one in a rule, only if a known name is similar,
since new relations begin that way. The report is a `TidelogWarning`, or an error in an engine that is ``strict``; a
deletion does not create the relation.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.core.core import Core
from tidelog.errors import TidelogWarning
from tidelog.errors.warn import warn
from tidelog.program import Rule
from tidelog.program.graph.inline import inline_relations
from tidelog.program.messages.nearest import LOOSELY, KnownNames
from tidelog.program.types.arity import RESERVED
from tidelog.program.values.scope import atoms, rule_literals


def check_question(core: Core, rule: Rule) -> None:
    """Report the unknown relations of a question."""
    unknown = [name for name in relations_read([rule]) if name not in core.rules.schema]
    for name in unknown:
        if name not in inline_relations(core.rules.program) and not name.startswith(RESERVED):
            report_unknown(core, name, KnownNames(core.relations).nearest(name, LOOSELY))


def relations_read(rules: Iterable[Rule]) -> list[str]:
    """The relations that rules read, in order."""
    return list(dict.fromkeys(atom.predicate for rule in rules for atom in atoms(rule_literals(rule))))


def report_unknown(core: Core, name: str, near: str | None) -> None:
    """Warn at the line of the user's code that led here, or raise an error."""
    error = failures.NOBODY_KNOWS.error(name=name, guess=f"; did you mean `{near}`?" if near else "")
    if core.strict:
        raise error
    warn(TidelogWarning(f"{error.code}: {error}"))
