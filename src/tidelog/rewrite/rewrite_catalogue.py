"""The codes of the rewrites: sizes (TL64x), and locations that no exchange of messages can connect (TL65x).

Law: as in `program.catalogue`, a code stands here once and keeps its meaning.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.errors import Diagnostic, Span
from tidelog.errors.entry import CodeEntry

_REWRITES = (
    CodeEntry(
        "TL641",
        "too many branches",
        "this rule has {number} ways to choose its branches; at most {most} are expanded",
        "A rule with disjunctions means one rule for each way to choose a branch of each of them.",
        "Give some of the disjunctions relations of their own.",
        f"p(X) :- q(X){', (a(X) ; b(X))' * 14}.\n",
    ),
    CodeEntry(
        "TL642",
        "path of too many steps",
        "this path has more than {most} steps when its repetitions are written out",
        "A bounded repetition means its steps one after the other: `a{1,3}` is `a/(a/a?)?`.",
        "Repeat fewer times, without bound (`+`), or give a part of the path a relation of its own.",
        "p(X, Y) :- (a/b){1,300}(X, Y).\n",
    ),
    CodeEntry(
        "TL650",
        "atom without location",
        "`{name}` has no location, but other atoms of this rule have one",
        "In a rule with locations every atom of the body says by `@` where its facts live.",
        "Mark one argument of the atom with `@`, wherever the relation is used.",
        "p(@X) :- q(@X, Y), r(Y).\n",
    ),
    CodeEntry(
        "TL651",
        "rule that cannot be localised",
        "no join key connects the locations of {places}",
        "A node learns of another only through a fact that names it: each location of a rule must be an argument of an "
        "atom that lives at one of the others, or be computed from its arguments.",
        "Join the locations over a relation that names both, such as `link(@X, Y)`.",
        "p(@X, Y) :- q(@X), r(@Y).\n",
    ),
)

CATALOGUE: Mapping[str, CodeEntry] = {entry.code: entry for entry in _REWRITES}


def diagnose(code: str, span: Span | None, **values: str) -> Diagnostic:
    """The finding with this code.

    >>> diagnose("TL650", None, name="r").message
    '`r` has no location, but other atoms of this rule have one'
    """
    return CATALOGUE[code].diagnostic(span, hint=None, related=(), **values)
