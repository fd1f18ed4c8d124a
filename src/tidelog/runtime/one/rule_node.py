"""A node without facts, in the coordinator's process, that knows the rules of an engine and their strata.

Law: it carries out every epoch without its facts, so that its strata are those of all nodes; it also derives what rules
yield without any facts. New nodes receive the rules from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from tidelog.partition.base.limits import Limits
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.plan.work import EpochWork, RuleForm, StrataChange
from tidelog.program.functions.table import Function
from tidelog.runtime.node.node import Node
from tidelog.runtime.one.embedded import EmbeddedRuntime
from tidelog.runtime.protocol.nodes import Nodes
from tidelog.runtime.protocol.service import Service


class RuleNode:
    """Rules, plans and strata of one engine with several partitions."""

    def __init__(self, functions: Mapping[str, tuple[Function, ...]], dictionary: Dictionary) -> None:
        self._runtime = EmbeddedRuntime(functions, dictionary=dictionary)
        self._forms: dict[str, RuleForm] = {}
        self._limits = Limits()

    @property
    def node(self) -> Node:
        """The node itself."""
        return self._runtime.node

    @property
    def arities(self) -> dict[str, int]:
        """The number of columns of every relation."""
        return {name: arity for name in self.node.strata if (arity := self.node.arity(name)) is not None}

    def close(self) -> None:
        """Close the node: no epoch can be run afterwards."""
        self._runtime.close()

    def watch(self, on_slice: Callable[[], None]) -> None:
        """Set what is called between slices of work: rules may derive many facts from none."""
        self._runtime.on_slice = on_slice

    def set_limits(self, limits: Limits) -> None:
        """Set the limits of every epoch from now on."""
        self._limits = limits
        self._runtime.set_limits(limits)

    def adopt(
        self,
        arities: Mapping[str, int],
        groups: Iterable[Iterable[str]],
        rules: Iterable[RuleForm],
        places: Mapping[str, int],
    ) -> None:
        """Take over the strata and rules of a state that was read, by an epoch that derives what needs no facts."""
        self._forms = {form.rule.label or "": form for form in rules}
        strata = StrataChange(tuple(frozenset(group) for group in groups))
        self._runtime.set_limits(Limits())  # the state was built by several epochs, and is one here
        self._runtime.run(EpochWork(arities, added=tuple(self._forms.values()), strata=strata, places=places))
        self._runtime.commit()
        self._runtime.set_limits(self._limits)

    def run(self, work: EpochWork) -> None:
        """Carry out an epoch, without its facts, up to its commit."""
        self._runtime.run(replace(work, inserts={}, deletes={}, staged=(), signed={}))

    def rollback(self) -> None:
        """Undo the epoch that ran last and is not committed."""
        self._runtime.rollback()

    def commit(self, work: EpochWork) -> None:
        """Make the epoch that ran last the committed one."""
        self._runtime.commit()
        for label in work.removed:
            self._forms.pop(label, None)
        self._forms.update((p.rule.label or "", p) for p in (*work.added, *work.retyped))

    def teach(self, nodes: Nodes, places: Mapping[str, int]) -> None:
        """Send the rules to nodes that already hold facts."""
        groups = [sorted(group) for group in self.node.groups]
        nodes.ask(Service.adopt, self.arities, groups, list(self._forms.values()), places)

    def labels(self, stratum: Sequence[str]) -> list[str]:
        """The rules of a stratum."""
        return [label for label, form in self._forms.items() if form.rule.head.predicate in stratum]
