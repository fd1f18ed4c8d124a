"""Components: programs with a name and parameters, and the instances made from them.

Law: a component says nothing by itself; an instance of it means the component's text with the instance's name before
the names that the text declares, and the types given for its parameters (`expand_components`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tidelog.errors import Span
from tidelog.program.values.program import Program

SEPARATOR = "."


@dataclass(frozen=True, slots=True)
class ComponentType:
    """``Name<T, U>``: which component, and the names of the types (or components) given for its parameters."""

    name: str
    args: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Instance:
    """``.init name = Component<T>``."""

    name: str
    type: ComponentType
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Component:
    """``.comp Name<T> : Base<T> { content }``; ``overrides`` are the relations of its bases that it defines anew."""

    name: str
    params: tuple[str, ...] = ()
    bases: tuple[ComponentType, ...] = ()
    content: Program = field(default_factory=Program)
    overrides: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


def belongs_to(name: str, instance: str) -> bool:
    """Whether an instance made the relation, type or rule of this name.

    >>> belongs_to("main.graph.edge", "main"), belongs_to("mainline.edge", "main")
    (True, False)
    """
    return name.startswith(instance + SEPARATOR)
