"""What a change costs: messages, bytes, updates and rounds, per algorithm and epoch.

Law: only messages between different nodes are traffic. A cell is exact, or says by "> N" that the limit on messages was
reached, in which case the cells after it are unknown too; a cell is never an estimate. Every finished run is compared
with evaluation from scratch, so that a cheap algorithm that is wrong shows as wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from tidelog.errors import EngineError
from tidelog.lab.semantics.algorithm import Algorithm, Schedule, Tables, as_sets
from tidelog.lab.semantics.errors import StuckError
from tidelog.lab.semantics.fact import Fact, Update
from tidelog.lab.semantics.network import prepare
from tidelog.lab.semantics.scratch import model_tables
from tidelog.lab.semantics.traffic.record import RecordingSchedule, RoundCounter
from tidelog.program import Program

LOCAL_SHARE = 10
"""An algorithm that hardly sends is stopped too: after this many times the limit of updates."""
USUAL_SIZE = 200
"""An algorithm whose messages grow is stopped too: after this many bytes per message of the limit."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The traffic of one epoch under one algorithm.

    ``state`` is right, wrong, stuck, over limit, refused, or unknown (after an epoch that did not end).
    """

    messages: int = 0
    bytes: int = 0
    updates: int = 0
    rounds: int = 0
    state: str = "right"

    def text(self, measure: str) -> str:
        """A cell of a table: the number, ``> N`` over the limit, an exclamation mark behind a wrong state."""
        if self.state in ("refused", "unknown"):
            return "-" if self.state == "refused" else "?"
        if self.state == "over limit":
            return f"> {getattr(self, measure)}"
        mark = {"right": "", "wrong": " !", "stuck": " stuck"}[self.state]
        return f"{getattr(self, measure)}{mark}"


Judge = Callable[[frozenset[Fact], Tables], bool]
"""Whether these tables are right for these base facts."""


class Scratch:
    """The judge that evaluates from scratch; it remembers its answers, since all algorithms are asked the same."""

    def __init__(self, program: Program) -> None:
        self._network = prepare(program)
        self._known: dict[frozenset[Fact], object] = {}

    def __call__(self, base: frozenset[Fact], tables: Tables) -> bool:
        """Whether the tables are the least model over the base facts."""
        if base not in self._known:
            self._known[base] = as_sets(model_tables(self._network, base))
        return self._known[base] == as_sets(tables)


def measure(
    algorithm: Algorithm,
    schedule: Schedule,
    program: Program,
    facts: Sequence[Fact],
    epochs: Iterable[Sequence[Update]],
    limit: int,
    judge: Judge | None = None,
) -> list[Cost]:
    """The cost of loading the facts and of each epoch; stops early where an epoch does not end well."""
    try:
        algorithm.load(program, facts)
    except EngineError:
        return [Cost(state="refused")]
    right = Scratch(program) if judge is None else judge
    base, costs = frozenset(facts), list[Cost]()
    for changes in ((), *epochs):
        base = (base | {u.fact for u in changes if u.sign > 0}) - {u.fact for u in changes if u.sign < 0}
        algorithm.apply(changes)
        cost = _epoch(algorithm, schedule, limit)
        if cost.state == "right" and not right(base, algorithm.tables()):
            cost = replace(cost, state="wrong")
        costs.append(cost)
        if cost.state in ("over limit", "stuck"):
            break
    return costs


def _epoch(algorithm: Algorithm, schedule: Schedule, limit: int) -> Cost:
    start = _books(algorithm)
    clock, watched, state = RoundCounter(), RecordingSchedule(schedule), "right"
    while state == "right" and not algorithm.quiescent():
        try:
            event = algorithm.step(watched)
        except StuckError:
            state = "stuck"
            break
        clock.see(watched.taken(), event.sent)
        messages, size, updates = (now - then for now, then in zip(_books(algorithm), start, strict=True))
        if messages > limit or updates > LOCAL_SHARE * limit or size > USUAL_SIZE * limit:
            state = "over limit"
    messages, size, updates = (now - then for now, then in zip(_books(algorithm), start, strict=True))
    return Cost(messages, size, updates, clock.rounds, state)


def _books(algorithm: Algorithm) -> tuple[int, int, int]:
    return algorithm.messages, algorithm.bytes, algorithm.updates
