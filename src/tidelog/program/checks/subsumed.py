"""Rules of paths that another rule makes redundant (TL705).

Law: a rule is reported only if its path is contained in that of another rule with the same head and ends, on every
graph. Removing it changes no fact. Of two rules with the same pairs the later one is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tidelog.errors import Diagnostic
from tidelog.program.graph.path_containment import is_contained
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.values.path import Label, Path
from tidelog.program.values.rule import Rule
from tidelog.program.values.term import Aggregate, Atom, Call, PathAtom, Term, Var, Wildcard

Shape = tuple[object, ...]


def check_subsumed(rules: Sequence[Rule]) -> Iterator[Diagnostic]:
    """A warning for each rule of one path whose facts another rule derives, too."""
    by_shape: dict[Shape, list[tuple[Rule, Path]]] = {}
    for rule in rules:
        if (found := _path_rule(rule)) is not None:
            shape, path = found
            by_shape.setdefault(shape, []).append((rule, path))
    for alike in by_shape.values():
        if any(not isinstance(path, Label) for _, path in alike):
            yield from _subsumed(alike)


def _subsumed(rules: list[tuple[Rule, Path]]) -> Iterator[Diagnostic]:
    kept = list(rules)
    for rule, path in reversed(rules):
        others = [(other, wider) for other, wider in kept if other is not rule]
        wider = next((other for other, outer in others if is_contained(path, outer)), None)
        if wider is not None:
            kept.remove((rule, path))
            related = [] if wider.span is None else [("the rule that derives them", wider.span)]
            yield diagnose("TL705", rule.span, relation=rule.head.predicate, related=related)


def _path_rule(rule: Rule) -> tuple[Shape, Path] | None:
    """What two rules must share to be compared, and the path, of a rule whose body is one path between two ends."""
    match rule.body:
        case (PathAtom(path=path, source=source, target=target, negated=False),):
            pass
        case (Atom(predicate=relation, args=(source, target)),):
            path = Label(relation)
        case _:
            return None
    terms = (*rule.head.args, source, target)
    if rule.subsumes or rule.constraint is not None or any(isinstance(t, Aggregate | Call | Wildcard) for t in terms):
        return None
    numbers: dict[str, int] = {}
    return (rule.head.predicate, *(_numbered(term, numbers) for term in terms)), path


def _numbered(term: Term, numbers: dict[str, int]) -> object:
    """A variable by its first place, so that names do not matter."""
    return numbers.setdefault(term.name, len(numbers)) if isinstance(term, Var) else term
