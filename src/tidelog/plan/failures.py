"""What a change of rules is refused for, by code: TL45xx.

Law: rules are known by their labels, and a label names one rule.
"""

from __future__ import annotations

from tidelog.errors import EngineError
from tidelog.errors.entry import FailureEntry

UNKNOWN_LABEL = FailureEntry(
    "TL4501",
    EngineError,
    "unknown label of a rule",
    "no rule has the label `{label}`; known labels: {known}",
    "Rules without a label of their own are called r1, r2, ... in the order in which they were added.",
    "Use one of the labels; `engine.rules` shows them with their rules.",
    'db = Engine("p(X) :- q(X).")\nwith db.epoch() as e:\n    e.remove_rule("r7")\n',
)

ENTRIES = (UNKNOWN_LABEL,)
