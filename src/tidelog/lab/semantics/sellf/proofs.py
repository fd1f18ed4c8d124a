"""Executions, iterations, PSN- and SN-proofs (LAM 2010L, definitions 1 to 3), from traces to proofs and back.

Law: a trace of commands and a derivation from neutral sequent to neutral sequent are the same thing written twice.
`derivation_of` turns a trace, and the fact queried at its end, into rules; `trace_of` reads the commands off rules
that the checker has accepted. Both refuse what is not there to translate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tidelog.lab.semantics.bag import Bag
from tidelog.lab.semantics.commands import COMMIT
from tidelog.lab.semantics.configuration import Semantics
from tidelog.lab.semantics.fact import Fact, Update
from tidelog.lab.semantics.sellf import instructions as i
from tidelog.lab.semantics.sellf import rules as r
from tidelog.lab.semantics.sellf.checker import Theory, sequents
from tidelog.lab.semantics.sellf.encoding import (
    BASIC_COMMANDS,
    FIRE,
    PICK,
    QUERY,
    UPDATE,
    configuration_of,
    sequent_of,
    theory_of,
    triple,
    update_of,
    updates_in,
)
from tidelog.lab.semantics.sellf.rules import Rule, SequentDerivation
from tidelog.lab.semantics.sellf.search import SearchResult, executions
from tidelog.lab.semantics.sellf.sequent import Sequent
from tidelog.lab.semantics.semantics_failures import NO_ANSWER, NO_EXECUTION, NOT_CUT
from tidelog.lab.semantics.trace import RunTrace, TraceStep

_COMMANDS = {PICK: PICK, FIRE: FIRE, COMMIT: UPDATE}
"""The names that traces use, with those of the paper."""
_NAMES = {ours: theirs for theirs, ours in _COMMANDS.items()}


@dataclass(frozen=True)
class CommandExecution:
    """One execution of a basic command (definition 1): which one, what it uses, and the sequents below and above."""

    command: str
    used: Update | None
    below: Sequent
    above: Sequent | None


@dataclass(frozen=True)
class Iteration:
    """A complete iteration (definition 2): the updates that it uses, and those that waited when it began."""

    used: Bag[Update]
    waiting: Bag[Update]

    @property
    def pipelined(self) -> bool:
        """A PSN-iteration uses one update."""
        return len(self.used) == 1

    @property
    def synchronous(self) -> bool:
        """An SN-iteration uses all updates that its end sequent has."""
        return self.used == self.waiting


def derivation_of(trace: RunTrace, asked: Fact | None = None) -> SequentDerivation:
    """The derivation of a trace; with a queried fact, closed by `query` into a proof."""
    theory = theory_of(trace.semantics.network)
    end = sequent = sequent_of(trace.semantics, trace.start, asked)
    rules: list[Rule] = []
    for number, step in enumerate(trace.steps, 1):
        found = _executed(theory, sequent, step)
        if found is None or found.premise is None:
            raise NO_EXECUTION.error(number=number, step=step)
        rules += found.rules
        sequent = found.premise
    if asked is not None:
        answer = next(executions(theory, sequent, _decided(QUERY)), None)
        if answer is None:
            raise NO_ANSWER.error(asked=asked)
        rules += answer.rules
    return SequentDerivation(end, tuple(rules))


def _executed(theory: Theory, sequent: Sequent, step: TraceStep) -> SearchResult | None:
    if step.command not in _COMMANDS:
        return None
    return next(executions(theory, sequent, _decided(_COMMANDS[step.command]), triple(step.update)), None)


def _decided(command: str) -> r.Decide:
    return r.Decide(i.INFINITY, BASIC_COMMANDS[command])


def executions_of(theory: Theory, derivation: SequentDerivation) -> Iterator[CommandExecution]:
    """The executions of basic commands that make up a derivation; one that stops inside a command is refused."""
    begin = 0
    below: Sequent | None = None
    for number, goals in enumerate(sequents(theory, derivation)):
        if goals and not (len(goals) == 1 and goals[0].neutral):
            continue
        above = goals[0] if goals else None
        if below is not None:
            yield _execution(derivation.rules[begin:number], below, above)
        begin, below = number, above
    if begin != len(derivation.rules):
        raise NOT_CUT.error(why="it ends inside a command")


def _execution(rules: Sequence[Rule], below: Sequent, above: Sequent | None) -> CommandExecution:
    name = next(name for name in BASIC_COMMANDS if rules[0] == _decided(name))
    terms = [rule.term for rule in rules if isinstance(rule, r.Witness)]
    return CommandExecution(name, None if name == QUERY else update_of(terms[:3]), below, above)


def iterations_of(done: Sequence[CommandExecution]) -> list[Iteration]:
    """The complete iterations of a sequence of executions: picks, then fires, then updates of the same multiset."""
    found: list[Iteration] = []
    rest = list(done)
    while rest:
        size = next((at for at, each in enumerate(rest) if each.command != PICK), len(rest))
        parts = [rest[at * size : (at + 1) * size] for at in range(3)]
        names = [{each.command for each in part} for part in parts]
        used = [Bag(each.used for each in part if each.used is not None) for part in parts]
        if names != [{PICK}, {FIRE}, {UPDATE}] or used[0] != used[1] or used[0] != used[2]:
            raise NOT_CUT.error(why=f"no complete iteration starts at command {len(done) - len(rest) + 1}")
        found.append(Iteration(used[0], Bag(updates_in(rest[0].below, i.UPD))))
        rest = rest[3 * size :]
    return found


def proof_iterations(theory: Theory, derivation: SequentDerivation) -> list[Iteration]:
    """The iterations of a proof (definition 3): complete iterations followed by one execution of `query`."""
    done = list(executions_of(theory, derivation))
    if not done or done[-1].command != QUERY or done[-1].above is not None:
        raise NOT_CUT.error(why="it does not end with query")
    return iterations_of(done[:-1])


def is_psn_proof(theory: Theory, derivation: SequentDerivation) -> bool:
    """Whether a proof consists of PSN-iterations."""
    return all(each.pipelined for each in proof_iterations(theory, derivation))


def is_sn_proof(theory: Theory, derivation: SequentDerivation) -> bool:
    """Whether a proof consists of SN-iterations."""
    return all(each.synchronous for each in proof_iterations(theory, derivation))


def trace_of(semantics: Semantics, derivation: SequentDerivation) -> RunTrace:
    """The trace that a derivation represents; `query` changes nothing and leaves no step."""
    theory = theory_of(semantics.network)
    steps = [_step(each) for each in executions_of(theory, derivation) if each.command != QUERY]
    return RunTrace(semantics, configuration_of(semantics, derivation.end), tuple(steps))


def _step(execution: CommandExecution) -> TraceStep:
    assert execution.used is not None, "only query uses no update"
    assert execution.above is not None, "only query closes a proof"
    sent: Bag[Update] = Bag()
    if execution.command == FIRE:
        sent = Bag(updates_in(execution.above, i.UPD))
        for update in updates_in(execution.below, i.UPD):
            sent = sent.minus(update)
    return TraceStep(_NAMES[execution.command], execution.used, tuple(sent))
