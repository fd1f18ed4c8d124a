"""What all executions share: complete iterations over a configuration, with the messages that carry its updates.

Law (PPDP 2011, Definition 3): a complete iteration picks some updates, fires exactly these, commits exactly these. For
programs without recursion every execution built of complete iterations ends in the same tables, whatever their sizes.
How many updates an iteration takes is said by the subclass (`size`), which ones by the schedule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import ClassVar

from tidelog.lab.semantics.algorithm import Event, Message, Schedule, Tables
from tidelog.lab.semantics.annotation import PLAIN, Annotation
from tidelog.lab.semantics.commands import COMMIT, FIRE, PICK, pickable
from tidelog.lab.semantics.configuration import Configuration, Semantics, check_precondition
from tidelog.lab.semantics.delta import axioms
from tidelog.lab.semantics.fact import INSERT, Fact, Occurrence, Update
from tidelog.lab.semantics.mail import Mail, MessageCounts
from tidelog.lab.semantics.network import prepare
from tidelog.lab.semantics.semantics_failures import NO_PICK
from tidelog.lab.semantics.trace import CHANGE, RunTrace, TraceStep, perform
from tidelog.program import Program


def complete_iteration(
    semantics: Semantics, configuration: Configuration, updates: Iterable[Update]
) -> tuple[Configuration, list[TraceStep]]:
    """Pick the updates in the order given, fire them, commit them."""
    steps: list[TraceStep] = []
    recorded: list[Update] = []
    for update in updates:
        configuration, step = perform(semantics, configuration, PICK, update)
        steps.append(step)
        recorded.append(semantics.annotation.picked(update))
    for command in (FIRE, COMMIT):
        for update in recorded:
            configuration, step = perform(semantics, configuration, command, update)
            steps.append(step)
    return configuration, steps


def run_all(semantics: Semantics, configuration: Configuration) -> tuple[Configuration, list[TraceStep]]:
    """One synchronous iteration: all waiting updates, insertions before deletions so that every deletion finds its
    fact."""
    return complete_iteration(semantics, configuration, sorted(configuration.waiting(), key=lambda u: -u.sign))


class Execution(MessageCounts):
    """An algorithm made of complete iterations.

    ``annotation`` says what occurrences carry, ``sets`` whether tables are sets, ``central`` puts all facts on one
    node, ``record`` keeps the trace.
    """

    name: ClassVar[str] = "execution"
    traceable: ClassVar[bool] = True
    """Whether a run consists of the papers' commands alone, so that its trace can be checked."""

    def __init__(
        self, annotation: Annotation = PLAIN, *, sets: bool = False, central: bool = False, record: bool = False
    ) -> None:
        super().__init__()
        self._annotation, self._sets, self._central, self._record = annotation, sets, central, record
        self._steps: list[TraceStep] = []
        self._base: Counter[Fact] = Counter()

    def load(self, program: Program, facts: Iterable[Fact] = ()) -> None:
        """Start from empty tables; every base fact is an insertion under way."""
        network = prepare(program, central=self._central)
        self.semantics = Semantics(network, self._annotation, self._sets)
        self.configuration = Configuration()
        self._mail = Mail()
        self._ready: dict[int, Message] = {}
        self._deletions: dict[Occurrence, dict[int, Message]] = {}
        self._steps = []
        self._base = Counter()
        self._post(axioms(network, self._annotation))
        self._start = self.configuration
        self.apply(Update(INSERT, fact) for fact in (*network.facts, *facts))

    def apply(self, changes: Iterable[Update]) -> None:
        """Send changes of base facts; a deletion without its fact is a `DataError`."""
        updates = list(changes)
        self._base = check_precondition(self._base, updates)
        self._post(updates)
        if self._record:
            self._steps += [TraceStep(CHANGE, update) for update in updates]

    def _post(self, updates: list[Update]) -> None:
        network = self.semantics.network
        self.configuration = self.configuration.sent(network, updates)
        self._admit(self._mail.send(network, None, updates))

    def size(self) -> int:
        """How many updates the next iteration takes."""
        return 1

    def pending(self) -> tuple[Message, ...]:
        """The messages that may be picked now."""
        return tuple(self._ready.values())

    def _admit(self, messages: Iterable[Message]) -> None:
        """Sort new messages into those that may be picked now and deletions that have to wait for their fact."""
        for message in messages:
            if message.update.sign < 0:
                self._deletions.setdefault(self._occurrence(message), {})[message.number] = message
            if pickable(self.semantics, self.configuration, message.update):
                self._ready[message.number] = message

    def _occurrence(self, message: Message) -> Occurrence:
        return self.semantics.annotation.picked(message.update).occurrence

    def _take(self, message: Message) -> None:
        """The message has been picked: its fact may have come for the deletions that wait for it, or have gone."""
        self._mail.take(message)
        del self._ready[message.number]
        occurrence = self._occurrence(message)
        waiting = self._deletions.get(occurrence, {})
        waiting.pop(message.number, None)
        if self.configuration.new.holds(message.target, occurrence):
            if not waiting.keys() <= self._ready.keys():
                self._ready = dict(sorted({**self._ready, **waiting}.items()))
        else:
            for number in waiting:
                self._ready.pop(number, None)

    def step(self, schedule: Schedule) -> Event:
        """One complete iteration of updates that the schedule chooses."""
        taken: list[Message] = []
        for _ in range(self.size()):
            choices = self.pending()
            if not choices:
                break
            message = schedule.choose(choices)
            self._perform(PICK, message.update)
            self._take(message)
            taken.append(message)
        if not taken:
            raise NO_PICK.error(waiting=", ".join(map(str, self._mail.pending())))
        return self._finish(taken)

    def _finish(self, taken: list[Message]) -> Event:
        recorded = [(m.target, self.semantics.annotation.picked(m.update)) for m in taken]
        sent: list[Message] = []
        for node, update in recorded:
            fired = self._perform(FIRE, update)
            messages = self._mail.send(self.semantics.network, node, fired.sent)
            self._admit(messages)
            sent += messages
        for _, update in recorded:
            self._perform(COMMIT, update)
        note = ", ".join(str(m) for m in taken)
        return Event("deliver", taken[0] if len(taken) == 1 else None, tuple(sent), note)

    def _perform(self, command: str, update: Update) -> TraceStep:
        self.configuration, step = perform(self.semantics, self.configuration, command, update)
        if self._record:
            self._steps.append(step)
        return step

    def trace(self) -> RunTrace:
        """Changes and commands since the program was loaded; recorded only on request."""
        return RunTrace(self.semantics, self._start, tuple(self._steps))

    def quiescent(self) -> bool:
        """All updates have been processed."""
        return self.configuration.final

    def tables(self) -> Tables:
        """The tables without ν."""
        return self.configuration.old.tables()

    def canonical(self) -> Hashable:
        """The configuration: what the future depends on."""
        return self.configuration

    @property
    def base(self) -> Counter[Fact]:
        """The base facts after all changes so far."""
        return self._base
