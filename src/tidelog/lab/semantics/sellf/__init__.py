"""Linear logic with subexponentials, focused (SELLF): formulas, proofs, a checker, and the commands encoded in it.

LAM 2010L is the version of *An Operational Semantics for Network Datalog* in linear logic with subexponentials.
"""

from tidelog.lab.semantics.sellf.checker import Definition, Theory, check, is_proof
from tidelog.lab.semantics.sellf.encoding import BASIC_COMMANDS, configuration_of, sequent_of, theory_of
from tidelog.lab.semantics.sellf.proofs import (
    CommandExecution,
    Iteration,
    derivation_of,
    executions_of,
    is_psn_proof,
    is_sn_proof,
    iterations_of,
    proof_iterations,
    trace_of,
)
from tidelog.lab.semantics.sellf.rules import Rule, SequentDerivation
from tidelog.lab.semantics.sellf.search import SearchResult, executions
from tidelog.lab.semantics.sellf.sequent import FormulaContexts, Sequent
from tidelog.lab.semantics.sellf.signature import Signature
from tidelog.lab.semantics.sellf.theorem import as_psn_proof, as_sn_proof, turned_to_psn, turned_to_sn

__all__ = [
    "BASIC_COMMANDS",
    "CommandExecution",
    "Definition",
    "FormulaContexts",
    "Iteration",
    "Rule",
    "SearchResult",
    "Sequent",
    "SequentDerivation",
    "Signature",
    "Theory",
    "as_psn_proof",
    "as_sn_proof",
    "check",
    "configuration_of",
    "derivation_of",
    "executions",
    "executions_of",
    "is_proof",
    "is_psn_proof",
    "is_sn_proof",
    "iterations_of",
    "proof_iterations",
    "sequent_of",
    "theory_of",
    "trace_of",
    "turned_to_psn",
    "turned_to_sn",
]
