"""The algorithms by the names that users give them.

Law: every name makes a fresh algorithm that keeps the `Algorithm` protocol and calls itself by that name; a few words
about each stand with the result of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tidelog.semantics.algorithm import Algorithm
from tidelog.semantics.baselines import BaseFacts, Heights, Unchecked
from tidelog.semantics.derivation_sets import Extended, ExtendedSynchronous
from tidelog.semantics.dred import DRed
from tidelog.semantics.executions import Batched, Execution, Pipelined, PipelinedSets, Synchronous, SynchronousSets
from tidelog.semantics.failures import UNKNOWN_ALGORITHM
from tidelog.semantics.original import Original
from tidelog.semantics.ranked import Ranked


@dataclass(frozen=True, slots=True)
class Entry:
    """An algorithm to choose from."""

    make: Callable[[], Algorithm]
    about: str


ALGORITHMS: Mapping[str, Entry] = {
    "ranked": Entry(Ranked, "ranked support, Tidelog's own"),
    "sn": Entry(Synchronous, "synchronous semi-naive, multisets"),
    "sn-sets": Entry(SynchronousSets, "synchronous semi-naive, sets"),
    "psn": Entry(Pipelined, "pipelined, multisets (PPDP 2011)"),
    "psn-sets": Entry(PipelinedSets, "pipelined, sets (LAM 2010)"),
    "batched": Entry(Batched, "complete iterations of random size"),
    "psn-extended": Entry(Extended, "pipelined with derivation sets (PPDP 2011)"),
    "sn-extended": Entry(ExtendedSynchronous, "synchronous with derivation sets"),
    "dred": Entry(DRed, "delete and re-derive"),
    "heights": Entry(Heights, "heights with synchronised deletions (MELD)"),
    "base-facts": Entry(BaseFacts, "base-fact annotations, eager discarding (Liu et al.)"),
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
    if record and isinstance(make, type) and issubclass(make, Execution):
        return make(record=True)
    return make()
