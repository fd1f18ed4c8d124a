"""The names of the relations that rewrites make, and what they are called before the user.

Law: such a name begins with two underscores, which no name of a text may (TL205), so that it never meets a relation of
the user's. The prefix says what the relation is for; the names of paths are those of `paths.names`, the names of copies
those of `place.place`.
"""

from __future__ import annotations

from tidelog.program.arity import RESERVED

VALUES = "__val_"
CANDIDATES = "__cand_"
GROUPS = "__agg_"
TOTALS = "__total_"
SOME = "__some_"
PROJECTION = "__only_"
OPENED = "__open_"
MIRROR = "__at_"
PIECE = "__loc_"
ASKED = "__asked_"
QUESTION = "__?"  # begins the relations of questions; no text can name them
PART = "__part_"

_WORDS = {
    VALUES: "rows to aggregate",
    CANDIDATES: "candidates",
    GROUPS: "groups",
    TOTALS: "totals",
    SOME: "groups with rows",
    ASKED: "what is asked for",
    PART: "rows of the groups that are asked for",
}


def is_auxiliary(name: str) -> bool:
    """Whether a relation was made by a rewrite: the user does not know it.

    >>> is_auxiliary("__val_r1"), is_auxiliary("reach")
    (True, False)
    """
    return name.startswith(RESERVED)


def is_lifted(name: str) -> bool:
    """Whether a relation holds what an aggregate of a rule was lifted to: no atom of the user's stands for it.

    >>> is_lifted("__total_r1_1"), is_lifted("__edge_by_2"), is_lifted("edge")
    (True, False, False)
    """
    return name.startswith(tuple(_WORDS))


def in_words(name: str) -> str:
    """What an auxiliary relation holds, for the rules that need it.

    >>> in_words("__total_r1_1"), in_words("__loc_r1_1")
    ('totals', 'auxiliary facts')
    """
    return next((words for prefix, words in _WORDS.items() if name.startswith(prefix)), "auxiliary facts")
