"""Questions about facts that have no answer, by code: TL13xx, TL32xx and TL46xx.

Law: a question changes nothing, whatever becomes of it.
"""

from __future__ import annotations

from tidelog.errors import DataError
from tidelog.errors.entry import FailureEntry
from tidelog.why.errors import NotTrueError, OutOfWorkError

FACT_COLUMNS = FailureEntry(
    "TL1301",
    DataError,
    "fact with another number of columns",
    "`{relation}` has {wanted} columns, the fact has {found}",
    "A fact has a value for each column of its relation.",
    "Write the fact with all its columns.",
    "Engine('edge(1, 2).').why('edge(1)')\n",
)
OUT_OF_WORK = FailureEntry(
    "TL3201",
    OutOfWorkError,
    "question that visits too many facts",
    "the question visits too many facts",
    "A question may visit some millions of facts; a proof that needs more is told without counts.",
    "Ask about a fact nearer to the base facts.",
    test="tests/why/test_ledger.py::test_work_that_is_used_up_ends_the_search",
)
NOT_TRUE = FailureEntry(
    "TL4601",
    NotTrueError,
    "proof of a fact that is absent",
    "`{fact}` is not true; ask `why_not`",
    "Only a fact that is present has a proof.",
    "",
    "Engine('edge(1, 2). reach(X, Y) :- edge(X, Y).').why('reach(2, 1)')\n",
)

ENTRIES = (FACT_COLUMNS, OUT_OF_WORK, NOT_TRUE)
