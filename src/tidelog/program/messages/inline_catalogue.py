"""The codes of inline relations (TL23x).

Law: as in `program.catalogue`, a code stands here once and keeps its meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidelog.errors import Diagnostic, Span
from tidelog.errors.entry import CodeEntry

_INLINE = (
    CodeEntry(
        "TL231",
        "inline relation that depends on itself",
        "the inline relations depend on themselves: {names}",
        "An inline relation stands for the bodies of its rules; a circle of them has no end.",
        "Leave `inline` out for one of the relations.",
        ".decl p(x: number) inline\n.decl q(x: number)\np(x) :- p(x).\nq(x) :- p(x).\n",
    ),
    CodeEntry(
        "TL232",
        "file of an inline relation",
        "`{directive}` of the inline relation `{name}`",
        "An inline relation is not held: there is nothing to read into it, to write or to count.",
        "Leave `inline` or the directive out.",
        ".decl p(x: number) inline\n.output p\np(1).\n",
    ),
    CodeEntry(
        "TL233",
        "inline relation whose variables count",
        "the inline relation `{name}` has a rule with variables of its own, and is read inside {inside}",
        "Inlined, the variables that a rule has beside those of its head become variables of the place where the "
        "relation is read: a negation would leave them unbound, and an aggregate would count their values too.",
        "Leave `inline` out for the relation.",
        ".decl e(x: number, y: number)\n.decl p(x: number) inline\n.decl q(x: number)\n"
        "p(x) :- e(x, y), e(y, y).\nq(x) :- e(x, x), !p(x).\n",
    ),
    CodeEntry(
        "TL234",
        "rule too long after inlining",
        "the inline relations make this rule longer than {most} parts, or are nested more than {deepest} deep",
        "An inline relation stands for the bodies of its rules. Relations that read each other twice double the rule "
        "with every step.",
        "Leave `inline` out for one of the relations.",
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
