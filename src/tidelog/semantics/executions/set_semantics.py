"""Executions with set semantics (LAM 2010, Algorithm 1 and PSN with ν).

Law (Theorem 4): right as long as every fact has at most one derivation. With two derivations a deletion of one of them
removes the fact, and the deletion of the other can never be picked: the execution is stuck. That limit is kept here.
"""

from __future__ import annotations

from tidelog.semantics.executions.pipelined import Pipelined
from tidelog.semantics.executions.synchronous import Synchronous


class PipelinedSets(Pipelined):
    """One update at a time over sets."""

    name = "psn-sets"

    def __init__(self, *, central: bool = False, record: bool = False) -> None:
        super().__init__(sets=True, central=central, record=record)


class SynchronousSets(Synchronous):
    """All updates per iteration over sets."""

    name = "sn-sets"

    def __init__(self, *, central: bool = False, record: bool = False) -> None:
        super().__init__(sets=True, central=central, record=record)
