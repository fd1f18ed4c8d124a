"""How many random cases each test of the law tries: all of TIDELOG_CASES go to the central law, shares to the others.

The laws of single features (demand, structures, witnesses and so on) have programs of their own, each dearer than one
of the central law; a share keeps them in proportion, however many cases are asked for.
"""

from __future__ import annotations

import os

CASES = int(os.environ.get("TIDELOG_CASES", "60"))


def share(part: int, least: int) -> int:
    """One part in so many of all cases, and never fewer than the least that shows anything."""
    return max(least, CASES // part)
