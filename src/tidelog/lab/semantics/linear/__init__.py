"""The linear-logic reading of the commands: contexts, instructions, their proofs, and what they encode.

LAM 2010L is the version of *An Operational Semantics for Network Datalog* in linear logic with subexponentials.
"""

from tidelog.lab.semantics.linear.commands import COMMANDS, fire, pick, query, sequent, update
from tidelog.lab.semantics.linear.contexts import Contexts, Index
from tidelog.lab.semantics.linear.correspondence import (
    logical_moves,
    to_configuration,
    to_contexts,
    transition_moves,
)
from tidelog.lab.semantics.linear.exec_rules import exec_rules
from tidelog.lab.semantics.linear.interpreter import DerivationState, outcomes

__all__ = [
    "COMMANDS",
    "Contexts",
    "DerivationState",
    "Index",
    "exec_rules",
    "fire",
    "logical_moves",
    "outcomes",
    "pick",
    "query",
    "sequent",
    "to_configuration",
    "to_contexts",
    "transition_moves",
    "update",
]
