"""The diagnostics of `tidelog simulate`: what stops a run, by code.

Law: every error that a run can end in has an entry here; the message is that of the error itself. Mistakes in programs
keep the codes of the part that finds them. In Python the errors of a run have separate codes (`semantics_failures`),
whose notes explain the algorithms; the hints here are for the command line.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.errors import DataError, Diagnostic, EngineError, EvaluationError, LimitError
from tidelog.errors.entry import CodeEntry
from tidelog.lab.semantics.errors import StuckError

FAILED = CodeEntry("TL910", "simulation failed", "{what}")
RULES = CodeEntry(
    "TL911",
    "rule change in a simulated script",
    "the script changes rules, but the simulator can change only facts",
    "The algorithms of the papers maintain a fixed set of rules. The engine supports rule changes.",
    "Use `tidelog run --changes` for this script.",
)
CHOICE = CodeEntry(
    "TL912",
    "unsupported algorithm or schedule",
    "{what}",
    "Algorithms and schedules are chosen by name. Not every algorithm supports every program.",
    "Run `tidelog simulate --help` for a list of names.",
)
LIMIT = CodeEntry(
    "TL913",
    "simulation exceeded its limit",
    "{what}",
    "Counting algorithms do not terminate on cyclic data, and derivation sets grow fast.",
    "Raise --limit, or choose ranked, dred or heights, which terminate on every program that creates a bounded "
    "number of values.",
)
DATA = CodeEntry(
    "TL914",
    "facts do not match the program",
    "{what}",
    "Only existing facts can be deleted, and a fact must have a value for each column of its relation.",
    "Correct the topology or the change script.",
)
STUCK = CodeEntry(
    "TL915",
    "simulation is stuck",
    "{what}",
    "Under set semantics, a fact with two derivations is deleted with the first one, so the second deletion can "
    "never be picked.",
    "Choose an algorithm that uses multisets, such as psn, or choose ranked.",
)
VALUE = CodeEntry(
    "TL916",
    "value cannot be computed",
    "{what}",
    "A function or an arithmetic operation must have a result for all the values that a rule passes to it.",
    "Exclude such values with a comparison in the rule, or correct the facts.",
)
FILE = CodeEntry("TL917", "cannot read or write a file", "{what}", "", "Check the path and the permissions.")

ENTRIES = (FAILED, RULES, CHOICE, LIMIT, DATA, STUCK, VALUE, FILE)
_BY_ERROR: Mapping[type[Exception], CodeEntry] = {
    EngineError: CHOICE,
    LimitError: LIMIT,
    DataError: DATA,
    StuckError: STUCK,
    EvaluationError: VALUE,
    OSError: FILE,
}


def diagnose(error: Exception) -> Diagnostic:
    """The diagnostic of an error that ended a run.

    >>> diagnose(LimitError("psn has not finished")).code
    'TL913'
    """
    entry = next((entry for kind, entry in _BY_ERROR.items() if isinstance(error, kind)), FAILED)
    return entry.diagnostic(what=str(error))
