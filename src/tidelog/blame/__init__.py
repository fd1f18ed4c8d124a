"""Why a fact changed: the changes of base facts and of rules that caused it, and the way from them to the fact."""

from tidelog.blame.answer import Blame, CauseGroup, ViewBlame
from tidelog.blame.change import Cause, Change, FactChanged, Origin, ProgramChanged, RuleChanged
from tidelog.blame.search import OutOfTrialsError, Search
from tidelog.blame.trace import ProofTracer

__all__ = [
    "Blame",
    "Cause",
    "CauseGroup",
    "Change",
    "FactChanged",
    "Origin",
    "OutOfTrialsError",
    "ProgramChanged",
    "ProofTracer",
    "RuleChanged",
    "Search",
    "ViewBlame",
]
