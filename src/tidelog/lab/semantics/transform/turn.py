"""Pipelined executions into synchronous ones and back, step by step (LAM 2010, Theorem 4; PPDP 2011, Theorem 14).

Law: for a program on which pairs of complementary updates die out, `to_semi_naive` ends with an execution in which
every iteration takes all that waits, `to_pipelined` with one in which every iteration takes one update. Both begin and
end in the configurations of the given execution, and so does every execution between.

To the synchronous side, level by level: the iterations that take what waits at the beginning are permuted to the front
(Lemmas 10 and 11) and merged (Lemma 12); then the same for the rest. Back: the last update of an iteration is split off
until one is left (Lemma 12, backwards). The last, and not any: a deletion may need an insertion picked before it, which
is the side condition that Lemma 12 lacks in print. Iterations of other sizes are split first, as the discussion after
Corollary 15 has it. Pairs that are added or removed in between are Lemma 13's.
"""

from __future__ import annotations

from tidelog.lab.semantics.annotation import LabelledAnnotation
from tidelog.lab.semantics.commands import PICK
from tidelog.lab.semantics.fact import Update
from tidelog.lab.semantics.semantics_failures import NOT_ENDED
from tidelog.lab.semantics.trace import RunTrace, check, iterations
from tidelog.lab.semantics.transform.labels import labelled, last_burst
from tidelog.lab.semantics.transform.moves import MERGE, PERMUTE_OTHER, PERMUTE_SAME, SPLIT, Transformation, name
from tidelog.lab.semantics.transform.run import Iteration, Run

MOST_MOVES = 2_000


def to_semi_naive(trace: RunTrace, limit: int = MOST_MOVES) -> Transformation:
    """The last burst of an execution of complete iterations turned into a synchronous execution."""
    turning = to_pipelined(trace, limit)
    position = 0
    while position < len(turning.run.iterations):
        level = set(turning.run.configurations[position].waiting())
        _bring_to_front(turning, position, level)
        for left in range(len(level) - 2, -1, -1):
            _merge(turning, position, left)
        position += 1
    return turning


def to_pipelined(trace: RunTrace, limit: int = MOST_MOVES) -> Transformation:
    """The last burst of an execution of complete iterations turned into an execution of single updates."""
    turning = Transformation(_run_of(trace), "the execution given", limit)
    position = 0
    while position < len(turning.run.iterations):
        while len(turning.run.iterations[position]) > 1:
            _split(turning, position)
        position += 1
    return turning


def _run_of(trace: RunTrace) -> Run:
    """The iterations of the last burst of a trace, with labels; its changes all come at the start."""
    known = trace if isinstance(trace.semantics.annotation, LabelledAnnotation) else last_burst(labelled(trace))
    if not check(known).final:
        raise NOT_ENDED.error()
    iterations(known)
    parts: list[Iteration] = []
    picks: list[Update] = []
    for step in known.steps:
        if step.command == PICK:
            picks.append(step.update)
        elif picks:
            parts.append(tuple(picks))
            picks = []
    return Run(known.semantics, known.start, tuple(parts))


def _bring_to_front(turning: Transformation, position: int, level: set[Update]) -> None:
    """Permute the iterations that take these updates to the front, in the order in which they come."""
    for front in range(position, position + len(level)):
        found = next(i for i in range(front, len(turning.run.iterations)) if turning.run.iterations[i][0] in level)
        for at in range(found - 1, front - 1, -1):
            _swap(turning, at)


def _swap(turning: Transformation, at: int) -> None:
    (first,), (second,) = turning.run.iterations[at : at + 2]
    lemma = PERMUTE_SAME if first.sign == second.sign else PERMUTE_OTHER
    turning.replace(lemma, f"{name(second)} before {name(first)}", at, 2, [(second,), (first,)])


def _merge(turning: Transformation, at: int, left: int) -> None:
    """Take the next update into an iteration; pairs are worked off after those that are still to be merged."""
    larger, (update,) = turning.run.iterations[at : at + 2]
    turning.replace(MERGE, f"{name(update)} into {_names(larger)}", at, 2, [(*larger, update)], left)


def _split(turning: Transformation, at: int) -> None:
    *larger, update = turning.run.iterations[at]
    text = f"{name(update)} out of {_names(turning.run.iterations[at])}"
    turning.replace(SPLIT, text, at, 1, [tuple(larger), (update,)])


def _names(iteration: Iteration) -> str:
    return "{" + ", ".join(map(name, iteration)) + "}"
