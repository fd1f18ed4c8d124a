"""An epoch being prepared: changes of facts and rules, collected and then committed as a whole.

Law (D3): within one epoch the signs of a fact are summed, so that the order of changes does not matter. Leaving the
``with`` block commits; an exception inside it, or in the commit, leaves the engine at the previous epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.base.asyncio_thread import finished
from tidelog.engine.base.engine_time import Moment, microseconds
from tidelog.engine.base.signature import UNSIGNED, Signature
from tidelog.engine.read.report import Changes, EpochStatistics
from tidelog.engine.read.view import Table, table_data
from tidelog.io.nulls import NullCounts, NullPolicy, Policy, read_policy
from tidelog.io.rows import Data, read_rows
from tidelog.io.signed import by_sign
from tidelog.io.tabular import Tabular
from tidelog.program import Instance, Program, Rule
from tidelog.program.functions.arguments import must_be
from tidelog.spark.arrivals import Arrival, is_data_frame

if TYPE_CHECKING:
    from tidelog.blame import Blame, ViewBlame
    from tidelog.engine.read.ask import Fact
    from tidelog.engine.write.column_change import ColumnChange
    from tidelog.engine.write.epoch_input import EpochInput
    from tidelog.engine.write.violations import ViolatedConstraint, Violation
    from tidelog.program.check import CheckedProgram


@dataclass(slots=True)
class CollectedChanges:
    """What an epoch is to change."""

    facts: list[tuple[int, str, Data]] = field(default_factory=list)  # sign, relation, rows
    arrivals: list[Arrival] = field(default_factory=list)
    added: list[Rule] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    checked: CheckedProgram | None = None  # a check of the added rules, if the engine has no others
    program: Program | None = None  # whose declarations, types, keys and directives are in force afterwards
    columns: tuple[ColumnChange, ...] = ()  # relations that the program declares with other columns
    text_facts: Sequence[str] | None = None  # the facts of the program's text afterwards
    at: int | None = None  # the time of the epoch, in microseconds
    timeless: bool = False  # a trial or a copy: no fact expires, and table bounds do not apply

    @property
    def changes_rules(self) -> bool:
        """Whether more than facts change."""
        return bool(self.added or self.removed) or self.program is not None

    def __bool__(self) -> bool:
        return bool(self.facts or self.arrivals or self.changes_rules)


class Target(Protocol):
    """The calls that an epoch makes to the engine that it changes."""

    @property
    def takes_arrivals(self) -> bool:
        """Whether rows of Spark DataFrames go directly to the partitions."""

    def check_relation(self, name: str, program: Program | None) -> None:
        """Refuse facts for relations that neither the program nor the one given with the epoch admits."""

    def is_repeated(self, epoch: Epoch) -> bool:
        """Whether the input of an epoch was already committed."""

    def check_label(self, label: str) -> None:
        """Refuse a label that no rule has."""

    def read_rule(self, text: str | Rule, label: str | None, taken: Sequence[str], *, again: bool = False) -> Rule:
        """Parse a rule and give it a label that was never used; a rule that is added ``again`` keeps its label."""

    def declare(self, collected: CollectedChanges, text: str) -> Program:
        """Collect declarations and the facts beside them; returns the program of the text."""

    def add_instance(self, collected: CollectedChanges, instance: str | Instance) -> str:
        """Collect what an instance adds; returns its name."""

    def remove_instance(self, collected: CollectedChanges, name: str) -> None:
        """Collect what is removed with an instance."""

    def no_changes(self) -> Changes:
        """The report of an epoch that changes nothing."""

    def commit(self, epoch: Epoch) -> None:
        """Commit an epoch."""

    def blame(self, epoch: Epoch, fact: Fact | Violation, trials: int) -> Blame | ViewBlame:
        """Why a fact changed in an epoch that ran."""


class Epoch:
    """Collects changes; see `Engine.epoch`. After the commit it has its number, its changes and its cost."""

    def __init__(
        self,
        target: Target,
        source: str | None = None,
        offset: int | None = None,
        signature: Signature | None = None,
        at: int | None = None,
    ) -> None:
        self._target = target
        self._open = True
        self.source = source
        self.offset = offset
        self.signature = signature or UNSIGNED
        self.memos: dict[str, str | None] = {}  # the source's notes with its offset; None removes a memo
        self.collected = CollectedChanges(at=at)
        self.breaks_feeds = False  # whether it changed columns, so that its changes cannot be listed as rows
        self.number: int | None = None
        self._report: Callable[[], tuple[Changes, EpochStatistics]] = lambda: (target.no_changes(), EpochStatistics())
        self._built: tuple[Changes, EpochStatistics] | None = None
        self.ended: Mapping[str, int] = {}  # how many facts of each relation expired by the time of the epoch
        self.late: Mapping[str, int] = {}  # and how many were inserted after their end
        self.nulls: Mapping[str, NullCounts] = {}  # that were skipped or replaced, by relation
        self.ignored: Mapping[str, tuple[str, ...]] = {}  # columns of tables that the relation does not have
        self.waits = False  # whether its maker waits for a common sync (`durable.sync_epochs`)
        self.warns = True  # of ignored columns; set to False by callers that report them in another way
        self._input: Callable[[], EpochInput] | None = None  # of an epoch that ran
        self.violations: tuple[ViolatedConstraint, ...] = ()  # of constraints: found by a preview, or only warned of

    @property
    def changes(self) -> Changes:
        """What the epoch changed, by relation."""
        return self._built_report()[0]

    @property
    def statistics(self) -> EpochStatistics:
        """What the epoch cost."""
        return self._built_report()[1]

    def report(self, build: Callable[[], tuple[Changes, EpochStatistics]]) -> None:
        """What the epoch did, built when it is read."""
        self._report, self._built = build, None

    def _built_report(self) -> tuple[Changes, EpochStatistics]:
        if self._built is None:
            self._built = self._report()
        return self._built

    def insert(self, relation: str, rows: Tabular, until: Moment | None = None, *, nulls: Policy | None = None) -> None:
        """Assert base facts: tuples, dicts, a view, a table of Arrow, pandas, numpy, DuckDB, Polars or Spark.

        With ``until`` they expire at that time, in seconds or as a datetime, unless they already expire later.
        ``nulls`` sets how nulls are handled: "refuse" (the default), "skip", or replacements such as "mgr=none" or
        ``{"mgr": "none"}``; after the commit, ``epoch.nulls`` contains the counts.
        """
        self._change(1, relation, rows, nulls, None if until is None else microseconds(until, "until"))

    def delete(self, relation: str, rows: Tabular, *, nulls: Policy | None = None) -> None:
        """Retract base facts; those that are not asserted are skipped."""
        self._change(-1, relation, rows, nulls)

    def change(self, relation: str, rows: Tabular, change: str = "change", *, nulls: Policy | None = None) -> None:
        """Assert and retract base facts according to a column of a table; all rows or none are accepted.

        The column ``change`` contains +1 or -1, or the kind of change, as in the change feeds of Delta and Iceberg:
        then it is usually called ``_change_type``, and the other columns that these feeds add are left out.
        """
        must_be(change, str, "change", "the name of a column of +1 and -1")
        policy = read_policy(nulls, relation)
        if is_data_frame(rows):
            self._take_arrival(Arrival(relation, rows, change=change, nulls=policy))
            return
        data = self._read(relation, rows, policy)
        self.collected.facts += ((sign, relation, part) for sign, part in by_sign(relation, data, change))

    def write(self, sign: int, relation: str, rows: Data) -> None:
        """Assert (1) or retract (-1) the facts in a text."""
        self._must_be_open()
        self._target.check_relation(relation, self.collected.program)
        self.collected.facts.append((sign, relation, rows))

    def add_rule(self, text: str | Rule, label: str | None = None) -> str:
        """Add a rule, given as text or as a value; returns its label."""
        self._must_be_open()
        taken = [r.label or "" for r in self.collected.added]
        rule = self._target.read_rule(text, label, taken, again=self._target.is_repeated(self))
        self.collected.added.append(rule)
        assert rule.label is not None
        return rule.label

    def remove_rule(self, label: str) -> None:
        """Remove a rule by its label."""
        self._must_be_open()
        collected = self.collected
        if label in [r.label for r in collected.added]:
            collected.added = [r for r in collected.added if r.label != label]
        elif label not in collected.removed:
            if not self._target.is_repeated(self):  # its rules are already removed
                self._target.check_label(label)
            collected.removed.append(label)

    def declare(self, text: str) -> list[str]:
        """Add declarations to the program: ``.decl vip(person: symbol)``, and types, keys and lifetimes.

        The text may also contain rules and facts, which are added. Returns the labels of the rules.
        """
        self._must_be_open()
        return [self.add_rule(rule) for rule in self._target.declare(self.collected, text).rules]

    def add_instance(self, text: str | Instance) -> str:
        """Create an instance of a component of the program: ``.init g = Graph<City>``; returns its name.

        The text may declare components before it.
        """
        self._must_be_open()
        return self._target.add_instance(self.collected, text)

    def remove_instance(self, name: str) -> None:
        """Remove an instance by its name: its rules, and its relations with all their facts."""
        self._must_be_open()
        self._target.remove_instance(self.collected, name)

    def __bool__(self) -> bool:
        return bool(self.collected)

    def __enter__(self) -> Epoch:
        self._must_be_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.commit()
        self._open = False

    async def __aenter__(self) -> Epoch:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await finished(lambda: self.__exit__(kind, error, trace))

    def commit(self) -> None:
        """Commit now; a ``with`` block commits at its end."""
        self._must_be_open()
        self._open = False
        self._target.commit(self)

    def blame(self, fact: Fact | Violation, *, trials: int = 1000) -> Blame | ViewBlame:
        """Why a fact was added, removed or changed its value in this epoch, once it is committed or previewed.

        For the name of a relation, it explains all of its changes, grouped by cause; see `Engine.blame`. The first
        violations of a constraint can be passed like facts, even for an epoch that was refused.
        """
        return self._target.blame(self, fact, trials)

    def _change(self, sign: int, relation: str, rows: object, nulls: Policy | None, until: int | None = None) -> None:
        policy = None if nulls is None else read_policy(nulls, relation)
        if type(rows) is not list and is_data_frame(rows):
            self._take_arrival(Arrival(relation, rows, sign, nulls=policy), until)
            return
        data = self._read(relation, rows, policy)
        self.collected.facts.append((sign, relation, data if until is None else replace(data, until=until)))

    def _read(self, relation: str, rows: object, policy: NullPolicy | None) -> Data:
        self._must_be_open()
        self._target.check_relation(relation, self.collected.program)
        return table_data(rows) if isinstance(rows, Table) else read_rows(relation, rows, policy)

    def _take_arrival(self, frame: Arrival, until: int | None = None) -> None:
        """Send rows of Spark to the partitions, or through this process if the engine is not on Spark."""
        self._must_be_open()
        self._target.check_relation(frame.relation, self.collected.program)
        if self._target.takes_arrivals and until is None:
            self.collected.arrivals.append(frame)
        else:
            found = frame.collected()
            self.collected.facts += ((sign, name, replace(data, until=until)) for sign, name, data in found)

    def _must_be_open(self) -> None:
        if not self._open:
            raise failures.EPOCH_OVER.error()


def keep_input(epoch: Epoch, build: Callable[[], EpochInput]) -> None:
    """Note that the epoch ran; its input is assembled when it is read."""
    epoch._input = build


def kept_input(epoch: Epoch) -> EpochInput | None:
    """The net input of an epoch that ran; None for others."""
    return None if epoch._input is None else epoch._input()
