"""The codes of components and their instances (TL22x).

Law: as in `program.catalogue`, a code stands here once and keeps its meaning. What is wrong inside an instance is told
at the component's own text, once for all instances.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidelog.errors import Diagnostic, Span
from tidelog.errors.entry import CodeEntry

_COMPONENTS = (
    CodeEntry(
        "TL220",
        "name taken",
        "the name `{name}` of {what} is taken",
        "Components, instances, relations and types of one block have different names.",
        "Choose another name.",
        ".comp Graph { .decl edge(x: number) }\n.init g = Graph\n.init g = Graph\n",
    ),
    CodeEntry(
        "TL221",
        "unknown component",
        "unknown component `{name}`",
        "A component is declared by `.comp` in the same block, in a block around it, or in what that inherits.",
        "Declare the component with `.comp`.",
        ".init g = Graph\n.decl edge(x: number)\n",
    ),
    CodeEntry(
        "TL222",
        "number of type parameters",
        "component `{name}` takes {expected}, {found}",
        "An instance and an inheriting component give one name for each parameter of the component.",
        "Write {form}.",
        ".comp Graph<Node> { .decl edge(x: Node) }\n.init g = Graph\n",
    ),
    CodeEntry(
        "TL223",
        "component that inherits itself",
        "component `{name}` inherits itself: {cycle}",
        "What a component inherits is its base's text; a circle of bases has none.",
        "Leave one of the bases out.",
        ".comp A : B { .decl p(x: number) }\n.comp B : A { }\n.init a = A\n",
    ),
    CodeEntry(
        "TL224",
        "override of what cannot be overridden",
        "component `{name}` overrides `{relation}`, which {problem}",
        "`.override` drops the rules that the bases have for a relation that they declare `overridable`.",
        "Declare the relation `overridable` in the base, or leave the `.override` out.",
        ".comp A { .decl p(x: number) p(1). }\n.comp B : A { .override p p(2). }\n.init b = B\n",
    ),
    CodeEntry(
        "TL225",
        "instances without end",
        "the instance `{name}` has more than {most} instances inside one another",
        "An instance is the text of its component with all instances in it; a component that makes an instance of "
        "itself has no end.",
        "Make the inner instance outside of the component.",
        ".comp A { .decl p(x: number) .init inner = A }\n.init a = A\n",
    ),
    CodeEntry(
        "TL226",
        "instances too long",
        "the instance `{name}` makes the program longer than {most} parts",
        "An instance is the text of its component with all instances in it. The limit counts the declarations, types, "
        "rules and facts of all instances, once for each instance around them; components that make two instances of "
        "one another double the program with every step.",
        "Make fewer instances inside one another.",
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
