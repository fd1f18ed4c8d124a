"""The order in which the items of a conjunction are evaluated.

Law: any order yields the same solutions. Tests come as soon as their variables have values; computations that may fail
come after all items that do not need their result, so that an error is one of a valuation that the rest admits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tidelog.program import Const, Term, Var
from tidelog.program.values.structure import is_structural
from tidelog.verify import verify_failures as failures
from tidelog.verify.normal import GIVEN, Absent, Fold, Item, RangeBinding, Scan, Test, item_names, names
from tidelog.verify.terms import called

SAFE_FUNCTIONS = frozenset({"+", "-", "*", "band", "bor", "bxor", "list", "cat"})
Sizes = Callable[[Scan], int]


def arrange(items: Sequence[Item], bound: set[str], size: Sizes) -> list[Item]:
    """The items in an order in which each finds the values it needs; ``bound`` grows by all variables.

    >>> from tidelog.syntax import parse_rule
    >>> from tidelog.verify.normal import to_clause
    >>> (items,) = to_clause(parse_rule("p(X) :- Y = X / Z, Z != 0, q(X, Z), Y > 1.")).body.alternatives
    >>> [type(item).__name__ for item in arrange(items, set(), lambda scan: 1)]
    ['Scan', 'Test', 'Test', 'Test']
    """
    waiting = list(items)
    order: list[Item] = []
    while waiting:
        item = _next(waiting, bound, size)
        waiting.remove(item)
        order.append(item)
        bound |= item_names(item)
    return order


def assigns(item: Test, bound: set[str]) -> tuple[Var, Term] | None:
    """The variable to which an equation assigns its first value, with the assigned term."""
    if item.op == "=":
        for here, there in ((item.left, item.right), (item.right, item.left)):
            fresh = isinstance(here, Var) and here.name not in bound and not here.name.startswith(GIVEN)
            if fresh and isinstance(here, Var) and bound.issuperset(names((there,))):
                return here, there
    return None


def _next(waiting: Sequence[Item], bound: set[str], size: Sizes) -> Item:
    ready = [item for item in waiting if _ready(item, bound)]
    for item in ready:
        if isinstance(item, Absent) or (isinstance(item, Test) and not _may_fail(item)):
            return item
    wanted = {name for item in waiting if isinstance(item, Scan | Absent) for name in item_names(item)} - bound
    for item in ready:
        if isinstance(item, Test) and wanted & item_names(item):
            return item
    scans = [item for item in ready if isinstance(item, Scan)]
    if scans:
        return min(scans, key=lambda scan: _cost(scan, bound, size))
    if not ready:
        raise failures.NOT_ORDERED.error(item=waiting[0])
    return min(ready, key=lambda item: isinstance(item, Test))


def _ready(item: Item, bound: set[str]) -> bool:
    match item:
        case Scan():
            return True
        case Absent():
            return item_names(item) <= bound
        case Test():
            return item_names(item) <= bound or assigns(item, bound) is not None
        case RangeBinding(values=values):
            return bound.issuperset(names((values,)))
        case Fold(outer=outer):
            return bound.issuperset(outer)


def _may_fail(item: Test) -> bool:
    names = called((item.left, item.right))
    return any(name not in SAFE_FUNCTIONS and not is_structural(name) for name in names)


def _cost(scan: Scan, bound: set[str], size: Sizes) -> float:
    """About how many facts match; every known column has the same weight."""
    known = sum(isinstance(arg, Const) or arg.name in bound for arg in scan.args)
    return float(size(scan) ** (1 - known / max(1, len(scan.args))))
