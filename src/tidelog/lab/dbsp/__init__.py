"""Streams of changes as a calculus, and Datalog interpreted by circuits of it (the DBSP theory).

Law: an incremental circuit outputs the changes of what the plain one would output for the sums of its inputs. The
calculus is in ``group``, ``zset``, ``indexed``, ``stream``, ``integral``, ``nesting``, ``feedback``; its operators are
filed by how they differentiate: ``linear``, ``bilinear``, ``nonlinear``; ``nested`` has the forms that live inside a
loop. The three circuits are ``naive_circuit``, ``incremental_circuit`` and ``indexed_circuit``; ``stratified_circuit``
chains them for negation. The DYRE paper, which the modules cite, is that of Carneiro Alves de Lima and others on
Datalog programs as circuits of facts and rules (CEUR Workshop Proceedings); ``docs/design/circuits.md`` lists where its
print was corrected. It is a library to learn and build with and a judge of the engine; the engine does not use it.
"""

from tidelog.lab.dbsp.bilinear import cross, incremental_bilinear, indexed_join, join
from tidelog.lab.dbsp.chained_circuit import ChainedCircuit
from tidelog.lab.dbsp.clause import Clause, Variable
from tidelog.lab.dbsp.feedback import feedback, fixed_point, nested_feedback
from tidelog.lab.dbsp.group import INTEGERS, Group, product_group
from tidelog.lab.dbsp.incremental_circuit import IncrementalCircuit
from tidelog.lab.dbsp.indexed import INDEXED_ZSETS, IndexedZSet, flatten, index
from tidelog.lab.dbsp.indexed_circuit import IndexedCircuit
from tidelog.lab.dbsp.integral import differentiate, incremental, incremental2, integrate
from tidelog.lab.dbsp.interpret import DatalogCircuit, EpochOutcome, run_circuit
from tidelog.lab.dbsp.kit import Kit
from tidelog.lab.dbsp.linear import project, scale, select
from tidelog.lab.dbsp.naive_circuit import NaiveCircuit
from tidelog.lab.dbsp.nested import NestedDelay, NestedDistinct, NestedJoin
from tidelog.lab.dbsp.nesting import eliminate, introduce
from tidelog.lab.dbsp.nonlinear import distinct, distinct_change, incremental_distinct, to_diff
from tidelog.lab.dbsp.stratified_circuit import StratifiedCircuit
from tidelog.lab.dbsp.stream import Source, Stream, add, delay, lift, lift2, streams
from tidelog.lab.dbsp.trace import Trace
from tidelog.lab.dbsp.zset import ZSETS, ZSet

__all__ = [
    "INDEXED_ZSETS",
    "INTEGERS",
    "ZSETS",
    "ChainedCircuit",
    "Clause",
    "DatalogCircuit",
    "EpochOutcome",
    "Group",
    "IncrementalCircuit",
    "IndexedCircuit",
    "IndexedZSet",
    "Kit",
    "NaiveCircuit",
    "NestedDelay",
    "NestedDistinct",
    "NestedJoin",
    "Source",
    "StratifiedCircuit",
    "Stream",
    "Trace",
    "Variable",
    "ZSet",
    "add",
    "cross",
    "delay",
    "differentiate",
    "distinct",
    "distinct_change",
    "eliminate",
    "feedback",
    "fixed_point",
    "flatten",
    "incremental",
    "incremental2",
    "incremental_bilinear",
    "incremental_distinct",
    "index",
    "indexed_join",
    "integrate",
    "introduce",
    "join",
    "lift",
    "lift2",
    "nested_feedback",
    "product_group",
    "project",
    "run_circuit",
    "scale",
    "select",
    "streams",
    "to_diff",
]
