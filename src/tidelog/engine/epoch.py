"""An epoch in the making: changes of facts and rules, collected and then committed whole.

Law (D3): within one epoch the signs of a fact are summed, so that the order of changes does not matter. Leaving the
``with`` block commits; an exception inside it, or in the commit, leaves the engine at the epoch before.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from tidelog.engine.report import Changes, EpochStatistics
from tidelog.errors import EngineError
from tidelog.io.rows import Rows as Data
from tidelog.io.rows import read_rows
from tidelog.program import Program, Rule
from tidelog.spark.frames import Frame, is_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.engine.engine import Engine


class Epoch:
    """Collects changes; see `Engine.epoch`. After the commit it tells its number, what changed and what it cost."""

    def __init__(self, engine: Engine, source: str | None = None, offset: int | None = None) -> None:
        self._engine = engine
        self.source = source
        self.offset = offset
        self._open = True
        self.number: int | None = None
        self.changes: Changes = Changes((), engine.no_change, engine.no_change)
        self.statistics = EpochStatistics()
        self.facts: list[tuple[int, str, Data]] = []
        self.frames: list[Frame] = []
        self.added: list[Rule] = []
        self.removed: list[str] = []
        self.program: Program | None = None  # whose declarations, types, keys and directives are in force afterwards
        self.text_facts: Sequence[str] | None = None  # the facts of the program's text afterwards

    def insert(self, relation: str, rows: object) -> None:
        """Assert base facts: tuples, an Arrow table, a pandas data frame, a numpy array or a Spark DataFrame."""
        self._change(1, relation, rows)

    def delete(self, relation: str, rows: object) -> None:
        """Retract base facts; those that are not asserted are passed over."""
        self._change(-1, relation, rows)

    def change(self, relation: str, rows: DataFrame, change: str = "change") -> None:
        """Assert and retract base facts as a column of a Spark DataFrame says: +1 or -1."""
        self._take_frame(Frame(relation, rows, change=change))

    def add_rule(self, text: str | Rule, label: str | None = None) -> str:
        """Add a rule, given as text or as a value; returns its label."""
        self._must_be_open()
        rule = self._engine.read_rule(text, label, [r.label or "" for r in self.added])
        self.added.append(rule)
        assert rule.label is not None
        return rule.label

    def remove_rule(self, label: str) -> None:
        """Remove a rule by its label."""
        self._must_be_open()
        if label in [r.label for r in self.added]:
            self.added = [r for r in self.added if r.label != label]
        elif label not in self.removed:
            self._engine.rule(label)
            self.removed.append(label)

    def __bool__(self) -> bool:
        return bool(self.facts or self.frames or self.added or self.removed or self.program)

    def __enter__(self) -> Epoch:
        self._must_be_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.commit()
        self._open = False

    def commit(self) -> None:
        """Commit now; the ``with`` block does it by itself."""
        self._must_be_open()
        self._open = False
        self._engine.commit(self)

    def _change(self, sign: int, relation: str, rows: object) -> None:
        if is_frame(rows):
            self._take_frame(Frame(relation, rows, sign))  # type: ignore[arg-type]  # a DataFrame
            return
        self._must_be_open()
        self._engine.check_relation_name(relation)
        self.facts.append((sign, relation, read_rows(relation, rows)))

    def _take_frame(self, frame: Frame) -> None:
        """Rows of Spark go to the partitions; through here only where nothing is on Spark."""
        self._must_be_open()
        self._engine.check_relation_name(frame.relation)
        if self._engine.takes_frames():
            self.frames.append(frame)
        else:
            self.facts += frame.collected()

    def _must_be_open(self) -> None:
        if not self._open:
            raise EngineError("this epoch is over; begin a new one with `engine.epoch()`")


def collect_frames(epoch: Epoch, relations: Container[str]) -> bool:
    """Take the rows that go into these relations through this process after all; whether there were any."""
    apart = [frame for frame in epoch.frames if frame.relation in relations]
    found = [part for frame in apart for part in frame.collected()]  # which may fail, and then nothing has changed
    epoch.frames = [frame for frame in epoch.frames if frame.relation not in relations]
    epoch.facts += found
    return bool(apart)
