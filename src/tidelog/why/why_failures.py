"""Questions about facts that have no answer, by code: TL13xx, TL32xx and TL46xx.

Law: a question changes nothing, even if it fails.
"""

from __future__ import annotations

from tidelog.errors import DataError
from tidelog.errors.entry import FailureEntry
from tidelog.why.errors import NotTrueError, OutOfWorkError

FACT_COLUMNS = FailureEntry(
    "TL1301",
    DataError,
    "wrong number of columns in a fact",
    "`{relation}` has {wanted:1 column}, but the fact has {found}",
    "A fact has one value for each column of its relation.",
    "Write a value for every column.",
    "Engine('edge(1, 2).').why('edge(1)')\n",
)
OUT_OF_WORK = FailureEntry(
    "TL3201",
    OutOfWorkError,
    "query visits too many facts",
    "the query visits too many facts",
    "An explanation visits at most a few million facts. After that, a search stops, and hidden facts are not counted.",
    "Ask about a fact closer to the base facts.",
    test="tests/why/test_ledger.py::test_work_that_is_used_up_ends_the_search",
)
NOT_TRUE = FailureEntry(
    "TL4601",
    NotTrueError,
    "no proof: the fact is not true",
    "`{fact}` is not true; use `why_not`",
    "Only facts that are true have a proof.",
    "",
    "Engine('edge(1, 2). reach(X, Y) :- edge(X, Y).').why('reach(2, 1)')\n",
)

ENTRIES = (FACT_COLUMNS, OUT_OF_WORK, NOT_TRUE)
