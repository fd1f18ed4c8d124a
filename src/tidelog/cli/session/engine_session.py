"""A run of a program on the engine.

Law: an epoch of the run commits as a whole; with a state folder it is stored there. On Spark, the partitions read and
write the files, and facts do not pass through this process.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from tidelog.cli.input.load import load_program, without_content
from tidelog.cli.output.tables import ordered_table
from tidelog.cli.output.view_change import view_changes
from tidelog.cli.session.session import SessionEpoch
from tidelog.engine.engine import Engine, core_of
from tidelog.engine.read.members import undefined_counts
from tidelog.engine.read.view import Rows, natural
from tidelog.engine.write.script import take_script
from tidelog.io.files import write_output
from tidelog.io.parameters import CSV, PARQUET, TABLE, TERMS, TEXT, Layout
from tidelog.plan.modes import Plans
from tidelog.program.functions.table import Function
from tidelog.program.graph.inline import inline_relations
from tidelog.store.image.difference import compare_programs
from tidelog.syntax import Epoch, is_preview

if TYPE_CHECKING:
    from tidelog.engine.write.epoch import Epoch as EngineEpoch
    from tidelog.partition.base.limits import Limits
    from tidelog.program import Program
    from tidelog.program.check import CheckedProgram
    from tidelog.spark.files import Input
    from tidelog.spark.types import SparkSession


class EngineSession:
    """A program on the engine; with a ``state`` folder, its commits are stored there. A folder that already contains a
    state is resumed, and its program must be the same. If the folder is read as of an epoch, the rules are those of
    that epoch, even if the program differs by now. With a Spark session the partitions live on Spark, and files are
    read and written there.
    """

    def __init__(
        self,
        program: Program,
        limits: Limits,
        state: str | None = None,
        resumed: bool = False,
        at: int | None = None,
        profiling: bool = False,
        *,
        spark: SparkSession | None = None,
        partitions: int | None = None,
        plans: str = Plans.advice,
        threads: int | None = None,
        functions: Iterable[Function] = (),
        checked: CheckedProgram | None = None,
    ) -> None:
        self._program, self._checked = program, checked
        self._kept = state is not None
        self._spark = spark
        start: Program | str = program if resumed and at is None else ""
        if state is None:
            start = without_content(program)
        self._db = Engine(
            start,
            path=state,
            at=at,
            limits=limits,
            spark=spark,
            partitions=partitions,
            threads=threads,
            plans=plans,
            functions=functions,
        )
        self._db.profiling = profiling
        self._steps = 0

    def differs(self) -> bool:
        """Whether the state has other rules, facts or declarations than the program's text."""
        durable = core_of(self._db).durable
        return durable is not None and bool(compare_programs(self._db.program, durable.facts, self._program))

    def load(self, data: Iterable[tuple[str, Input]]) -> SessionEpoch:
        """Add rules and facts in one epoch, so that join orders can use the sizes of the new relations.

        Its changes are all facts, and are not listed.
        """
        epoch = load_program(self._db, self._program, data, kept=self._kept, checked=self._checked)
        self._steps += 1
        return SessionEpoch(self._steps, epoch.statistics.seconds, {}, epoch.statistics)

    def profile(self) -> str:
        """Time, supports, suspended and revived facts per stratum and rule, for the last epoch and in total."""
        return str(self._db.profile())

    def close(self) -> None:
        """Release the state folder."""
        self._db.close()

    def apply(self, epoch: Epoch) -> SessionEpoch:
        """Apply an epoch as a whole or not at all; an epoch that ends with `preview.` is only tried."""
        changes = self._db.epoch()
        take_script(changes, epoch)
        if is_preview(epoch):
            self._db.preview(changes)
            return replace(self._to_step(changes), previewed=True)
        changes.commit()
        self._steps += 1
        return self._to_step(changes)

    def _to_step(self, epoch: EngineEpoch) -> SessionEpoch:
        changes = view_changes(epoch, self._db.convention, self.views)
        return SessionEpoch(self._steps, epoch.statistics.seconds, changes, epoch.statistics)

    def table(self, name: str, *, lists_as_text: bool) -> pa.Table:
        """The rows ordered by all columns; symbols and lists are ordered by their text."""
        return ordered_table(self._db[name], lists_as_text=lists_as_text)

    def write(self, name: str, layout: Layout, path: Path) -> None:
        """Write from the partitions through Spark's tasks if they are on Spark, otherwise from this process."""
        if self._spark is None:
            as_text, packed = layout.kind != PARQUET, layout.kind in (TEXT, CSV)
            table = ordered_table(self._db[name], lists_as_text=as_text, packed=packed)
            write_output(name, table, self.types(name), layout, path)
        else:
            from tidelog.spark.files import write_frame

            view = self._db[name] if layout.kind in (PARQUET, TABLE) else natural(self._db[name])
            rows = view.to_spark(lists_as_text=layout.kind in (TEXT, CSV, *TERMS))
            write_frame(rows, name, self.types(name), layout, path)

    def types(self, name: str) -> tuple[str | None, ...]:
        """The types as declared, inferred or learnt from data."""
        return self._db[name].types

    def undefined(self, name: str) -> Rows | None:
        """The facts that are neither true nor false at the last committed epoch."""
        return self._db.undefined(name) if undefined_counts(core_of(self._db), (name,)) else None

    def size(self, name: str) -> int:
        """The size at the last committed epoch."""
        return len(self._db[name])

    @property
    def views(self) -> tuple[str, ...]:
        """The heads of the current rules."""
        rules = map(self._db.rule, self._db.rules)
        heads = {rule.head.predicate for rule in rules if rule.constraint is None}
        return tuple(sorted(heads - inline_relations(self._db.program)))  # inline relations are not stored

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations that the user knows."""
        return self._db.relations

    @property
    def fact_count(self) -> int:
        """The number of facts, including those of auxiliary relations."""
        return self._db.fact_count

    @property
    def memory(self) -> int | None:
        """The memory of relations, indexes and journals."""
        return self._db.memory
