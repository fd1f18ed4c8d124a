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
PLAN_TOO_EARLY = FailureEntry(
    "TL4502",
    EngineError,
    "binding `.plan` that cannot be followed",
    "rule {label}: its `.plan` cannot be followed {when}: `{atom}` would come before other atoms, and reads what "
    "`{computation}` computes",
    "A computation that may fail runs only for what the rest of the body admits, so that atoms which read its result "
    "come last.",
    'Put the atom behind those that do not read the result, or take the plan as advice: `plans="advice"`.',
    "Engine('p(X) :- a(X, Y), Z = Y / X, b(Z), c(X).\\n.plan 0:(1, 2, 3)', plans='binding')\n",
)
PLANS = FailureEntry(
    "TL4503",
    EngineError,
    "unknown way to take `.plan`",
    "plans={given!r}: give one of {known}",
    "A `.plan` is advice that the planner weighs, binding, or ignored.",
    "",
    "Engine('n(1).', plans='always')\n",
)

ZONES = FailureEntry(
    "TL4585",
    EngineError,
    "times with and without a zone in one column",
    "{problem}",
    "A time without a zone is not an instant until its zone is known.",
    'Convert one of them before it is inserted: in pandas with `dt.tz_localize("UTC")` or `dt.tz_localize(None)`, in '
    "Spark with `cast(t as timestamp)` or `cast(t as timestamp_ntz)`.",
    "import pyarrow as pa\nlocal = pa.table({'t': pa.array([0], pa.timestamp('us'))})\n"
    "zoned = pa.table({'t': pa.array([0], pa.timestamp('us', 'UTC'))})\n"
    "db = Engine('both(T) :- a(T), b(T).')\n"
    "with db.epoch() as e:\n    e.insert('a', local)\n    e.insert('b', zoned)\n",
)

ENTRIES = (UNKNOWN_LABEL, PLAN_TOO_EARLY, PLANS, ZONES)
