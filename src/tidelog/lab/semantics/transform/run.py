"""An execution as a list of complete iterations, and what becomes of it when some of them are replaced.

Law (Lemma 13): if other iterations lead to the same tables and to updates that differ in complementary pairs only, the
rest of the execution can be kept. Pairs that come are worked off: +p and then -p change nothing but for pairs of what
they derive, which are worked off in turn. Pairs that go are taken out of the rest, with everything that is derived from
them. Every occurrence has its own derivation (`labels`), so it is plain what that is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from tidelog.lab.semantics.annotation import Tree, tree_of
from tidelog.lab.semantics.bag import Bag
from tidelog.lab.semantics.configuration import Configuration, Semantics
from tidelog.lab.semantics.executions.execution import complete_iteration
from tidelog.lab.semantics.fact import Update, order
from tidelog.lab.semantics.semantics_failures import NO_END_OF_PAIRS, NOT_PAIRS
from tidelog.lab.semantics.theory import complement
from tidelog.lab.semantics.trace import RunTrace, TraceStep

Iteration: TypeAlias = tuple[Update, ...]
"""The updates of a complete iteration in the order of picking."""

MOST_PAIRS = 150


@dataclass(frozen=True)
class Run:
    """Where an execution starts and its iterations."""

    semantics: Semantics
    start: Configuration
    iterations: tuple[Iteration, ...]

    @cached_property
    def configurations(self) -> tuple[Configuration, ...]:
        """Before each iteration, and at the end."""
        return tuple(_followed(self.semantics, self.start, self.iterations))

    @cached_property
    def trace(self) -> RunTrace:
        """The execution command by command."""
        steps: list[TraceStep] = []
        for configuration, iteration in zip(self.configurations, self.iterations, strict=False):
            steps += complete_iteration(self.semantics, configuration, iteration)[1]
        return RunTrace(self.semantics, self.start, tuple(steps))

    def replaced(self, at: int, count: int, new: Sequence[Iteration], after: int) -> tuple[Run, Pairs, Pairs]:
        """Other iterations instead of ``count`` from ``at`` on; the pairs that come so, and those that go.

        Pairs that come are worked off ``after`` that many of the iterations that follow.
        """
        before, reached = self.configurations[at], self.configurations[at + count]
        now = _followed(self.semantics, before, new)[-1]
        if now.old != reached.old:
            raise NOT_PAIRS.error(what="other tables")
        came, went = _pairs(now.waiting(), reached.waiting()), _pairs(reached.waiting(), now.waiting())
        rest = _without(self.iterations[at + count :], [tree_of(update) for update in went])
        there = _followed(self.semantics, now, rest[:after])[-1]
        block = _worked_off(self.semantics, there, came)
        iterations = (*self.iterations[:at], *new, *rest[:after], *block, *rest[after:])
        return Run(self.semantics, self.start, iterations), came, went


Pairs: TypeAlias = tuple[Update, ...]
"""Pairs of complementary updates, each identified by its insertion."""


def _followed(
    semantics: Semantics, configuration: Configuration, iterations: Sequence[Iteration]
) -> list[Configuration]:
    reached = [configuration]
    for iteration in iterations:
        configuration, _ = complete_iteration(semantics, configuration, iteration)
        reached.append(configuration)
    return reached


def _pairs(here: Bag[Update], there: Bag[Update]) -> Pairs:
    """What waits here and not there: pairs of complementary updates, or the two cannot be exchanged."""
    extra = Counter(here.counts()) - Counter(there.counts())
    if any(extra[complement(update)] != count for update, count in extra.items()):
        raise NOT_PAIRS.error(what=f"other updates: {Bag(extra.elements())!r}")
    return tuple(sorted((update for update in extra.elements() if update.sign > 0), key=order))


def _without(iterations: Sequence[Iteration], gone: Sequence[Tree]) -> list[Iteration]:
    """The iterations without what is derived from occurrences that no longer come."""
    if not gone:
        return list(iterations)
    kept = (
        tuple(u for u in iteration if not any(tree_of(u).contains(tree) for tree in gone)) for iteration in iterations
    )
    return [iteration for iteration in kept if iteration]


def _worked_off(semantics: Semantics, configuration: Configuration, pairs: Pairs) -> list[Iteration]:
    """Iterations that process the pairs and all that they derive; what is left is what would be left without them."""
    todo, done = list(pairs), list[Iteration]()
    while todo:
        insertion = todo.pop(0)
        block: list[Iteration] = [(insertion,), (complement(insertion),)]
        left = configuration.waiting().minus(insertion).minus(complement(insertion))
        configuration = _followed(semantics, configuration, block)[-1]
        todo = [*_pairs(configuration.waiting(), left), *todo]
        done += block
        if len(done) > 2 * MOST_PAIRS:
            raise NO_END_OF_PAIRS.error(limit=MOST_PAIRS)
    return done
