"""What trials refuse, by code: TL491x.

Law: a file that is not understood is refused before any case of its folder is run.
"""

from __future__ import annotations

from tidelog.errors import EngineError
from tidelog.errors.entry import FailureEntry

NOT_A_CASE = FailureEntry(
    "TL4911",
    EngineError,
    "case file that is not understood",
    "{path}:{line}: {problem}",
    "A file of cases names its `program:` and then has, for each `case:`, what is `given:`, `when:` what changes and "
    "`then:` what holds; a line under `then:` begins with contains, lacks, equals, empty, golden or refused.",
    "See `docs/reference/testing-rules.md`, or the files of `examples/tests`.",
    "$ mkdir t\n$ printf 'p(X) :- q(X).' > t/p.dl\n"
    "$ printf 'program: p.dl\\ncase: a\\nthen:\\n  has p(1).\\n' > t/p.case\n$ tidelog test t\n",
)
NO_CASES = FailureEntry(
    "TL4912",
    EngineError,
    "folder without cases",
    "{folder} has no files of cases",
    "Files of cases end in `.case`; folders are searched.",
    "Name a folder or a file of cases.",
    "$ mkdir empty\n$ tidelog test empty\n",
)
OTHER_ARGUMENT = FailureEntry(
    "TL4913",
    EngineError,
    "trial of nothing",
    "{what} must be at least 1, not {found}",
    "A trial compares at least one way of running with evaluation from scratch.",
    "Leave the argument out for the usual number.",
    'from tidelog.lab.order import check_order\ncheck_order("p(X) :- q(X).", tries=0)\n',
)

ENTRIES = (NOT_A_CASE, NO_CASES, OTHER_ARGUMENT)
