"""The algorithms by the names under which users select them.

Law: every name makes a fresh algorithm that keeps the `Algorithm` protocol and calls itself by that name; a few words
about each are shown with the result of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from tidelog.lab.semantics.algorithm import Algorithm
from tidelog.lab.semantics.baselines import BaseFacts, Heights, HeightsAlone, NumberedBaseFacts, Unchecked
from tidelog.lab.semantics.derivation_sets import Extended, ExtendedSynchronous
from tidelog.lab.semantics.dred import DRed
from tidelog.lab.semantics.executions import (
    Acknowledged,
    Batched,
    Execution,
    Lossy,
    Pipelined,
    PipelinedSets,
    SetSemiNaive,
    Synchronous,
    SynchronousSets,
)
from tidelog.lab.semantics.explore import Explorable
from tidelog.lab.semantics.original import Original
from tidelog.lab.semantics.ranked import Ranked
from tidelog.lab.semantics.semantics_failures import NOT_ONE_BY_ONE, UNKNOWN_ALGORITHM


@dataclass(frozen=True, slots=True)
class Entry:
    """An algorithm to choose from."""

    make: Callable[[], Algorithm]
    about: str
    one_by_one: bool = True
    """Whether a step takes one message, so that all schedules can be followed."""


ALGORITHMS: Mapping[str, Entry] = {
    "ranked": Entry(Ranked, "ranked support, Tidelog's own"),
    "sn": Entry(Synchronous, "synchronous semi-naive, multisets", one_by_one=False),
    "sn-lam": Entry(SetSemiNaive, "synchronous semi-naive, sets (LAM 2010, Algorithm 1)", one_by_one=False),
    "sn-sets": Entry(SynchronousSets, "synchronous commands over sets", one_by_one=False),
    "psn": Entry(Pipelined, "pipelined, multisets (LAM 2010, PPDP 2011)"),
    "psn-sets": Entry(PipelinedSets, "pipelined commands over sets"),
    "batched": Entry(Batched, "complete iterations of random size", one_by_one=False),
    "psn-extended": Entry(Extended, "pipelined with derivation sets (PPDP 2011)"),
    "sn-extended": Entry(ExtendedSynchronous, "synchronous with derivation sets", one_by_one=False),
    "psn-lossy": Entry(Lossy, "pipelined where one message is lost and one repeated"),
    "psn-acknowledged": Entry(Acknowledged, "the same with acknowledgements and sequence numbers"),
    "dred": Entry(DRed, "delete and re-derive"),
    "heights": Entry(Heights, "heights with synchronised deletions (MELD)"),
    "heights-alone": Entry(HeightsAlone, "heights without synchronisation"),
    "base-facts": Entry(BaseFacts, "base-fact annotations, eager discarding (Liu et al.)"),
    "base-facts-numbered": Entry(NumberedBaseFacts, "numbered base facts, deletions remembered"),
    "unchecked": Entry(Unchecked, "deletions picked without looking (Navarro et al.)"),
    "psn-original": Entry(Original, "the original pipelined algorithm"),
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
    if record and isinstance(make, type) and issubclass(make, Execution) and not issubclass(make, Lossy):
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
