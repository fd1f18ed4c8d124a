"""Failures of a run in virtual time, by code.

Law: every error that a program can run into has an entry here.
"""

from __future__ import annotations

from tidelog.errors import DataError, EngineError, EvaluationError, LimitError
from tidelog.errors.entry import FailureEntry

_FILE = "tests/lab/network/test_failures.py"
_TEST = f"{_FILE}::test_failures_have_codes"

OPERANDS = FailureEntry(
    "TL7450",
    EvaluationError,
    "operands of the wrong type",
    "`{sign}` cannot be applied to `{left}` and `{right}`",
    "Arithmetic needs numbers or identifiers; `+` also joins texts.",
    "Check the facts that reach this rule.",
    test=_TEST,
)
ARITHMETIC = FailureEntry(
    "TL7451",
    EvaluationError,
    "arithmetic without a result",
    "`{left} {sign} {right}` has no value: {reason}",
    "Division by zero and negative shifts have no value.",
    "Add a condition before the operation.",
    test=_TEST,
)
NO_IDENTIFIER = FailureEntry(
    "TL7452",
    EvaluationError,
    "interval without numbers",
    "`{found}` is not a number or an identifier",
    "The bounds of an interval are positions on a ring.",
    "Exclude other values with a condition before the interval.",
    test=_TEST,
)
NO_LIST = FailureEntry(
    "TL7453",
    EvaluationError,
    "function needs a list",
    "`{function}` needs a list, found `{found}`",
    "Lists are created by `f_append`, `f_concat` and `a_LIST`.",
    "Check the facts that reach this rule.",
    test=_TEST,
)
NO_VECTOR = FailureEntry(
    "TL7454",
    EvaluationError,
    "function needs a summary vector",
    "`{function}` needs a summary vector, found `{found}`",
    "Summary vectors are created by `f_svcreate`.",
    "Check the facts that reach this rule.",
    test=_TEST,
)
STEPS = FailureEntry(
    "TL7455",
    LimitError,
    "too many steps",
    "the run has not reached {until:g} s after {limit} steps; it is at {now:g} s",
    "A rule may trigger itself forever, or the timers may be very short.",
    "Raise --limit, or lower --until.",
    test=_TEST,
)
LOCAL_STEPS = FailureEntry(
    "TL7456",
    LimitError,
    "endless updates at a node",
    "node `{node}` has derived {limit} updates from one message",
    "A node derives everything that follows from a message locally before it processes the next one.",
    "Look for a rule that triggers itself.",
    test=_TEST,
)
NO_ADDRESS = FailureEntry(
    "TL7457",
    DataError,
    "invalid address",
    "rule `{rule}` sends to `{found}`, which is not the address of a node",
    "The address of a node is a text.",
    "Check the location of the head.",
    test=_TEST,
)
SETTING = FailureEntry(
    "TL7458",
    EngineError,
    "invalid setting",
    "{problem}",
    "Delays and times are seconds; losses are between 0 and 1.",
    "Correct the option.",
    test=f"{_FILE}::test_invalid_settings_are_refused",
)
SIGNATURES = FailureEntry(
    "TL7459",
    EngineError,
    "signatures require the package cryptography",
    "the program uses `says` or `encrypts`, but the package `cryptography` is not installed",
    "Messages are signed with Ed25519, by the package `cryptography`.",
    "Run `pip install 'tidelog[says]'`.",
    test=f"{_FILE}::test_signatures_without_the_library_are_refused",
)

STATES = FailureEntry(
    "TL7460",
    LimitError,
    "too many states",
    "the network has more than {limit} states",
    "An exploration follows every order of delivery.",
    "Explore a smaller network, or fewer changes at once.",
    test="tests/lab/network/test_explore.py::test_large_explorations_stop",
)
ENTRIES = (
    OPERANDS,
    ARITHMETIC,
    NO_IDENTIFIER,
    NO_LIST,
    NO_VECTOR,
    STEPS,
    LOCAL_STEPS,
    NO_ADDRESS,
    SETTING,
    SIGNATURES,
    STATES,
)
