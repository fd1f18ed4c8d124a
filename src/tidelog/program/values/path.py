"""Regular path expressions: the values in predicate position (D10).

Law: a path denotes a binary relation over the nodes of the graph; this module defines only how it is written, which
relations it names, and over which nodes it may be empty. The meaning of the operators and their expansion are defined
in `rewrite`.

The empty path joins a node to itself. Inside an expression it holds for every node that the rest of the expression
reaches; where the whole expression may be empty, for the *nodes of the expression*: the first and last columns of the
relations that it names as labels, and the members of the domains that it names. A repetition with a domain, as in
``edge*[node]``, is empty at the members of that domain only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from tidelog.errors import Span


@dataclass(frozen=True, slots=True)
class Label:
    """One step along a relation, or along the triples of ``relation`` whose middle column is ``value``: ``edge[p]``."""

    relation: str
    value: str | int | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Inverse:
    """``^path``: the path walked backwards."""

    path: Path


@dataclass(frozen=True, slots=True)
class Sequence:
    """``a/b``: paths in sequence."""

    parts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Alternative:
    """``a|b``: either path."""

    parts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Conjunction:
    """``a & b``: both paths between the same ends."""

    parts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """``path{least,most}``; ``+`` is {1,None}, ``*`` is {0,None}, ``?`` is {0,1}.

    ``domain`` names the relation of one column at whose members the repetition may be empty: ``path*[node]``.
    """

    path: Path
    least: int
    most: int | None
    domain: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


Path: TypeAlias = Label | Inverse | Sequence | Alternative | Conjunction | Repeat
Domains: TypeAlias = frozenset[str]


def subpaths(path: Path) -> Iterator[Path]:
    """The path and the paths inside it, outermost first, in the order of the text."""
    yield path
    if isinstance(path, Inverse | Repeat):
        yield from subpaths(path.path)
    elif not isinstance(path, Label):
        for part in path.parts:
            yield from subpaths(part)


def labels(path: Path) -> Iterator[Label]:
    """The steps of the path, in the order of the text."""
    return (part for part in subpaths(path) if isinstance(part, Label))


def domains(path: Path) -> Iterator[Repeat]:
    """The repetitions of the path that name a domain."""
    return (part for part in subpaths(path) if isinstance(part, Repeat) and part.domain is not None)


def is_closure(path: Path) -> bool:
    """Whether some part may be repeated without bound."""
    return any(isinstance(part, Repeat) and part.most is None for part in subpaths(path))


def empty_at(path: Path) -> frozenset[Domains]:
    """Sets of domains: the path may be empty at nodes in all domains of one of them; nowhere if there is none.

    The set without domains represents every node.

    >>> edge = Label("edge")
    >>> empty_at(edge), empty_at(Repeat(edge, 0, None))
    (frozenset(), frozenset({frozenset()}))
    >>> [sorted(some) for some in empty_at(Sequence((Repeat(edge, 0, 1, "node"), Repeat(edge, 0, None))))]
    [['node']]
    """
    match path:
        case Label():
            return frozenset()
        case Inverse(path=inner):
            return empty_at(inner)
        case Sequence(parts=parts) | Conjunction(parts=parts):
            found: frozenset[Domains] = frozenset({frozenset()})
            for part in parts:
                found = least(one | other for one in found for other in empty_at(part))
            return found
        case Alternative(parts=parts):
            return least(some for part in parts for some in empty_at(part))
        case Repeat():
            own = {frozenset() if path.domain is None else frozenset({path.domain})} if path.least == 0 else set()
            return least([*own, *empty_at(path.path)])


def least(sets: Iterable[Domains]) -> frozenset[Domains]:
    """The sets that contain no other: a node in all domains of a larger set is in all domains of a smaller one."""
    found = frozenset(sets)
    return frozenset(some for some in found if not any(other < some for other in found))


def reversed_path(path: Path) -> Path:
    """The path walked backwards, with ``^`` at its labels only.

    >>> reversed_path(Sequence((Label("a"), Inverse(Label("b")))))
    Sequence(parts=(Label(relation='b', value=None), Inverse(path=Label(relation='a', value=None))))
    """
    match path:
        case Label():
            return Inverse(path)
        case Inverse(path=inner):
            return forward(inner)
        case Repeat(path=inner):
            return Repeat(reversed_path(inner), path.least, path.most, path.domain, path.span)
        case Sequence(parts=parts):
            return Sequence(tuple(map(reversed_path, reversed(parts))))
        case Alternative(parts=parts):
            return Alternative(tuple(map(reversed_path, parts)))
        case Conjunction(parts=parts):
            return Conjunction(tuple(map(reversed_path, parts)))


def forward(path: Path) -> Path:
    """The same path with ``^`` at its labels only.

    >>> forward(Inverse(Repeat(Label("a"), 1, None)))
    Repeat(path=Inverse(path=Label(relation='a', value=None)), least=1, most=None, domain=None)
    """
    match path:
        case Label() | Inverse(path=Label()):
            return path
        case Inverse(path=inner):
            return reversed_path(inner)
        case Repeat(path=inner):
            return Repeat(forward(inner), path.least, path.most, path.domain, path.span)
        case Sequence(parts=parts):
            return Sequence(tuple(map(forward, parts)))
        case Alternative(parts=parts):
            return Alternative(tuple(map(forward, parts)))
        case Conjunction(parts=parts):
            return Conjunction(tuple(map(forward, parts)))
