"""Tidelog keeps Datalog views true while facts and rules both change.

Names are imported on first use: a Spark task that only encodes rows needs no compiled kernel, and
the errors about Spark need no Spark.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidelog.engine.base.feed_change import FeedChange, Gap
    from tidelog.engine.engine import Engine
    from tidelog.errors import (
        ConstraintError,
        ConstraintWarning,
        DataError,
        EngineError,
        EvaluationError,
        LimitError,
        ProgramError,
        ServerError,
        StateError,
        StateWarning,
        TidelogError,
        TidelogWarning,
    )
    from tidelog.partition.base.limits import Limits
    from tidelog.program.functions.table import user_function
    from tidelog.program.values.variant import Variant
    from tidelog.spark.errors import NoAnswer, PartitionLost, PreflightError, ResidentError, SparkError, StageError
    from tidelog.why import NotTrueError

__version__ = "0.7.0"

__all__ = [
    "ConstraintError",
    "ConstraintWarning",
    "DataError",
    "Engine",
    "EngineError",
    "EvaluationError",
    "FeedChange",
    "Gap",
    "LimitError",
    "Limits",
    "NoAnswer",
    "NotTrueError",
    "PartitionLost",
    "PreflightError",
    "ProgramError",
    "ResidentError",
    "ServerError",
    "SparkError",
    "StageError",
    "StateError",
    "StateWarning",
    "TidelogError",
    "TidelogWarning",
    "Variant",
    "sparql_rules",
    "user_function",
]

_SPIN = "OPENBLAS_THREAD_TIMEOUT"  # 2 to the power of this many cycles; read once, when numpy is imported
_HOMES = {
    "Engine": "tidelog.engine.engine",
    "FeedChange": "tidelog.engine.base.feed_change",
    "Gap": "tidelog.engine.base.feed_change",
    "Limits": "tidelog.partition.base.limits",
    "NotTrueError": "tidelog.why",
    "Variant": "tidelog.program.values.variant",
    "sparql_rules": "tidelog.syntax.sparql",
    "user_function": "tidelog.program.functions.table",
    **dict.fromkeys(
        ("NoAnswer", "PartitionLost", "PreflightError", "ResidentError", "SparkError", "StageError"),
        "tidelog.spark.errors",
    ),
}


def load_ipython_extension(shell: object) -> None:
    """What `%load_ext tidelog` does: `%%tidelog` cells and magics, of `tidelog[notebook]`."""
    import_module("tidelog.notebook.extension").load(shell)


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module `tidelog` has no attribute `{name}`")
    with importing():
        return getattr(import_module(_HOMES.get(name, "tidelog.errors")), name)


@contextmanager
def importing() -> Iterator[None]:
    """Import what an engine needs without work that is thrown away: a quarter of the processor time of a start.

    What modules make stays, so it is not searched for garbage. The threads that numpy starts for linear algebra wait
    for work asleep; by default they spin for a while, which is longer than the start itself.
    """
    collects, spins = gc.isenabled(), os.environ.get(_SPIN)
    gc.disable()
    os.environ.setdefault(_SPIN, "16")
    try:
        yield
    finally:
        if collects:
            gc.enable()
        if spins is None:
            os.environ.pop(_SPIN, None)
