"""Why a candidate was not chosen: a chosen fact has one of its keys.

Law (`program.choice`): every candidate that is not shown shares a key with a fact that is.
"""

from __future__ import annotations

from tidelog.program import Rule
from tidelog.program.graph.choice import MAY, choices
from tidelog.why.ledger import FactKey, Ledger


def chosen_instead(ledger: Ledger, key: FactKey) -> tuple[FactKey, ...]:
    """The chosen facts that share a key with a candidate that was not chosen; none if it is not a candidate."""
    declared = choices(ledger.rules.program).get(key[0])
    if declared is None or not ledger.has((f"{MAY}{key[0]}", key[1])):
        return ()
    keys = ({column: key[1][column] for column in domain} for domain in declared.domains)
    return tuple(dict.fromkeys(fact for known in keys for fact in ledger.keys(key[0], known)))


def proposing_rules(ledger: Ledger, key: FactKey) -> list[Rule]:
    """The rules that derive a relation; for one with a choice, those that derive its candidates."""
    name = f"{MAY}{key[0]}" if key[0] in choices(ledger.rules.program) else key[0]
    return ledger.by_head.get(name, [])
