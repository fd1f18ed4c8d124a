"""Why a fact is true, and why it is not."""

from tidelog.why.absence import WhyNot
from tidelog.why.ask import fact_key, fact_types, read_fact
from tidelog.why.attempt import Attempt
from tidelog.why.errors import NotTrueError
from tidelog.why.failure import refute
from tidelog.why.ledger import Ledger
from tidelog.why.proof import Proof
from tidelog.why.prove import Bounds, prove
from tidelog.why.tree import Absence, Condition, FactNode, GroupNode, Premise

__all__ = [
    "Absence",
    "Attempt",
    "Bounds",
    "Condition",
    "FactNode",
    "GroupNode",
    "Ledger",
    "NotTrueError",
    "Premise",
    "Proof",
    "WhyNot",
    "fact_key",
    "fact_types",
    "prove",
    "read_fact",
    "refute",
]
