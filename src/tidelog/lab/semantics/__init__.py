"""The executable semantics of Network Datalog: transition systems of the papers, small and slow.

A program runs over a network of nodes under any schedule, its messages are counted, all schedules of small programs can
be explored, and every step can be checked. The judges of the engine, and a library to learn from.
"""

from tidelog.lab.semantics.algorithm import Algorithm, Event, Message, Schedule, Tables, as_sets, flatten, run
from tidelog.lab.semantics.annotation import PLAIN, TREES, Annotation
from tidelog.lab.semantics.bag import Bag
from tidelog.lab.semantics.commands import commit, fire, pick
from tidelog.lab.semantics.configuration import Configuration, Semantics, check_precondition, holding, start
from tidelog.lab.semantics.cycles import Cycle
from tidelog.lab.semantics.derivation_sets import DERIVATION_SETS, ExtendedExecution, ExtendedSynchronous
from tidelog.lab.semantics.dred import DRed
from tidelog.lab.semantics.errors import IllegalStep, StuckError
from tidelog.lab.semantics.executions import (
    BatchedExecution,
    CancellingExecution,
    PipelinedExecution,
    PipelinedSets,
    SetSemiNaive,
    SynchronousExecution,
    SynchronousSets,
    complete_iteration,
    pipelined_trace,
    synchronous_trace,
)
from tidelog.lab.semantics.explore import Exploration, explore, explore_algorithm, explore_schedules
from tidelog.lab.semantics.fact import HOME, Fact, Node, Occurrence, Row, Update, deletion, insertion
from tidelog.lab.semantics.finiteness import EndlessDerivations, endless_derivations
from tidelog.lab.semantics.network import Network, prepare
from tidelog.lab.semantics.original import Original
from tidelog.lab.semantics.ranked import RankedAlgorithm, broken_invariants
from tidelog.lab.semantics.schedule import SCHEDULES, schedule_by_name
from tidelog.lab.semantics.scratch import least_model, model_tables, multiset_state
from tidelog.lab.semantics.trace import RunTrace, TraceStep, check, is_pipelined, is_synchronous, iterations, replay
from tidelog.lab.semantics.trace_json import trace_from_json, trace_to_json

__all__ = [
    "DERIVATION_SETS",
    "HOME",
    "PLAIN",
    "SCHEDULES",
    "TREES",
    "Algorithm",
    "Annotation",
    "Bag",
    "BatchedExecution",
    "CancellingExecution",
    "Configuration",
    "Cycle",
    "DRed",
    "EndlessDerivations",
    "Event",
    "Exploration",
    "ExtendedExecution",
    "ExtendedSynchronous",
    "Fact",
    "IllegalStep",
    "Message",
    "Network",
    "Node",
    "Occurrence",
    "Original",
    "PipelinedExecution",
    "PipelinedSets",
    "RankedAlgorithm",
    "Row",
    "RunTrace",
    "Schedule",
    "Semantics",
    "SetSemiNaive",
    "StuckError",
    "SynchronousExecution",
    "SynchronousSets",
    "Tables",
    "TraceStep",
    "Update",
    "as_sets",
    "broken_invariants",
    "check",
    "check_precondition",
    "commit",
    "complete_iteration",
    "deletion",
    "endless_derivations",
    "explore",
    "explore_algorithm",
    "explore_schedules",
    "fire",
    "flatten",
    "holding",
    "insertion",
    "is_pipelined",
    "is_synchronous",
    "iterations",
    "least_model",
    "model_tables",
    "multiset_state",
    "pick",
    "pipelined_trace",
    "prepare",
    "replay",
    "run",
    "schedule_by_name",
    "start",
    "synchronous_trace",
    "trace_from_json",
    "trace_to_json",
]
