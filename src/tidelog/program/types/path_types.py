"""The types of the ends of a path.

Law: a step has the types of its columns; paths in sequence meet in one type, alternatives and conjunctions have the
same types at both ends, and a repetition has one type. Where the whole path may be empty at any node, all its nodes
(`program.path`) have one type, since each of them is joined to itself.
"""

from __future__ import annotations

from tidelog.errors import Span
from tidelog.program.types.places import Places
from tidelog.program.types.unify import INTEGER, TEXT, Reason
from tidelog.program.values.path import (
    Inverse,
    Label,
    Path,
    Repeat,
    Sequence,
    domains,
    empty_at,
    labels,
)
from tidelog.program.values.scope import label_value

Ends = tuple[int, int]
_NODES = "the nodes at which this path may be empty are"


def path_ends(path: Path, inference: Places) -> Ends:
    """The places of the two ends of a path; unites the places that the path unites."""
    ends = _ends(path, inference)
    if frozenset() in empty_at(path):
        for label in {label.relation: label for label in labels(path)}.values():
            for place in _step(label, inference):
                inference.unite(ends[0], place, label.span, _NODES)
        for repeat in domains(path):
            inference.unite(ends[0], _domain(repeat, inference), repeat.span, _NODES)
    return ends


def _ends(path: Path, inference: Places) -> Ends:
    match path:
        case Label():
            return _label(path, inference)
        case Inverse(path=inner):
            source, target = _ends(inner, inference)
            return target, source
        case Repeat():
            return _repeat(path, inference)
        case Sequence(parts=parts):
            first, *rest = (_ends(part, inference) for part in parts)
            for part, (source, target) in zip(parts[1:], rest, strict=True):
                inference.unite(first[1], source, _span(part), "these steps of the path meet in")
                first = (first[0], target)
            return first
    ends = [(part, _ends(part, inference)) for part in path.parts]
    source, target = ends[0][1]
    for part, (other_source, other_target) in ends[1:]:
        inference.unite(source, other_source, _span(part), "these paths start in")
        inference.unite(target, other_target, _span(part), "these paths end in")
    return source, target


def _repeat(path: Repeat, inference: Places) -> Ends:
    source, target = _ends(path.path, inference)
    inference.unite(source, target, _span(path.path), "the two ends of a repeated path are")
    if path.domain is not None:
        inference.unite(source, _domain(path, inference), path.span, _NODES)
    return source, source


def _label(label: Label, inference: Places) -> Ends:
    if label.value is not None:
        columns = inference.column_places(label.relation)
        const = label_value(label)
        type_ = INTEGER if isinstance(label.value, int) else TEXT
        reason = Reason(f"this is a {const.type}", label.span)
        if len(columns) == 3 and not inference.classes.set(columns[1], type_, reason):
            inference.conflict(columns[1], type_, label.span, f"this column of `{label.relation}` holds")
    return _step(label, inference)


def _step(label: Label, inference: Places) -> Ends:
    """The first and the last column of a label's relation; new places if it has no such columns."""
    columns = inference.column_places(label.relation)
    if len(columns) != (2 if label.value is None else 3):  # reported by the check of names
        return inference.classes.fresh(), inference.classes.fresh()
    return columns[0], columns[-1]


def _domain(repeat: Repeat, inference: Places) -> int:
    assert repeat.domain is not None
    columns = inference.column_places(repeat.domain)
    return columns[0] if len(columns) == 1 else inference.classes.fresh()


def _span(path: Path) -> Span | None:
    return next((label.span for label in labels(path)), None)
