"""Running one way, and comparing the results.

Law: the result of a way is the facts of all relations of the user, or the error in which an epoch ended. A way in which
a batch before the end is refused does not count: the story has no such epoch.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tidelog.engine.engine import Engine
from tidelog.engine.write.script import take_script
from tidelog.errors import TidelogError, TidelogWarning
from tidelog.lab.order.ways import Way, unkindly
from tidelog.program import Program
from tidelog.program.functions.table import Function
from tidelog.runtime.many.local import delivered_by

Row = tuple[Any, ...]
SOURCE = "trial"


@dataclass(frozen=True, slots=True)
class WayResult:
    """The result of a way: facts by relation after each requested batch, or an error at a batch."""

    rows: dict[str, frozenset[Row]] = field(default_factory=dict)
    error: str = ""
    at: int = 0
    after: tuple[dict[str, frozenset[Row]], ...] = ()

    def differs(self, other: WayResult) -> list[str]:
        """The relations in which the two differ."""
        names = sorted(self.rows.keys() | other.rows.keys())
        return [name for name in names if self.rows.get(name, frozenset()) != other.rows.get(name, frozenset())]


def run_way(program: Program, way: Way, functions: Sequence[Function], *, watched: bool = False) -> WayResult:
    """Apply all batches of a way to a separate engine."""
    with warnings.catch_warnings(), ExitStack() as ends:
        warnings.simplefilter("ignore", TidelogWarning)
        folder = ends.enter_context(tempfile.TemporaryDirectory(prefix="tidelog-")) if way.restarted else None
        make = _Maker(program, way, functions, None if folder is None else Path(folder) / "state")
        return _run(make, way, watched=watched)


@dataclass(slots=True)
class _Maker:
    program: Program
    way: Way
    functions: Sequence[Function]
    path: Path | None

    @contextmanager
    def engine(self, *, again: bool = False) -> Iterator[Engine]:
        program = "" if again else self.program
        delivery = nullcontext() if self.way.delivery is None else delivered_by(unkindly(Random(self.way.delivery)))
        with delivery:
            db = Engine(program, path=self.path, partitions=self.way.partitions, functions=list(self.functions))
        with db:
            yield db


def _run(make: _Maker, way: Way, *, watched: bool) -> WayResult:
    after: list[dict[str, frozenset[Row]]] = []
    done = 0
    with ExitStack() as ends:
        db = ends.enter_context(make.engine())
        for number, batch in enumerate(way.batches):
            try:
                for _ in range(2 if number in way.repeated else 1):
                    with db.epoch(SOURCE, number + 1) as epoch:
                        take_script(epoch, tuple(batch))
            except TidelogError as error:
                return WayResult(error=str(error), at=number, after=tuple(after))
            done += 1
            if number in way.restarted:
                ends.close()
                db = ends.enter_context(make.engine(again=True))
            if watched:
                after.append(_rows(db))
        return WayResult(_rows(db), at=done, after=tuple(after))


def _rows(db: Engine) -> dict[str, frozenset[Row]]:
    return {name: frozenset(db[name]) for name in db.relations}
