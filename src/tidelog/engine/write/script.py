"""Collect the changes of a script in an epoch.

Law: a script is equivalent to calls in Python: what the reader found is passed to the epoch change by change, instances
first, since the facts of the epoch may belong to them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidelog.engine.base.facts import written_rows
from tidelog.program.functions.table import FUNCTIONS, Functions
from tidelog.program.types.ground import ground_value
from tidelog.syntax import FactChange, InstanceAdded, InstanceRemoved, RuleAdded, RuleRemoved

if TYPE_CHECKING:
    from tidelog.engine.write.epoch import Epoch
    from tidelog.syntax import Epoch as Script

Row = tuple[Any, ...]


def take_script(epoch: Epoch, script: Script, functions: Functions = FUNCTIONS) -> None:
    """Collect one epoch of a script."""
    for change in script:
        if isinstance(change, InstanceAdded):
            epoch.add_instance(change.instance)
        elif isinstance(change, InstanceRemoved):
            epoch.remove_instance(change.name)
    for sign, facts in fact_rows(script, functions).items():
        for name, rows in facts.items():
            epoch.write(sign, name, written_rows(name, rows))
    for change in script:
        if isinstance(change, RuleAdded):
            epoch.add_rule(change.rule)
        elif isinstance(change, RuleRemoved):
            epoch.remove_rule(change.label)


def fact_rows(script: Script, functions: Functions = FUNCTIONS) -> dict[int, dict[str, list[Row]]]:
    """The rows that an epoch of a script inserts (1) and deletes (-1), by relation."""
    found: dict[int, dict[str, list[Row]]] = {1: {}, -1: {}}
    for change in script:
        if isinstance(change, FactChange):
            row = tuple(ground_value(term, functions) for term in change.atom.args)
            found[change.sign].setdefault(change.atom.predicate, []).append(row)
    return found
