"""The changes of a script, put into an epoch.

Law: instances come first, since facts of the epoch may be theirs; otherwise the order within an epoch does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tidelog.engine.epoch import Epoch
from tidelog.program.functions import FUNCTIONS
from tidelog.program.ground import ground_value
from tidelog.syntax import Change, FactChange, InstanceAdded, InstanceRemoved, RuleAdded, RuleRemoved

Row = tuple[Any, ...]


def tell(epoch: Epoch, changes: Iterable[Change]) -> None:
    """Collect the changes; the epoch is not committed here."""
    told = tuple(changes)
    for change in told:
        if isinstance(change, InstanceAdded):
            epoch.add_instance(change.instance)
        elif isinstance(change, InstanceRemoved):
            epoch.remove_instance(change.name)
    for sign, facts in fact_rows(told).items():
        for name, rows in facts.items():
            (epoch.insert if sign > 0 else epoch.delete)(name, rows)
    for change in told:
        if isinstance(change, RuleAdded):
            epoch.add_rule(change.rule)
        elif isinstance(change, RuleRemoved):
            epoch.remove_rule(change.label)


def fact_rows(changes: Iterable[Change]) -> dict[int, dict[str, list[Row]]]:
    """The rows that changes insert (1) and delete (-1), by relation."""
    found: dict[int, dict[str, list[Row]]] = {1: {}, -1: {}}
    for change in changes:
        if isinstance(change, FactChange):
            row = tuple(ground_value(term, FUNCTIONS)[0] for term in change.atom.args)
            found[change.sign].setdefault(change.atom.predicate, []).append(row)
    return found
