"""Hand the facts of nodes behind a coordinator over to other partitions, or take over the facts of others.

Law: the old partitions change nothing, and continue as before if no others take over. Until the new state is recorded,
lost nodes cannot be restarted with it: if that happens, the new partitions are abandoned, and the old ones continue.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tidelog.program.values.term import Value
from tidelog.runtime.base.call import Call
from tidelog.runtime.protocol.service import Service
from tidelog.store.image.image import Image, RelationImage

if TYPE_CHECKING:
    from tidelog.plan.ruleset import Ruleset, Schema
    from tidelog.runtime.base.distribution import Distribution
    from tidelog.runtime.base.runs import Runs
    from tidelog.runtime.one.rule_node import RuleNode
    from tidelog.runtime.protocol.handover import RestartPoint
    from tidelog.runtime.protocol.nodes import Nodes
    from tidelog.runtime.protocol.recovery import Recovery
    from tidelog.store.folder.durable import Durable, EpochRecord


NodeContent = tuple[dict[str, RelationImage], list[tuple[int, Value]], int]


def _part(image: Image, name: str | None) -> NodeContent:
    """A part of an image, which is one relation or everything else: messages are no larger than necessary."""
    if name is None:
        return {}, list(image.entries.items()), image.clock
    return {name: image.relations[name]} if name in image.relations else {}, [], image.clock


@dataclass(frozen=True, slots=True)
class HandoverOfNodes:
    """The handing over of facts on nodes behind a coordinator; ``beginning`` is shared with it."""

    nodes: Nodes
    recovery: Recovery
    rules: RuleNode
    runs: Runs
    distribution: Callable[[], Distribution]
    beginning: RestartPoint

    def images(self) -> list[Image]:
        """What each partition holds; entries only if every partition has a separate dictionary."""
        ask, nodes = self.recovery.ask, self.nodes
        found = [Image(clock=clock) for clock in ask(lambda: nodes.ask(Service.clock))]
        for name in sorted({name for sizes in ask(lambda: nodes.ask(Service.sizes)) for name in sizes if sizes[name]}):
            for image, held in zip(found, ask(partial(nodes.ask, Service.image, name)), strict=True):
                if held is not None:
                    image.relations[name] = held
        if nodes.session is not None:
            for image, entries in zip(found, ask(lambda: nodes.ask(Service.owned_entries)), strict=True):
                image.entries = dict(entries)
        return found

    def rest(self) -> None:
        """Read changes that are still referenced; nodes on Spark stop, and start again with the next request."""
        self.runs.settle()
        if self.nodes.session is not None:
            self.recovery.take_turn()
            self.recovery.lose()
            self.nodes.rest()

    def go_on(self) -> None:
        """Let the next request restart the nodes, unless they are closed."""
        self.nodes.go_on()
        self.recovery.end_turn()

    def take(self, images: Sequence[Image]) -> None:
        """Empty partitions take over what others held."""
        self.beginning.store = None
        for name in [None, *sorted({name for image in images for name in image.relations})]:
            calls = [Call(Service.take_image, *_part(image, name)) for image in images]
            self.recovery.repeat(partial(self.nodes.ask_each, calls))

    def record(self, durable: Durable, epoch: int, rules: Ruleset, schema: Schema, note: EpochRecord) -> None:
        """Each partition makes all that it holds durable; then the epoch is recorded."""
        notes = self.recovery.repeat(lambda: self.nodes.ask(Service.write_anew, epoch, dict(schema)))
        durable.record_anew(epoch, self.rules.node, rules, note, notes, self.distribution().places)
        self.beginning.store, self.beginning.epoch, self.beginning.begun = durable.store, epoch, epoch
