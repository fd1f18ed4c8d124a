"""The algorithms by the names under which users select them.

Law: every name makes a fresh algorithm that keeps the `Algorithm` protocol and calls itself by that name; a few words
about each are shown with the result of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from tidelog.lab.semantics.algorithm import Algorithm, Schedule
from tidelog.lab.semantics.baselines import (
    BaseFacts,
    Heights,
    NumberedBaseFacts,
    UncheckedBaseline,
    UnsynchronisedHeights,
)
from tidelog.lab.semantics.derivation_sets import ExtendedExecution, ExtendedSynchronous
from tidelog.lab.semantics.dred import DRed
from tidelog.lab.semantics.executions import (
    UNLIMITED,
    AcknowledgedExecution,
    BatchedExecution,
    CancellingExecution,
    Execution,
    LossyExecution,
    PipelinedExecution,
    PipelinedSets,
    RandomLosses,
    SetSemiNaive,
    SynchronousExecution,
    SynchronousSets,
)
from tidelog.lab.semantics.explore import Explorable
from tidelog.lab.semantics.original import Original
from tidelog.lab.semantics.ranked import RankedAlgorithm
from tidelog.lab.semantics.semantics_failures import NO_LOSSES, NOT_ONE_BY_ONE, UNKNOWN_ALGORITHM


@dataclass(frozen=True, slots=True)
class AlgorithmEntry:
    """An algorithm to choose from."""

    make: Callable[[], Algorithm]
    about: str
    one_by_one: bool = True
    """Whether a step takes one message, so that all schedules can be followed."""


ALGORITHMS: Mapping[str, AlgorithmEntry] = {
    "ranked": AlgorithmEntry(RankedAlgorithm, "ranked support, Tidelog's own"),
    "sn": AlgorithmEntry(SynchronousExecution, "synchronous semi-naive, multisets", one_by_one=False),
    "sn-lam": AlgorithmEntry(SetSemiNaive, "synchronous semi-naive, sets (LAM 2010, Algorithm 1)", one_by_one=False),
    "sn-sets": AlgorithmEntry(SynchronousSets, "synchronous commands over sets", one_by_one=False),
    "psn": AlgorithmEntry(PipelinedExecution, "pipelined, multisets (LAM 2010, PPDP 2011)"),
    "psn-sets": AlgorithmEntry(PipelinedSets, "pipelined commands over sets"),
    "batched": AlgorithmEntry(BatchedExecution, "complete iterations of random size", one_by_one=False),
    "psn-extended": AlgorithmEntry(ExtendedExecution, "pipelined with derivation sets (PPDP 2011)"),
    "sn-extended": AlgorithmEntry(ExtendedSynchronous, "synchronous with derivation sets", one_by_one=False),
    "psn-cancelling": AlgorithmEntry(CancellingExecution, "pipelined, updates that meet in a bag cancel (LAM 2010)"),
    "psn-lossy": AlgorithmEntry(LossyExecution, "pipelined where one message is lost and one repeated"),
    "psn-acknowledged": AlgorithmEntry(AcknowledgedExecution, "the same with acknowledgements and sequence numbers"),
    "dred": AlgorithmEntry(DRed, "delete and re-derive"),
    "heights": AlgorithmEntry(Heights, "heights with synchronised deletions (MELD)"),
    "heights-alone": AlgorithmEntry(UnsynchronisedHeights, "heights without synchronisation"),
    "base-facts": AlgorithmEntry(BaseFacts, "base-fact annotations, eager discarding (Liu et al.)"),
    "base-facts-numbered": AlgorithmEntry(NumberedBaseFacts, "numbered base facts, deletions remembered"),
    "unchecked": AlgorithmEntry(UncheckedBaseline, "deletions picked without looking (Navarro et al.)"),
    "psn-original": AlgorithmEntry(Original, "the original pipelined algorithm"),
}


def algorithm_by_name(name: str, *, record: bool = False) -> Algorithm:
    """A fresh algorithm; an unknown name is an `EngineError` that lists the known ones.

    With ``record`` the executions of the transition system keep every pick, fire and commit.

    >>> algorithm_by_name("dred").name
    'dred'
    """
    if name not in ALGORITHMS:
        raise UNKNOWN_ALGORITHM.error(name=name, known=", ".join(ALGORITHMS))
    make = ALGORITHMS[name].make
    if record and isinstance(make, type) and issubclass(make, Execution) and make.traceable:
        return make(record=True)
    return make()


def explorable_by_name(name: str) -> Explorable:
    """A fresh algorithm all of whose schedules can be followed; others are an `EngineError`.

    >>> explorable_by_name("psn").name
    'psn'
    """
    algorithm = algorithm_by_name(name)
    if not ALGORITHMS[name].one_by_one:
        known = ", ".join(other for other, entry in ALGORITHMS.items() if entry.one_by_one)
        raise NOT_ONE_BY_ONE.error(name=name, known=known)
    return cast("Explorable", algorithm)


def on_lossy_links(name: str, schedule: Schedule, probability: float, seed: int = 0) -> tuple[Algorithm, Schedule]:
    """A fresh algorithm and a schedule under which links lose messages with a probability.

    An algorithm whose messages cannot be lost is an `EngineError`.

    >>> from tidelog.lab.semantics.schedule import Fifo
    >>> on_lossy_links("psn-acknowledged", Fifo(), 0.02)[0].name
    'psn-acknowledged'
    """
    make = type(algorithm_by_name(name))
    if not issubclass(make, LossyExecution):
        known = [other for other, entry in ALGORITHMS.items() if isinstance(entry.make(), LossyExecution)]
        raise NO_LOSSES.error(name=name, known=", ".join(known))
    return make(losses=UNLIMITED, repeats=0), RandomLosses(schedule, probability, seed)
