"""From a planned aggregate rule to the fold that keeps its totals."""

from __future__ import annotations

from tidelog.partition.fold import Fold
from tidelog.plan.build import aggregate_of, is_folded
from tidelog.program import Atom
from tidelog.runtime.protocol import PlannedRule


def fold_of(planned: PlannedRule) -> Fold | None:
    """The fold of a count, sum or mean."""
    aggregate, source = aggregate_of(planned.rule), planned.rule.body[0] if planned.rule.body else None
    if aggregate is None or not is_folded(planned.rule) or not isinstance(source, Atom):
        return None
    keys = [arg for arg in planned.rule.head.args if arg is not aggregate]
    head = tuple(-1 if arg is aggregate else keys.index(arg) for arg in planned.rule.head.args)
    group = tuple(source.args.index(arg) for arg in keys)
    value = None if aggregate.value is None else source.args.index(aggregate.value)
    return Fold(aggregate.kind, planned.value_type, group, value, head, planned.rule.root.label or "")
