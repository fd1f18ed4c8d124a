"""How many random cases each test of the law tries: the central law TIDELOG_CASES of each kind, the others a share.

The laws of single features (demand, structures, witnesses and so on) have separate programs, each more expensive than
one of the central law. A share keeps them in proportion, both where many cases are tried (`make test-all`) and where
the same laws run again with partitions or threads.
"""

from __future__ import annotations

import os

CASES = int(os.environ.get("TIDELOG_CASES", "40"))
ALL = 100  # as many as `make test-all` tries


def share(part: int, least: int) -> int:
    """One case in `part`; for all cases no fewer than `least`, and for fewer cases in proportion."""
    return max(min(least, 3), CASES // part, -(-least * min(CASES, ALL) // ALL))
