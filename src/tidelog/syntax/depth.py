"""How deeply a clause is nested, measured without recursion.

Law: every value that leaves the parser is at most `MAX_HEIGHT` levels deep, so that recursive passes, comparison and
hashing of programs never run out of stack.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.program import (
    Aggregate,
    Alternative,
    Atom,
    Call,
    Comparison,
    Conjunction,
    Disjunction,
    Inverse,
    Literal,
    Negation,
    Path,
    PathAtom,
    Repeat,
    Sequence,
    Term,
)

MAX_HEIGHT = 100
Node = Literal | Term | Path


def is_too_deep(nodes: Iterable[Node]) -> bool:
    """Whether any of the nodes is more than `MAX_HEIGHT` levels deep."""
    level = list(nodes)
    for _ in range(MAX_HEIGHT):
        level = [child for node in level for child in children(node)]
        if not level:
            return False
    return True


def children(node: Node) -> Iterable[Node]:
    """The parts of a literal, a term or a path."""
    match node:
        case Atom(args=parts) | Call(args=parts):
            return parts
        case Comparison(left=left, right=right):
            return (left, right)
        case Negation(atom=atom):
            return (atom,)
        case Disjunction(branches=branches):
            return [literal for branch in branches for literal in branch]
        case PathAtom(path=path, source=source, target=target):
            return (path, source, target)
        case Aggregate(value=value, body=body):
            return (*(() if value is None else (value,)), *(body or ()))
        case Sequence(parts=paths) | Alternative(parts=paths) | Conjunction(parts=paths):
            return paths
        case Inverse(path=path) | Repeat(path=path):
            return (path,)
    return ()
