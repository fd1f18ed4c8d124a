"""The diagnostics of `tidelog simulate`: what stops a run, said by code.

Law: every error that a run can end in has an entry here; the message of the error itself stands for what went wrong.
Mistakes in programs keep the codes of the part that finds them. In Python the errors of a run have codes of their own
(`semantics.failures`), which tell more of the algorithms; these tell what to do at the command line.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.errors import DataError, Diagnostic, EngineError, EvaluationError, LimitError
from tidelog.errors.entry import CodeEntry
from tidelog.lab.semantics.errors import StuckError

FAILED = CodeEntry("TL910", "run that failed", "{what}")
RULES = CodeEntry(
    "TL911",
    "change of a rule in a simulated script",
    "the simulator changes facts only",
    "The algorithms of the papers maintain a fixed set of rules; the engine changes rules too.",
    "Use `tidelog run --changes` for this script.",
)
CHOICE = CodeEntry(
    "TL912",
    "algorithm or schedule that cannot be used",
    "{what}",
    "Algorithm and schedule are chosen by name; not every algorithm runs every program.",
    "See `tidelog simulate --help` for the names.",
)
LIMIT = CodeEntry(
    "TL913",
    "run that does not end",
    "{what}",
    "Counting algorithms do not end on cyclic data, and derivation sets grow fast.",
    "Raise --limit, or choose ranked, dred or heights, which end on every program without counting values.",
)
DATA = CodeEntry(
    "TL914",
    "facts that do not fit the program",
    "{what}",
    "A change deletes only what is there, and facts have the columns of their relation.",
    "Correct the topology or the change script.",
)
STUCK = CodeEntry(
    "TL915",
    "updates that can never be picked",
    "{what}",
    "Under set semantics a fact with two derivations is deleted with the first; the second deletion finds nothing.",
    "Choose an algorithm with multisets (psn) or ranked.",
)
VALUE = CodeEntry("TL916", "value that cannot be computed", "{what}", "Functions and arithmetic must have a result.")
FILE = CodeEntry("TL917", "file that cannot be used", "{what}", "", "Check path and permissions.")

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

    >>> diagnose(LimitError("psn is not quiescent")).code
    'TL913'
    """
    entry = next((entry for kind, entry in _BY_ERROR.items() if isinstance(error, kind)), FAILED)
    return entry.diagnostic(what=str(error))
