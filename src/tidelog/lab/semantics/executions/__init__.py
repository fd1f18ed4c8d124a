"""Executions of the transition system: which updates each complete iteration takes."""

from tidelog.lab.semantics.executions.batched import BatchedExecution
from tidelog.lab.semantics.executions.cancelling import CancellingExecution
from tidelog.lab.semantics.executions.execution import Execution, complete_iteration, run_all
from tidelog.lab.semantics.executions.lossy import UNLIMITED, AcknowledgedExecution, LossyExecution, RandomLosses
from tidelog.lab.semantics.executions.pipelined import PipelinedExecution, pipelined_trace
from tidelog.lab.semantics.executions.set_semantics import PipelinedSets, SynchronousSets
from tidelog.lab.semantics.executions.sets_of_updates import SetSemiNaive
from tidelog.lab.semantics.executions.synchronous import SynchronousExecution, synchronous_trace

__all__ = [
    "UNLIMITED",
    "AcknowledgedExecution",
    "BatchedExecution",
    "CancellingExecution",
    "Execution",
    "LossyExecution",
    "PipelinedExecution",
    "PipelinedSets",
    "RandomLosses",
    "SetSemiNaive",
    "SynchronousExecution",
    "SynchronousSets",
    "complete_iteration",
    "pipelined_trace",
    "run_all",
    "synchronous_trace",
]
