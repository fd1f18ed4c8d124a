"""The subexponential indexes of the encoding: which context holds what (LAM 2010L, section 4.1).

Law: `rules` is the only unbounded context, since a delta rule may be used any number of times; all others are linear.
"""

from __future__ import annotations

from tidelog.lab.semantics.linear.contexts import Index

UPD = Index("upd")
"""Updates that have not been picked yet."""
PICKED = Index("picked")
"""Updates picked and not yet fired."""
EXEC = Index("exec")
"""Updates fired and not yet entered in the tables."""
RULES = Index("rules", unbounded=True)
"""Per relation and sign its delta rules."""
QUERY = Index("query")
"""The queried fact."""
SPARE = Index("spare")
"""Where `copy` keeps what it has carried; empty whenever a command begins or ends."""


def table(relation: str) -> Index:
    """The table of a relation."""
    return Index("table", relation)


def fresh(relation: str) -> Index:
    """The table of a relation with ν: updates that have been picked count already."""
    return Index("fresh", relation)


def delta(relation: str) -> Index:
    """The one tuple whose delta rules are running."""
    return Index("delta", relation)


def work(position: int) -> Index:
    """The working copy that a loop at this body position consumes; positions in decimal."""
    return Index("work", str(position))
