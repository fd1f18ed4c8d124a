"""The constraints that an epoch violates: found before it is recorded, which then refuse it or cause warnings.

Law (D27): an epoch after which a constraint's body holds is refused and rolled back; with `severity(warn)` it is
reported once, in the epoch that introduces the violation. Only the changes of the hidden relations of violations are
examined, so that the cost follows the change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.core.core import Core
from tidelog.engine.write.prepare import PreparedEpoch
from tidelog.errors import ConstraintError, ConstraintWarning
from tidelog.errors.warn import warn
from tidelog.kernel.cells import Cells
from tidelog.program import Rule
from tidelog.program.values.rule import REFUSE, WARN
from tidelog.runtime.base.outcome import EpochOutcome

if TYPE_CHECKING:
    from tidelog.engine.write.violations import ViolatedConstraint


def check_constraints(core: Core, prepared: PreparedEpoch, outcome: EpochOutcome) -> tuple[ViolatedConstraint, ...]:
    """The constraints violated by the epoch that has run, starting with those that refuse it."""
    found = dict(_violations(core, prepared, outcome))
    if not found:
        return ()
    from tidelog.engine.write.violations import describe_violations  # most epochs violate nothing

    violations = describe_violations(core, prepared.rules, found)
    return tuple(sorted(violations, key=lambda violated: violated.severity != REFUSE))


def enforce(violations: Sequence[ViolatedConstraint]) -> None:
    """Refuse an epoch that violates a constraint with severity refuse, and warn of the other violations.

    A warning that a filter turns into an error refuses the epoch, too: nothing of it is recorded yet.
    """
    refused = tuple(violated for violated in violations if violated.severity == REFUSE)
    if refused:
        error: ConstraintError = failures.REFUSED.error(violations="\n".join(map(str, refused)))
        error.violations = refused
        raise error
    for violated in violations:
        warn(ConstraintWarning(str(violated)))


def _violations(core: Core, prepared: PreparedEpoch, outcome: EpochOutcome) -> Iterator[tuple[str, Cells]]:
    """The rows of hidden relations that must be reported."""
    before, after = core.rules.constraints, prepared.rules.constraints
    names = {name for name in outcome.changes if name in after}
    if before is not after:  # a constraint that only warned may refuse from now on
        names.update(name for name in after if _severity(before.get(name)) == WARN)
    for name in sorted(names):
        none: Cells = np.zeros((0, len(prepared.rules.schema[name])), np.int64)
        come, gone = outcome.changes.get(name, (none, none))
        was_warning = name not in prepared.work.renewed and _severity(before.get(name)) == WARN
        if was_warning and _severity(after[name]) == REFUSE:
            come = np.concatenate([_without(core.runtime.facts.rows(name), gone), come])
        if len(come):
            yield name, come


def _severity(rule: Rule | None) -> str:
    return "" if rule is None or rule.constraint is None else rule.constraint.severity


def _without(rows: Cells, gone: Cells) -> Cells:
    left = set(map(tuple, gone.tolist()))
    return rows[[tuple(row) not in left for row in rows.tolist()]]
