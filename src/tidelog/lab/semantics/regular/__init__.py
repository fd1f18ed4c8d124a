"""Regular Datalog proper: the graph view engine of the Regular Datalog paper, small, slow and readable.

Law: `compute` returns the least model of a program over a graph, `maintain` the update that keeps it least when edges
come and go. The engine of Tidelog is judged by both on random programs of the fragment.
"""

from tidelog.lab.semantics.regular.clause import CLOSED, ONCE, Lit, RegularClause, RegularProgram, Tag, TaggedRelation
from tidelog.lab.semantics.regular.forward import (
    compute,
    compute_closure,
    forward_clause,
    forward_program,
    is_incremental,
    is_model,
    is_supported,
    maintain,
    satisfies,
)
from tidelog.lab.semantics.regular.graph import Graph, is_closure, is_well_formed, transitive_closure
from tidelog.lab.semantics.regular.matching import (
    BASE,
    DELTA,
    FULL,
    Mark,
    consequences,
    delta_consequences,
    delta_marks,
    match_body,
)
from tidelog.lab.semantics.regular.translate import edges_of, read_regular, to_regular
from tidelog.lab.semantics.regular.update import BulkUpdate, difference, updated

__all__ = [
    "BASE",
    "CLOSED",
    "DELTA",
    "FULL",
    "ONCE",
    "BulkUpdate",
    "Graph",
    "Lit",
    "Mark",
    "RegularClause",
    "RegularProgram",
    "Tag",
    "TaggedRelation",
    "compute",
    "compute_closure",
    "consequences",
    "delta_consequences",
    "delta_marks",
    "difference",
    "edges_of",
    "forward_clause",
    "forward_program",
    "is_closure",
    "is_incremental",
    "is_model",
    "is_supported",
    "is_well_formed",
    "maintain",
    "match_body",
    "read_regular",
    "satisfies",
    "to_regular",
    "transitive_closure",
    "updated",
]
