"""Where an engine lives: what its user requested, and the runtime and the state folder that were opened."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tidelog.program.types.functors import UserFunctions

if TYPE_CHECKING:
    from tidelog.program.functions.table import Function, Functions
    from tidelog.runtime.protocol.runtime import Runtime
    from tidelog.spark.session.run_folder import RunFolder
    from tidelog.spark.types import SparkSession
    from tidelog.store.base.store import Store
    from tidelog.store.folder.durable import Durable


@dataclass(frozen=True, slots=True)
class EngineLocation:
    """Where an engine is to live, as the user requested; ``own`` are the user's functions among all ``functions``."""

    functions: Functions
    own: Sequence[Function] = ()
    path: str | Path | Store | None = None
    at: int | None = None
    history: int | None = None
    spark: SparkSession | None = None
    partitions: int | None = None
    threads: int | None = None
    tls: bool | None = None  # between driver and partitions on Spark; None: on a cluster
    user_functions: UserFunctions = ()  # functions whose types come from the program of the state
    room: int | None = None  # the most partitions that fit into a session, where that is known

    def count(self, pieces_found: int) -> int:
        """The number of partitions to use, given the number of those with separate pieces in the state folder."""
        full = self.count_if_all_fit(pieces_found)
        return full if self.room is None else min(full, max(1, self.room))

    def count_if_all_fit(self, found: int) -> int:
        """The number of partitions to use if all fit."""
        return self.partitions or found or 1

    def pieces(self, found: int) -> int:
        """How many partitions write separate pieces: 0 for one embedded partition."""
        count = self.count(found)
        return 0 if count == 1 and self.spark is None else count


@dataclass(slots=True)
class OpenedRuntime:
    """A runtime with its state folder; on Spark there always is one, if necessary a temporary one."""

    runtime: Runtime
    durable: Durable | None
    folder: RunFolder | None
    offsets: dict[str, int]
    functions: Functions
    where: EngineLocation
    memos: dict[str, str] = field(default_factory=dict)

    @property
    def lasting(self) -> str | None:
        """The state folder, if it outlives the engine."""
        return None if self.folder is not None or self.durable is None else self.durable.store.name

    def close(self) -> None:
        """Stop the partitions, unlock the state folder for other writers, and remove temporary files."""
        with ExitStack() as ends:
            if self.folder is not None:
                ends.callback(self.folder.cleanup)
            if self.durable is not None:
                ends.callback(self.durable.close)
            ends.callback(self.runtime.close)
