"""The codes of components and their instances (TL22x).

Law: as in `check_catalogue`, a code is listed once and keeps its meaning. Mistakes inside an instance are reported
at the component's text, once for all instances.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidelog.errors import Diagnostic, Span
from tidelog.errors.entry import CodeEntry

_COMPONENTS = (
    CodeEntry(
        "TL220",
        "name already in use",
        "the name `{name}` of {what} is already in use",
        "Components, instances, relations and types in one block have different names.",
        "Choose another name.",
        ".comp Graph { .decl edge(x: number) }\n.init g = Graph\n.init g = Graph\n",
    ),
    CodeEntry(
        "TL221",
        "unknown component",
        "unknown component `{name}`",
        "A component is declared with `.comp` in the same block, an enclosing block, or a component that one of "
        "these inherits.",
        "Declare the component with `.comp`.",
        ".init g = Graph\n.decl edge(x: number)\n",
    ),
    CodeEntry(
        "TL222",
        "wrong number of type parameters",
        "component `{name}` takes {expected}, but {found}",
        "An instance or inheriting component passes one type for each parameter of the component.",
        "Write {form}.",
        ".comp Graph<Node> { .decl edge(x: Node) }\n.init g = Graph\n",
    ),
    CodeEntry(
        "TL223",
        "component inherits itself",
        "component `{name}` inherits itself: {cycle}",
        "A component inherits the text of its bases, so the bases cannot form a cycle.",
        "Remove one of the bases.",
        ".comp A : B { .decl p(x: number) }\n.comp B : A { }\n.init a = A\n",
    ),
    CodeEntry(
        "TL224",
        "invalid `.override`",
        "component `{name}` overrides `{relation}`, which {problem}",
        "`.override` removes the inherited rules of a relation that is declared `overridable`.",
        "Declare the relation `overridable` in the base, or remove the `.override`.",
        ".comp A { .decl p(x: number) p(1). }\n.comp B : A { .override p p(2). }\n.init b = B\n",
    ),
    CodeEntry(
        "TL225",
        "instances nested too deeply",
        "the instance `{name}` has more than {most} nested instances",
        "An instance expands to the text of its component, including nested instances. A component that contains "
        "an instance of itself would expand forever.",
        "Create the inner instance outside the component.",
        ".comp A { .decl p(x: number) .init inner = A }\n.init a = A\n",
    ),
    CodeEntry(
        "TL226",
        "instances too large",
        "the instance `{name}` expands the program to more than {most} parts",
        "An instance expands to the text of its component, including nested instances. The limit counts the "
        "declarations, types, rules and facts of all instances, once for each enclosing instance.",
        "Nest fewer instances.",
        ".comp C0 { .decl p(x: number) }\n"
        + "".join(f".comp C{i} {{ .init a = C{i - 1} .init b = C{i - 1} }}\n" for i in range(1, 18))
        + ".init c = C17\n",
    ),
)

CATALOGUE: Mapping[str, CodeEntry] = {entry.code: entry for entry in _COMPONENTS}


def diagnose(
    code: str,
    span: Span | None,
    *,
    hint: str | None = None,
    related: Iterable[tuple[str, Span]] = (),
    **values: object,
) -> Diagnostic:
    """The finding with this code.

    >>> diagnose("TL221", None, name="Grpah").message
    'unknown component `Grpah`'
    """
    return CATALOGUE[code].diagnostic(span, hint=hint, related=related, **values)
