"""Tidelog keeps Datalog views true while facts and rules both change.

Names are imported when they are asked for: a task of Spark that only encodes rows needs no compiled kernel.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidelog.engine.engine import Engine
    from tidelog.errors import DataError, EngineError, EvaluationError, LimitError, ProgramError, TidelogError
    from tidelog.partition.limits import Limits
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

_HOMES = {
    "Engine": "tidelog.engine.engine",
    "Limits": "tidelog.partition.limits",
    "user_function": "tidelog.program.functions",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module `tidelog` has no attribute `{name}`")
    return getattr(import_module(_HOMES.get(name, "tidelog.errors")), name)
