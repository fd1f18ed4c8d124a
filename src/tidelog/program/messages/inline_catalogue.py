"""The codes of inline relations (TL23x).

Law: as in `program.catalogue`, a code is defined here once and keeps its meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidelog.errors import Diagnostic, Span
from tidelog.errors.entry import CodeEntry

_INLINE = (
    CodeEntry(
        "TL231",
        "recursive inline relation",
        "the inline relations depend on themselves: {names}",
        "An inline relation is replaced by the bodies of its rules, so it cannot be recursive.",
        "Remove `inline` from one of the relations.",
        ".decl p(x: number) inline\n.decl q(x: number)\np(x) :- p(x).\nq(x) :- p(x).\n",
    ),
    CodeEntry(
        "TL232",
        "directive for an inline relation",
        "`{directive}` cannot be used for the inline relation `{name}`",
        "An inline relation is not stored, so it cannot be read from a file, written or counted.",
        "Remove `inline` or the directive.",
        ".decl p(x: number) inline\n.output p\np(1).\n",
    ),
    CodeEntry(
        "TL233",
        "inline relation with local variables",
        "the inline relation `{name}` has a rule with local variables, and is read inside {inside}",
        "When a relation is inlined, the body variables of its rules that are not in the head become variables of "
        "the reading rule. In a negation they would be unbound, and an aggregate would count their values.",
        "Remove `inline` from the relation.",
        ".decl e(x: number, y: number)\n.decl p(x: number) inline\n.decl q(x: number)\n"
        "p(x) :- e(x, y), e(y, y).\nq(x) :- e(x, x), !p(x).\n",
    ),
    CodeEntry(
        "TL234",
        "rule too large after inlining",
        "inlining expands this rule to more than {most} parts or {deepest} levels of nesting",
        "An inline relation is replaced by the bodies of its rules. If each relation reads the next one twice, the "
        "rule doubles at every step.",
        "Remove `inline` from one of the relations.",
        ".decl e(x: number)\n.decl p0(x: number) inline\np0(x) :- e(x), e(x + 1).\n"
        + "".join(f".decl p{i}(x: number) inline\np{i}(x) :- p{i - 1}(x), p{i - 1}(x + 1).\n" for i in range(1, 16))
        + ".decl q(x: number)\nq(x) :- e(x), p15(x).\n",
    ),
)

CATALOGUE: Mapping[str, CodeEntry] = {entry.code: entry for entry in _INLINE}


def diagnose(code: str, span: Span | None, *, related: Iterable[tuple[str, Span]] = (), **values: object) -> Diagnostic:
    """The finding with this code.

    >>> diagnose("TL231", None, names="`p`").message
    'the inline relations depend on themselves: `p`'
    """
    return CATALOGUE[code].diagnostic(span, hint=None, related=related, **values)
