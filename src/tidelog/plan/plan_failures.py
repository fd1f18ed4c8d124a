"""The reasons for refusing a change of rules, by code: TL45xx.

Law: rules are known by their labels, and a label names one rule.
"""

from __future__ import annotations

from tidelog.errors import EngineError
from tidelog.errors.entry import FailureEntry

UNKNOWN_LABEL = FailureEntry(
    "TL4501",
    EngineError,
    "unknown rule label",
    "no rule has the label `{label}`; known labels: {known}",
    "Rules without an explicit label are named r1, r2, ... in the order in which they were added.",
    "Use one of the known labels. `engine.rules` lists them with their rules.",
    'db = Engine("p(X) :- q(X).")\nwith db.epoch() as e:\n    e.remove_rule("r7")\n',
)
PLAN_TOO_EARLY = FailureEntry(
    "TL4502",
    EngineError,
    "cannot follow a binding `.plan`",
    "rule {label}: its `.plan` cannot be followed {when}: `{atom}` would precede other atoms, but reads the "
    "result of `{computation}`",
    "A computation that may fail runs only on rows that the rest of the body admits, so atoms that read its "
    "result come last.",
    'Move the atom after those that do not read the result, or treat the plan as advice: `plans="advice"`.',
    "Engine('p(X) :- a(X, Y), Z = Y / X, b(Z), c(X).\\n.plan 0:(1, 2, 3)', plans='binding')\n",
)
PLANS = FailureEntry(
    "TL4503",
    EngineError,
    "invalid value for `plans`",
    "plans={given!r}: use one of {known}",
    "A `.plan` is treated as advice, as binding, or ignored.",
    "",
    "Engine('n(1).', plans='always')\n",
)

ZONES = FailureEntry(
    "TL4585",
    EngineError,
    "times with and without a zone in one column",
    "{problem}",
    "A time without a zone is not an instant unless its zone is known.",
    'Convert one of them before inserting it: in pandas with `dt.tz_localize("UTC")` or '
    "`dt.tz_localize(None)`, in Spark with `cast(t as timestamp)` or `cast(t as timestamp_ntz)`.",
    "import pyarrow as pa\nlocal = pa.table({'t': pa.array([0], pa.timestamp('us'))})\n"
    "zoned = pa.table({'t': pa.array([0], pa.timestamp('us', 'UTC'))})\n"
    "db = Engine('both(T) :- a(T), b(T).')\n"
    "with db.epoch() as e:\n    e.insert('a', local)\n    e.insert('b', zoned)\n",
)

ENTRIES = (UNKNOWN_LABEL, PLAN_TOO_EARLY, PLANS, ZONES)
