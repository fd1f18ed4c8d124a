"""Path expressions in plainer forms that mean the same.

Law: `tidy` keeps the pairs of a path; `shorten` keeps the nodes at which a path ends. Neither changes which nodes the
path has (`program.path`), so a path may be empty at the same nodes as before.
"""

from __future__ import annotations

from tidelog.program import Alternative, Conjunction, Inverse, Label, Path, Repeat, Sequence
from tidelog.program.values.path import empty_at, forward

ANYWHERE: frozenset[str] = frozenset()


def tidy(path: Path) -> Path:
    """The path with ``^`` at its labels only, sequences and alternatives flat, and without repetitions of one.

    >>> from tidelog.program.values.path_text import path_text
    >>> path_text(tidy(Inverse(Sequence((Label("a"), Repeat(Sequence((Label("b"), Label("c"))), 1, 1))))))
    '^c/^b/^a'
    """
    return _flat(forward(path))


def _flat(path: Path) -> Path:
    match path:
        case Repeat(path=inner, least=1, most=1):
            return _flat(inner)
        case Repeat(path=inner):
            return Repeat(_flat(inner), path.least, path.most, path.domain, path.span)
        case Sequence(parts=parts):
            return _of(Sequence, _spliced(parts, Sequence))
        case Alternative(parts=parts):
            return _of(Alternative, tuple(dict.fromkeys(_spliced(parts, Alternative))))
        case Conjunction(parts=parts):
            return _of(Conjunction, tuple(dict.fromkeys(_spliced(parts, Conjunction))))
    return path


def _of(kind: type[Sequence | Alternative | Conjunction], parts: tuple[Path, ...]) -> Path:
    return kind(parts) if len(parts) > 1 else parts[0]


def _spliced(parts: tuple[Path, ...], kind: type[Sequence | Alternative | Conjunction]) -> tuple[Path, ...]:
    flat: list[Path] = []
    for part in map(_flat, parts):
        flat.extend(part.parts if isinstance(part, kind) else (part,))
    return tuple(flat)


def chain(path: Path) -> tuple[Path, ...] | None:
    """The steps of a path that is a sequence of single steps; None for any other path."""
    parts = path.parts if isinstance(path, Sequence) else (path,)
    return parts if all(map(is_step, parts)) else None


def is_step(path: Path) -> bool:
    """Whether a tidy path is a label or the inverse of one."""
    return isinstance(path, Label | Inverse)


def shorten(path: Path) -> Path:
    """A path that ends at the same nodes, wherever it begins: unnecessary steps at its beginning are omitted.

    The path is one that cannot be empty anywhere: such a path ends at all its nodes.

    >>> from tidelog.program.values.path_text import path_text
    >>> a, b = Label("a"), Label("b")
    >>> path_text(shorten(Repeat(a, 1, None))), path_text(shorten(Sequence((Repeat(a, 0, 1), Repeat(b, 2, 5), a))))
    ('a', 'b/b/a')
    """
    match path:
        case Repeat(path=inner, least=least, domain=None):
            return _flat(Sequence((shorten(inner), *([inner] * (least - 1)))))
        case Alternative(parts=parts):
            return _flat(Alternative(tuple(map(shorten, parts))))
        case Sequence(parts=parts):
            first = next(i for i, part in enumerate(parts) if ANYWHERE not in empty_at(part))
            return _flat(Sequence((shorten(parts[first]), *parts[first + 1 :])))
    return path
