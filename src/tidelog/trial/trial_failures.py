"""The reasons why trials are refused, by code: TL491x.

Law: a file that cannot be read is refused before any case of its folder is run.
"""

from __future__ import annotations

from tidelog.errors import EngineError
from tidelog.errors.entry import FailureEntry

NOT_A_CASE = FailureEntry(
    "TL4911",
    EngineError,
    "invalid case file",
    "{path}:{line}: {problem}",
    "A case file names its `program:`, followed by cases. Each `case:` has `given:` (the initial facts), "
    "`when:` (the changes) and `then:` (the expected results). A line under `then:` starts with contains, "
    "lacks, equals, empty, golden or refused.",
    "See `docs/reference/testing-rules.md`, or the files in `examples/tests`.",
    "$ mkdir t\n$ printf 'p(X) :- q(X).' > t/p.dl\n"
    "$ printf 'program: p.dl\\ncase: a\\nthen:\\n  has p(1).\\n' > t/p.case\n$ tidelog test t\n",
)
NO_CASES = FailureEntry(
    "TL4912",
    EngineError,
    "no case files",
    "{folder} has no case files",
    "Case files end in `.case`. Folders are searched recursively.",
    "Use a folder that contains case files, or the path of a case file.",
    "$ mkdir empty\n$ tidelog test empty\n",
)
OTHER_ARGUMENT = FailureEntry(
    "TL4913",
    EngineError,
    "argument too small",
    "{what} must be at least 1, not {found}",
    "A trial compares at least one way of running a program with evaluation from scratch.",
    "Omit the argument to use the default.",
    'from tidelog.lab.order import check_order\ncheck_order("p(X) :- q(X).", tries=0)\n',
)

ENTRIES = (NOT_A_CASE, NO_CASES, OTHER_ARGUMENT)
