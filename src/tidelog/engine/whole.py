"""The facts of all partitions put together in one, to be asked questions.

Law: every fact once, with the counts of its owner and, where all hold it, the lowest of its ranks, so that every fact
still has a support of lower rank. What is put together is read and never changed. All facts pass through this process:
it is for questions about single facts, not for data.
"""

from __future__ import annotations

from collections.abc import Callable

from tidelog.plan.form import Form
from tidelog.plan.ruleset import Ruleset
from tidelog.plan.work import PlannedRule
from tidelog.program import Rule
from tidelog.runtime.coordinator import Coordinator
from tidelog.runtime.embedded import EmbeddedRuntime
from tidelog.store.image import Image
from tidelog.store.restore import fill_partition


def put_together(
    runtime: Coordinator, form: Form, rules: Ruleset, plan: Callable[[Rule], PlannedRule]
) -> EmbeddedRuntime:
    """A runtime of one partition that holds what all partitions of another hold."""
    image = Image(placements=dict(form.places), pieces=[Image(relations=held) for held in runtime.ask("image")])
    whole = EmbeddedRuntime(rules.functions, dictionary=runtime.dictionary)
    fill_partition(whole.partition, image, form.core.values())
    arities = {name: arity for name in runtime.book.strata if (arity := runtime.arity(name)) is not None}
    whole.adopt(arities, runtime.groups, map(plan, form.core.values()))
    return whole
