"""Executions of the transition system: which updates each complete iteration takes."""

from tidelog.semantics.executions.batched import Batched
from tidelog.semantics.executions.execution import Execution, complete_iteration, run_all
from tidelog.semantics.executions.lossy import Acknowledged, Lossy
from tidelog.semantics.executions.pipelined import Pipelined, pipelined_trace
from tidelog.semantics.executions.set_semantics import PipelinedSets, SynchronousSets
from tidelog.semantics.executions.sets_of_updates import SetSemiNaive
from tidelog.semantics.executions.synchronous import Synchronous, synchronous_trace

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
