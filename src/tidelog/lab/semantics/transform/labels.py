"""Traces in which every occurrence is distinct: copies of base facts are numbered, derived facts have their trees.

The proofs read a multiset of facts as a set of such occurrences. A trace without them only shows that *a* copy was
picked; which one it was is decided here.

Law: without labels the labelled trace is the given one, as long as every deletion that it picks can be that of a copy
which is there. A deletion picked for another copy waits until its own copy has arrived; the remaining pairs of an
insertion and its deletion are processed at the end. The final tables are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tidelog.lab.semantics.annotation import DerivationNote, LabelledAnnotation, Tree, stripped
from tidelog.lab.semantics.bag import Bag
from tidelog.lab.semantics.commands import PICK, pickable
from tidelog.lab.semantics.configuration import Configuration, Semantics, without_selections
from tidelog.lab.semantics.delta import axioms
from tidelog.lab.semantics.executions.execution import complete_iteration
from tidelog.lab.semantics.fact import Update, order
from tidelog.lab.semantics.semantics_failures import NOT_ENDED, NOT_FROM_SCRATCH
from tidelog.lab.semantics.theory import Copies
from tidelog.lab.semantics.trace import CHANGE, RunTrace, TraceStep, check, iterations, perform, replay


def labelled(trace: RunTrace) -> RunTrace:
    """The trace with labels. It begins with empty tables, is made of complete iterations, and leaves no update."""
    if trace.start.old.nodes() or trace.start.new.nodes() or not trace.start.settled:
        raise NOT_FROM_SCRATCH.error()
    iterations(trace)
    if not check(trace).final:
        raise NOT_ENDED.error()
    labels = _Labels(trace)
    for part in _parts(trace.steps):
        labels.follow(part)
    labels.finish()
    return RunTrace(labels.semantics, labels.start, tuple(labels.steps))


def last_burst(trace: RunTrace) -> RunTrace:
    """What happens after the last time that nothing was left and changes came.

    All changes since then wait at its start: a change may as well come earlier, it only waits longer.
    """
    begin, start = 0, trace.start
    for number, (configuration, step) in enumerate(zip(replay(trace), trace.steps, strict=False)):
        if step.command == CHANGE and configuration.final:
            begin, start = number, configuration
    changes = [step.update for step in trace.steps[begin:] if step.command == CHANGE]
    steps = tuple(step for step in trace.steps[begin:] if step.command != CHANGE)
    return RunTrace(trace.semantics, start.sent(trace.semantics.network, changes), steps)


def _parts(steps: Sequence[TraceStep]) -> Iterator[list[TraceStep]]:
    """The changes one by one, and the picks of each complete iteration together."""
    picks: list[TraceStep] = []
    for step in steps:
        if step.command == PICK:
            picks.append(step)
            continue
        if picks:
            yield picks
            picks = []
        if step.command == CHANGE:
            yield [step]


class _Labels:
    """A labelled trace that grows along one without labels."""

    def __init__(self, trace: RunTrace) -> None:
        given = trace.semantics
        without_selections(given.network, "to_semi_naive")
        self.semantics = Semantics(given.network, LabelledAnnotation(given.annotation), given.sets)
        self._copies = Copies()
        self._waiting: list[Update] = []  # deletions whose own copy has not come yet
        unbased = Bag(axioms(given.network, given.annotation))
        based = [u for u in trace.start.waiting() if u not in unbased]
        self.start = Configuration().sent(
            given.network, [*axioms(given.network, self.semantics.annotation), *map(self._base, based)]
        )
        self.configuration, self.steps = self.start, list[TraceStep]()

    def _base(self, update: Update) -> Update:
        tree = self._copies.numbered(update).note
        assert isinstance(tree, Tree), "copies are numbered with leaves"
        return update._replace(note=DerivationNote((), tree))

    def follow(self, part: list[TraceStep]) -> None:
        """Do what a change or an iteration does."""
        if part[0].command == CHANGE:
            self.configuration, step = perform(self.semantics, self.configuration, CHANGE, self._base(part[0].update))
            self.steps.append(step)
            return
        self._iteration([step.update for step in part])
        self._retry()

    def finish(self) -> None:
        """Work off what is left: insertions before deletions, so that every deletion finds its copy."""
        while not self.configuration.final:
            first = min(self.configuration.waiting().distinct(), key=lambda u: (-u.sign, order(u)))
            self._perform([first])

    def _retry(self) -> None:
        """Deletions that can be picked by now, one iteration each."""
        done = True
        while done:
            done = False
            for update in list(self._waiting):
                chosen = self._choose(update, self.configuration)
                if chosen is not None:
                    self._waiting.remove(update)
                    self._perform([chosen])
                    done = True

    def _iteration(self, wanted: list[Update]) -> None:
        """The same updates; inside an iteration a deletion may have to come after an insertion."""
        chosen, seen, late = list[Update](), self.configuration, list[Update]()
        for update in (*wanted, None):
            for asked in late if update is None else [update]:
                found = self._choose(asked, seen)
                if found is not None:
                    seen, _ = perform(self.semantics, seen, PICK, found)
                    chosen.append(found)
                elif update is None:
                    self._waiting.append(asked)
                else:
                    late.append(asked)
        if chosen:
            self._perform(chosen)

    def _choose(self, wanted: Update, configuration: Configuration) -> Update | None:
        fitting = [
            update
            for update in configuration.waiting().distinct()
            if stripped(update) == wanted and pickable(self.semantics, configuration, update)
        ]
        return min(fitting, key=order, default=None)

    def _perform(self, updates: list[Update]) -> None:
        self.configuration, steps = complete_iteration(self.semantics, self.configuration, updates)
        self.steps += steps
