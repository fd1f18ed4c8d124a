"""The names of the relations that rewrites create, and their descriptions for the user.

Law: such a name begins with two underscores, which names in a text may not (TL205), so it never collides with a
relation of the user. The prefix shows the purpose of the relation; the names of paths are those of `paths.names`, the
names of copies those of `place.place`.
"""

from __future__ import annotations

from tidelog.program.types.arity import RESERVED

VALUES = "__val_"
COUNTED = "__counted_"
CANDIDATES = "__cand_"
GROUPS = "__agg_"
TOTALS = "__total_"
SOME = "__some_"
ASKED = "__asked_"
ASKED_GROUPS = "__each_"
ASKED_TOTALS = "__eachtotal_"
ASKED_PARTS = "__part_"
PROJECTION = "__only_"
OPENED = "__open_"
KEYED = "__key_"
MIRROR = "__at_"
PIECE = "__loc_"
WANTED = "__wanted_"
WANTED_ROWS = "__rows_"
QUESTION = "__?"  # begins the relations of queries; cannot be written in a text

_WORDS = {
    VALUES: "rows to aggregate",
    COUNTED: "rows to aggregate",
    CANDIDATES: "candidates",
    GROUPS: "groups",
    TOTALS: "totals",
    SOME: "groups with rows",
    ASKED: "demanded groups",
    ASKED_GROUPS: "groups",
    ASKED_TOTALS: "totals",
    ASKED_PARTS: "parts of totals",
    WANTED: "demand",
    WANTED_ROWS: "rows of the demanded groups",
}


def is_auxiliary(name: str) -> bool:
    """Whether a relation was created by a rewrite, so that the user does not know it.

    >>> is_auxiliary("__val_r1"), is_auxiliary("reach")
    (True, False)
    """
    return name.startswith(RESERVED)


def is_lifted(name: str) -> bool:
    """Whether a relation holds what an aggregate of a rule was lifted to: no atom of the user corresponds to it.

    >>> is_lifted("__total_r1_1"), is_lifted("__edge_by_2"), is_lifted("edge")
    (True, False, False)
    """
    return name.startswith(tuple(_WORDS))


def is_counted(name: str) -> bool:
    """Whether the number of supports of a fact is the number of rows that an aggregate ranges over.

    >>> is_counted("__counted_r1_0"), is_counted("__val_r1_0")
    (True, False)
    """
    return name.startswith(COUNTED)


def is_request(name: str) -> bool:
    """Whether a relation contains the requested groups of an aggregate (`lift_aggregates`).

    >>> is_request("__asked_r1_1"), is_request("__val_r1_1")
    (True, False)
    """
    return name.startswith(ASKED)


def is_requested_result(name: str) -> bool:
    """Whether a relation contains results of an aggregate for the requested groups.

    >>> is_requested_result("__each_r1_1"), is_requested_result("__agg_r1_1")
    (True, False)
    """
    return name.startswith((ASKED_GROUPS, ASKED_TOTALS))


def behind_total(name: str) -> str | None:
    """The relation of the results from which a total of demanded groups is computed; None for any other relation.

    >>> behind_total("__eachtotal_r1_1"), behind_total("__each_r1_1")
    ('__each_r1_1', None)
    """
    return ASKED_GROUPS + name.removeprefix(ASKED_TOTALS) if name.startswith(ASKED_TOTALS) else None


def in_words(name: str) -> str:
    """A description of the contents of an auxiliary relation, for the rules that need it.

    >>> in_words("__total_r1_1"), in_words("__loc_r1_1")
    ('totals', 'auxiliary facts')
    """
    return next((words for prefix, words in _WORDS.items() if name.startswith(prefix)), "auxiliary facts")
