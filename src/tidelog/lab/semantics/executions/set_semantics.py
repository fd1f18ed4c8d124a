"""The commands of Figure 2 over tables that are sets: a reading that no paper has, kept as a warning.

LAM 2010 uses sets in its Algorithm 1 alone (`sets_of_updates`); its Definition 1 and Figure 2 are over multisets, as is
all of PPDP 2011. Here pick, fire and commit work on sets: a fact is entered once however many derivations it has, while
updates stay a multiset and a deletion still has to find its fact.

Law: right as long as every fact has at most one derivation. With two, a deletion of one of them removes the fact, and
the deletion of the other can never be picked: the execution is stuck. Algorithm 1 loses the fact as well, but ends.
"""

from __future__ import annotations

from tidelog.lab.semantics.executions.pipelined import PipelinedExecution
from tidelog.lab.semantics.executions.synchronous import SynchronousExecution


class PipelinedSets(PipelinedExecution):
    """One update at a time over sets."""

    name = "psn-sets"

    def __init__(self, *, central: bool = False, record: bool = False) -> None:
        super().__init__(sets=True, central=central, record=record)


class SynchronousSets(SynchronousExecution):
    """All updates per iteration over sets."""

    name = "sn-sets"

    def __init__(self, *, central: bool = False, record: bool = False) -> None:
        super().__init__(sets=True, central=central, record=record)
