"""The codes of the rewrites: sizes (TL64x), and locations that messages cannot connect (TL65x).

Law: as in `program.catalogue`, a code is defined here once and keeps its meaning.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.errors import Diagnostic, Span
from tidelog.errors.entry import CodeEntry

_REWRITES = (
    CodeEntry(
        "TL641",
        "too many combinations of branches",
        "this rule has {number} ways to choose its branches; the maximum is {most}",
        "A rule with disjunctions is expanded to one rule for each combination of branches.",
        "Define separate relations for some of the disjunctions.",
        f"p(X) :- q(X){', (a(X) ; b(X))' * 14}.\n",
    ),
    CodeEntry(
        "TL642",
        "too many steps in a path",
        "this path has more than {most} steps after its repetitions are expanded",
        "A bounded repetition is expanded to its steps: `a{1,3}` is `a/(a/a?)?`.",
        "Use fewer repetitions, use `+` (no upper bound), or define a separate relation for a part of the path.",
        "p(X, Y) :- (a/b){1,300}(X, Y).\n",
    ),
    CodeEntry(
        "TL650",
        "atom without a location",
        "`{name}` has no location, but other atoms of this rule have one",
        "In a rule with locations, every atom of the body marks with `@` where its facts are stored.",
        "Mark one argument of the atom with `@`, wherever the relation is used.",
        "p(@X) :- q(@X, Y), r(Y).\n",
    ),
    CodeEntry(
        "TL651",
        "rule cannot be localised",
        "no join key connects the locations of {places}",
        "A node knows another node only through a fact that contains it. Each location of a rule must therefore be "
        "an argument of an atom stored at another location of the rule, or be computed from such arguments.",
        "Join the locations through a relation that contains both, such as `link(@X, Y)`.",
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
