"""Traces: every command of a run with what it sent, to print, to save and to replay.

Law: a trace is legal when each step is a legal application of its command to the configuration that the steps before it
lead to, and sends exactly the updates recorded. Besides the three commands a trace holds the *changes* by which the
world hands updates of base facts to nodes; a deletion handed in has to be contained in the base facts and insertions
so far, which is the precondition of all correctness theorems. `check` accepts nothing else, and believes nothing
because it is written. Saving as JSON is in `trace_json`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tidelog.errors import DataError
from tidelog.lab.semantics import semantics_failures as failures
from tidelog.lab.semantics.bag import Bag
from tidelog.lab.semantics.commands import COMMIT, FIRE, PICK, commit, fire, pick
from tidelog.lab.semantics.configuration import Configuration, Semantics, check_precondition
from tidelog.lab.semantics.errors import IllegalStep
from tidelog.lab.semantics.fact import Fact, Update

CHANGE = "change"


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One command applied to one update; ``sent`` are the updates that a fire derived."""

    command: str
    update: Update
    sent: tuple[Update, ...] = ()

    def __str__(self) -> str:
        sent = f"  sends {', '.join(sorted(map(str, self.sent)))}" if self.sent else ""
        return f"{self.command:6} {self.update}{sent}"


@dataclass(frozen=True)
class RunTrace:
    """A run: where it started and what was done."""

    semantics: Semantics
    start: Configuration
    steps: Sequence[TraceStep] = ()

    def __str__(self) -> str:
        lines = [f"start  {self.start}"]
        lines += [f"{number:5}  {step}" for number, step in enumerate(self.steps, 1)]
        return "\n".join([*lines, f"end    {check(self)}"])


def perform(
    semantics: Semantics, configuration: Configuration, command: str, update: Update
) -> tuple[Configuration, TraceStep]:
    """Apply one command by its name."""
    if command == PICK:
        return pick(semantics, configuration, update), TraceStep(PICK, update)
    if command == FIRE:
        after, sent = fire(semantics, configuration, update)
        return after, TraceStep(FIRE, update, tuple(sent))
    if command == COMMIT:
        return commit(semantics, configuration, update), TraceStep(COMMIT, update)
    if command == CHANGE:
        return configuration.sent(semantics.network, [update]), TraceStep(CHANGE, update)
    raise failures.UNKNOWN_COMMAND.error(command=command, known=", ".join((PICK, FIRE, COMMIT, CHANGE)))


def replay(trace: RunTrace) -> Iterator[Configuration]:
    """The configurations of a trace, the first one included; a step that is not legal is an `IllegalStep`."""
    configuration, base = trace.start, _base_at_start(trace)
    yield configuration
    for number, step in enumerate(trace.steps, 1):
        try:
            if step.command == CHANGE:
                base = check_precondition(base, [step.update])
            configuration, performed = perform(trace.semantics, configuration, step.command, step.update)
        except IllegalStep as error:
            raise error.reworded(f"step {number}: {error}") from error
        except DataError as error:
            raise failures.BAD_CHANGE.error(where=f"step {number}", error=error) from error
        if Counter(performed.sent) != Counter(step.sent):
            sent, recorded = Bag(performed.sent), Bag(step.sent)
            raise failures.OTHER_MESSAGES.error(number=number, update=step.update, sent=sent, recorded=recorded)
        yield configuration


def _base_at_start(trace: RunTrace) -> Counter[Fact]:
    # The start describes base facts by the relations without rules; their waiting updates are checked, too.
    network = trace.semantics.network
    held = Counter({f: n for f, n in trace.start.old.facts().items() if not network.is_derived(f.relation)})
    waiting = [update for update in trace.start.waiting() if not network.is_derived(update.fact.relation)]
    try:
        return check_precondition(held, waiting)
    except DataError as error:
        raise failures.BAD_CHANGE.error(where="start", error=error) from error


def check(trace: RunTrace) -> Configuration:
    """The last configuration of a legal trace; any other is an `IllegalStep` that names the first wrong step."""
    *_, last = replay(trace)
    return last


def iterations(trace: RunTrace) -> list[Bag[Update]]:
    """The updates of each complete iteration: picks, then fires, then commits of the same updates (Definition 3).

    Changes may come between iterations. A trace that cannot be cut into such parts is an `IllegalStep`.
    """
    return [taken for _, taken in _parts(trace)]


def _parts(trace: RunTrace) -> Iterator[tuple[int, Bag[Update]]]:
    position, steps = 0, trace.steps
    while position < len(steps):
        if steps[position].command == CHANGE:
            position += 1
            continue
        taken = _part(trace, position)
        yield position, taken
        position += 3 * len(taken)


def _part(trace: RunTrace, start: int) -> Bag[Update]:
    steps = trace.steps[start:]
    size = next((i for i, step in enumerate(steps) if step.command != PICK), len(steps))
    taken = Bag(trace.semantics.annotation.picked(step.update) for step in steps[:size])
    for command, part in ((FIRE, steps[size : 2 * size]), (COMMIT, steps[2 * size : 3 * size])):
        if not size or Bag(s.update for s in part) != taken or any(s.command != command for s in part):
            raise failures.NO_ITERATION.error(number=start + 1)
    return taken


def is_pipelined(trace: RunTrace) -> bool:
    """Every iteration takes one update, and nothing is left at the end (Definition 5)."""
    return all(len(part) == 1 for part in iterations(trace)) and check(trace).final


def is_synchronous(trace: RunTrace) -> bool:
    """Every iteration takes all updates that wait when it begins, and nothing is left at the end (Definition 7)."""
    configurations = list(replay(trace))
    recorded = trace.semantics.annotation.picked
    takes_all = all(part == Bag(map(recorded, configurations[i].waiting())) for i, part in _parts(trace))
    return takes_all and configurations[-1].final
