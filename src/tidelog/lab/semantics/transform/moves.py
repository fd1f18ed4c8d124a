"""A transformation: execution after execution, each from the one before by one lemma, each checked.

Law: every execution of a transformation is a legal trace (`trace.check`), begins in the same configuration and ends in
the same one; only complementary pairs are added and removed in between.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tidelog.lab.semantics.annotation import stripped
from tidelog.lab.semantics.fact import Update
from tidelog.lab.semantics.semantics_failures import OTHER_END, TOO_MANY_MOVES
from tidelog.lab.semantics.trace import RunTrace, check
from tidelog.lab.semantics.transform.run import Iteration, Pairs, Run

START = "start"
CHANGES = "changes"
PERMUTE_SAME, PERMUTE_OTHER, MERGE, SPLIT = "Lemma 10", "Lemma 11", "Lemma 12", "Lemma 12, backwards"
WORK_OFF = "Lemma 13"


@dataclass(frozen=True)
class Move:
    """One execution, the lemma that gave it, which iterations it touched, and the pairs that were added or removed."""

    lemma: str
    text: str
    run: Run
    at: int = 0
    size: int = 0
    came: Pairs = ()
    went: Pairs = ()

    @property
    def lemmas(self) -> tuple[str, ...]:
        """The lemma, and Lemma 13 where pairs were added or removed."""
        return (self.lemma, WORK_OFF) if self.came or self.went else (self.lemma,)

    def __str__(self) -> str:
        parts = [f"{' and '.join(self.lemmas)}: {self.text}"]
        parts += [f"{word} {', '.join('±' + name(u)[1:] for u in us)}" for word, us in self._pairs() if us]
        return "; ".join(parts)

    def _pairs(self) -> tuple[tuple[str, Pairs], tuple[str, Pairs]]:
        return (("works off", self.came), ("leaves out", self.went))


class Transformation:
    """The executions from the first to the last."""

    def __init__(self, run: Run, text: str, limit: int) -> None:
        self._end, self._limit = check(run.trace), limit
        self.moves = [Move(START, text, run)]

    @property
    def run(self) -> Run:
        """The execution reached so far."""
        return self.moves[-1].run

    @property
    def before(self) -> RunTrace:
        """The execution at the beginning, with labels."""
        return self.moves[0].run.trace

    @property
    def after(self) -> RunTrace:
        """The execution at the end."""
        return self.run.trace

    def counts(self) -> Counter[str]:
        """How often each lemma was used."""
        return Counter(lemma for move in self.moves[1:] for lemma in move.lemmas)

    def replace(self, lemma: str, text: str, at: int, count: int, new: list[Iteration], after: int = 0) -> None:
        """Replace iterations, check the resulting execution, and keep it."""
        run, came, went = self.run.replaced(at, count, new, after)
        if check(run.trace) != self._end:
            raise OTHER_END.error(lemma=lemma, text=text)
        self.moves.append(Move(lemma, text, run, at, len(new), came, went))
        if len(self.moves) > self._limit:
            raise TOO_MANY_MOVES.error(limit=self._limit)

    def __str__(self) -> str:
        return "\n".join(f"{number:5}  {move}" for number, move in enumerate(self.moves[1:], 1))


def name(update: Update) -> str:
    """An update without its derivation."""
    return str(stripped(update))
