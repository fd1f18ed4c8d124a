"""Tidelog keeps Datalog views true while facts and rules both change."""

from tidelog.engine import Engine
from tidelog.errors import (
    DataError,
    EngineError,
    EvaluationError,
    LimitError,
    ProgramError,
    TidelogError,
)
from tidelog.partition.machine import Limits
from tidelog.program.functions import user_function

__version__ = "0.1.0"

__all__ = [
    "DataError",
    "Engine",
    "EngineError",
    "EvaluationError",
    "LimitError",
    "Limits",
    "ProgramError",
    "TidelogError",
    "user_function",
]
