"""Executions of the transition system: which updates each complete iteration takes."""

from tidelog.lab.semantics.executions.batched import Batched
from tidelog.lab.semantics.executions.execution import Execution, complete_iteration, run_all
from tidelog.lab.semantics.executions.lossy import Acknowledged, Lossy
from tidelog.lab.semantics.executions.pipelined import Pipelined, pipelined_trace
from tidelog.lab.semantics.executions.set_semantics import PipelinedSets, SynchronousSets
from tidelog.lab.semantics.executions.sets_of_updates import SetSemiNaive
from tidelog.lab.semantics.executions.synchronous import Synchronous, synchronous_trace

__all__ = [
    "Acknowledged",
    "Batched",
    "Execution",
    "Lossy",
    "Pipelined",
    "PipelinedSets",
    "SetSemiNaive",
    "Synchronous",
    "SynchronousSets",
    "complete_iteration",
    "pipelined_trace",
    "run_all",
    "synchronous_trace",
]
