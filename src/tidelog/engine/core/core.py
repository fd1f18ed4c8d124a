"""The parts of an engine: rules, planner, runtime, state folder, and the state after its last committed epoch.

Law: `committed` describes the last committed epoch; it changes as a whole, and reading it needs no lock. The
modules of this package are functions over a core; `Engine` shows them to users.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import WeakSet

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.base.committed_epoch import CommittedEpoch
from tidelog.engine.base.engine_time import Times
from tidelog.engine.base.meter import Meter
from tidelog.engine.sharing.replica import Replicas
from tidelog.engine.sharing.turn import Turn
from tidelog.errors import EngineError
from tidelog.explain.profiler import Profiler
from tidelog.io.fact_text import FactWriter
from tidelog.plan.result_types import Outside, outside_types
from tidelog.program.functions.arguments import must_be
from tidelog.program.messages.nearest import LOOSELY, KnownNames
from tidelog.program.values.column_names import Heads, column_names, first_heads
from tidelog.rewrite.names import is_auxiliary

if TYPE_CHECKING:
    from tidelog.engine.base.location import OpenedRuntime
    from tidelog.partition.texts.dictionary import Dictionary
    from tidelog.plan.plan_epoch import Planner
    from tidelog.plan.ruleset import Ruleset, Schema
    from tidelog.program import Rule
    from tidelog.runtime.protocol.facts import Facts
    from tidelog.runtime.protocol.runtime import Runtime
    from tidelog.store.folder.durable import Durable

PATIENCE = 10.0  # seconds for which `close` waits

T = TypeVar("T")


class Repartition(NamedTuple):
    """The last change of partitions: new ones take over from those in force, or have done so, or failed to."""

    number: int = 0
    is_running: bool = False


@dataclass(repr=False, eq=False)
class Core:
    """One engine."""

    committed: CommittedEpoch
    resources: tuple[OpenedRuntime, Planner] | None  # None: closed
    find_causes: Callable[..., Any]  # of a change of an epoch: `ask.blame.blame_epoch`, which a core does not know
    strict: bool = False  # unknown relations are errors
    profiler: Profiler = field(default_factory=Profiler)
    feeds: list[Any] = field(default_factory=list)  # of `write.feeds.PendingFeed`
    listeners: list[Callable[[Any], None]] = field(default_factory=list)  # called with every committed epoch, in order
    sync_later: Callable[[], None] | None = (
        None  # called after an epoch, if another thread syncs it and calls listeners
    )
    unheard: deque[Any] = field(default_factory=deque)  # the epochs of which listeners have not heard then
    subscribers: Any | None = None  # (`write.subscribers.Subscribers`), if there have been any
    subscribing: threading.Lock = field(default_factory=threading.Lock)  # held while the field above is filled
    writing: Turn = field(default_factory=Turn)
    questions: dict[object, object] = field(default_factory=dict)  # previous ones, prepared for the next time
    replicas: Replicas = field(init=False)
    last_dictionary: Dictionary | None = None  # of an engine that is closed
    times: Times = field(default_factory=Times)
    meter: Meter = field(default_factory=Meter)
    folders: list[str] = field(default_factory=list)  # behind the DataFrames of its views
    repartition: Repartition = Repartition()  # noqa: RUF009  # a value
    counts: Any | None = None  # of changed rows, if they are counted (`read.epoch_counts.EpochCounts`)
    road: Any | None = None  # of epochs under the rules in force (`write.stages.Road`)
    _outside: tuple[Ruleset, Outside] | None = None  # the types in which all columns are returned to users
    _heads: tuple[tuple[Rule, ...], Heads] | None = None  # by which undeclared columns are named

    def __post_init__(self) -> None:
        self.replicas = Replicas(self.rules.functions, self.dictionary)
        CORES.add(self)

    @property
    def rules(self) -> Ruleset:
        """The rules in force."""
        return self.committed.rules

    @property
    def schema(self) -> Schema:
        """The types of every relation that ever existed."""
        return self.committed.schema

    @property
    def number(self) -> int:
        """The number of the last committed epoch."""
        return self.committed.number

    def begin_with(self, rules: Ruleset, schema: Schema | None = None, number: int | None = None) -> None:
        """Set the state before the first epoch of this engine."""
        kept = self.committed
        schema = kept.schema if schema is None else schema
        self.committed = CommittedEpoch(rules, schema, kept.number if number is None else number, kept.sizes)

    @property
    def closed(self) -> bool:
        """Whether the engine has released everything."""
        return self.resources is None

    @property
    def opened(self) -> OpenedRuntime:
        """The runtime and the state folder."""
        return self._open[0]

    @property
    def planner(self) -> Planner:
        """What plans epochs, based on the present facts."""
        return self._open[1]

    @property
    def _open(self) -> tuple[OpenedRuntime, Planner]:
        if self.resources is None:
            raise failures.CLOSED.error()
        return self.resources

    @property
    def runtime(self) -> Runtime:
        """Where the partitions live."""
        return self.opened.runtime

    @property
    def durable(self) -> Durable | None:
        """The state folder, also a temporary one."""
        return self.opened.durable

    @property
    def offsets(self) -> dict[str, int]:
        """By source: the last offset that was committed."""
        return self.opened.offsets

    @property
    def memos(self) -> dict[str, str]:
        """By name: the notes that sources made in the epochs that they committed."""
        return self.opened.memos

    @property
    def dictionary(self) -> Dictionary:
        """The values behind the ids of symbols and lists; reports of epochs need them after the engine is closed."""
        return self.runtime.dictionary if self.last_dictionary is None else self.last_dictionary

    @property
    def relations(self) -> tuple[str, ...]:
        """The names of all relations that the user knows."""
        return tuple(sorted(name for name in self.rules.schema if not is_auxiliary(name)))

    def knows(self, name: object) -> bool:
        """Whether the user knows a relation of that name."""
        return isinstance(name, str) and name in self.rules.schema and not is_auxiliary(name)

    def columns(self, name: str, rules: Ruleset | None = None) -> tuple[str, ...]:
        """The names of a relation's columns: declared, of the first table inserted, of its first rule, or c1, c2...

        ``rules`` are those of an epoch that is not committed yet.
        """
        rules = rules or self.rules
        types = rules.schema.get(name) or self.schema.get(name, ())
        origin = rules.origins.get(name)
        if origin is not None and origin.names is not None and name not in rules.declared:
            return origin.names
        return column_names(rules.program, name, len(types), self._first_heads(rules.program.rules))

    def _first_heads(self, rules: tuple[Rule, ...]) -> Heads:
        if self._heads is None or self._heads[0] is not rules:
            self._heads = rules, first_heads(rules)
        return self._heads[1]

    def outside(self, name: str) -> tuple[str, ...]:
        """The types in which a relation's columns are returned; empty if all have the natural types of their values."""
        rules = self.rules
        if self._outside is None or self._outside[0] is not rules:
            self._outside = rules, outside_types(rules)
        return self._outside[1].get(name, ())

    def fact_writer(self, name: str, rules: Ruleset | None = None) -> FactWriter:
        """The writer of a relation's facts, according to these rules, or those in force."""
        known = rules or self.rules
        types = known.schema.get(name) or self.schema.get(name, ())
        return FactWriter(name, types, self.outside(name), known.program.convention)

    def read(self, act: Callable[[Facts], T]) -> T:
        """Read facts without the turn; if new partitions are taking over, wait for them and read from them.

        Must not be called by a thread that an epoch may wait for.
        """
        before = self.repartition
        try:
            found = act(self.runtime.facts)
            if self.repartition is before:
                return found
        except Exception as error:
            if self.closed:
                raise failures.CLOSED.error() from error
            if self.repartition is before and not before.is_running:
                raise
        with self.writing:
            return act(self.runtime.facts)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """A context for reads without the turn: if `close` interferes, the error reports that instead of a symptom."""
        try:
            yield
        except Exception as error:
            if self.closed and not isinstance(error, EngineError):
                raise failures.CLOSED.error() from error
            raise

    def must_be_open(self) -> None:
        """Refuse to serve after `close`."""
        if self.closed:
            raise failures.CLOSED.error()

    def unknown_relation(self, name: str) -> EngineError:
        """The error for a name that is not that of a relation."""
        must_be(name, str, "name", "the name of a relation")
        near = KnownNames(self.relations).nearest(name, LOOSELY)
        known = ", ".join(f"`{n}`" for n in self.relations) or "none"
        guess = f"; did you mean `{near}`?" if near else ""
        return failures.UNKNOWN_RELATION.error(name=name, known=known, guess=guess)

    def close(self) -> None:
        """Release the memory and the state folder; waits a limited time for a running epoch, query or callback."""
        if self.resources is None:
            return
        if self.subscribers is not None:
            self.subscribers.end(PATIENCE)
        with self.writing.last(PATIENCE):
            resources, self.resources = self.resources, None
            if resources is not None:  # no other thread closed it meanwhile
                self.last_dictionary = resources[0].runtime.dictionary
                self.questions.clear()
                self.road = None
                self.replicas.clear()
                resources[0].close()


CORES: WeakSet[Core] = WeakSet()  # all that were opened by this process


def known_columns(core: Core) -> Mapping[str, tuple[str, ...]]:
    """The names of the columns of every relation."""
    return {name: core.columns(name) for name in core.rules.schema}
