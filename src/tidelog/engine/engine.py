"""The engine: a program, its facts, and views that stay up to date while both change.

Law: after every epoch the state equals evaluation of the current rules over the current base facts from scratch; an
epoch commits as a whole or changes nothing. This module lists what an engine can do; the modules beside it do it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidelog.engine.base.arguments import check_arguments, program_of_file
from tidelog.engine.base.committed_epoch import CommittedEpoch
from tidelog.engine.base.engine_time import Moment, Times, read_clock
from tidelog.engine.base.feed_change import CAPACITY
from tidelog.engine.base.location import EngineLocation
from tidelog.engine.core.core import Core
from tidelog.engine.open.cells import replace_earlier
from tidelog.engine.open.open import open_runtime
from tidelog.engine.open.start import start
from tidelog.engine.read import members as read
from tidelog.engine.read import query
from tidelog.engine.read.metrics import metrics
from tidelog.engine.read.view import Rows, View, open_view
from tidelog.engine.write import commit, durable
from tidelog.engine.write.epoch import Epoch
from tidelog.partition.base.limits import Limits
from tidelog.plan.advice import read_plans
from tidelog.plan.modes import Plans
from tidelog.plan.plan_epoch import Planner
from tidelog.plan.ruleset import Ruleset
from tidelog.program import Program, Rule
from tidelog.program.types.functors import UserFunctions, function_table
from tidelog.store.base.store import HISTORY

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tidelog.blame import Blame, ViewBlame
    from tidelog.engine.ask.what_if import Alternative, Alternatives, Trial
    from tidelog.engine.base.feed_change import FeedChange, Gap
    from tidelog.engine.read.ask import Fact
    from tidelog.engine.read.query import PreparedQuery
    from tidelog.engine.write.subscribers import Feed, Subscription
    from tidelog.engine.write.violations import Violation
    from tidelog.explain.explanation import Explanation
    from tidelog.explain.profile import Profile
    from tidelog.io.nulls import Policy
    from tidelog.program.values.state import EngineState
    from tidelog.spark.types import DataFrame, SparkSession, StreamingQuery
    from tidelog.store.base.store import Store
    from tidelog.store.folder.history import Change, LogEntry
    from tidelog.store.image.difference import Difference
    from tidelog.verify import Verdict
    from tidelog.why import Proof, WhyNot


class Engine:
    """Datalog views that are kept up to date while facts and rules change.

    >>> db = Engine("reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z).")
    >>> with db.epoch() as e:
    ...     e.insert("edge", [(1, 2), (2, 3)])
    >>> sorted(db["reach"])
    [(1, 2), (1, 3), (2, 3)]
    >>> with db.epoch() as e:
    ...     e.delete("edge", [(1, 2)])
    ...     label = e.add_rule("near(X) :- reach(2, X).")
    >>> sorted(e.changes["reach"].deleted), list(db["near"])
    ([(1, 2), (1, 3)], [(3,)])
    """

    def __init__(
        self,
        program: str | Program = "",
        *,
        path: str | Path | Store | None = None,
        at: int | None = None,
        history: int | None = HISTORY,
        spark: SparkSession | None = None,
        partitions: int | None = None,
        threads: int | None = None,
        limits: Limits | None = None,
        functions: UserFunctions = (),
        plans: str = Plans.advice,
        strict: bool = False,
        clock: str | None = None,
        tls: bool | None = None,
    ) -> None:
        taken = read_plans(plans)
        parsed = check_arguments(program, path, at, history, spark, partitions, threads, limits, functions, tls)
        table, own = function_table(functions, parsed)
        if (path is not None and at is None) or spark is not None:
            replace_earlier(self)
        later = functions if parsed == Program(convention=parsed.convention) else ()
        opened = open_runtime(EngineLocation(table, own, path, at, history, spark, partitions, threads, tls, later))
        runtime = opened.runtime
        planner = Planner(runtime.partitions, runtime.facts, lambda: runtime.node.groups, taken)
        committed = CommittedEpoch(Ruleset(Program(convention=parsed.convention), opened.functions), {}, 0, {})
        self._core = Core(committed, (opened, planner), _find_causes, strict=strict, times=Times(read_clock(clock)))
        try:
            runtime.set_limits(limits or Limits())
            start(self._core, parsed)
        except BaseException:
            self.close()
            raise

    @classmethod
    def from_file(cls, file: str | Path, **options: Any) -> Engine:
        """Create an engine from a program file; includes are resolved relative to it. Options are those of `Engine`."""
        return cls(program_of_file(file), **options)

    # Changing

    def epoch(
        self,
        source: str | None = None,
        offset: int | None = None,
        *,
        author: str | None = None,
        note: str | None = None,
        at: Moment | None = None,
    ) -> Epoch:
        """Begin an epoch. Use it in a ``with`` block, which commits at its end and rolls back on an exception.

        With a ``source`` and increasing ``offset`` numbers, input that was already committed is skipped. ``author`` and
        ``note`` are kept in the log of the state folder. ``at`` is the time of the epoch, in seconds or as a datetime,
        never earlier than that of the last epoch; facts that expire by then are deleted in it.
        """
        return commit.begin(self._core, source, offset, author=author, note=note, at=at)

    def advance(self, to: Moment) -> Epoch:
        """Commit an epoch at a later time that only deletes the facts that expire by then; returns the epoch."""
        return commit.advance(self._core, to)

    def repartition(self, partitions: int) -> str:
        """Change the number of partitions in a separate epoch that changes no fact; returns a summary.

        Unevenly distributed relations, those with many facts that share one value in the placement column, are placed
        by another column if they have one; if the number stays the same, nothing else happens. The cost is about one
        pass over the state. With a state folder the change is durable when the call returns.
        """
        from tidelog.engine.open.repartition import repartition

        return repartition(self._core, partitions)

    def preview(self, epoch: Epoch) -> None:
        """Run an epoch, record in it what would change and the cost, and roll it back."""
        commit.preview(self._core, epoch)

    def epoch_to(
        self, program: str | Program, columns: Mapping[str, Mapping[str, str | None]] | None = None
    ) -> tuple[Epoch, Difference]:
        """An epoch that changes the program of the state to the given one, and the difference between the two.

        If relations with facts are declared with other columns, ``columns`` states what their values are: by relation
        and new column an expression over the former columns, ``{"p": {"full": 'cat(first, " ", last)'}}``, and None for
        a former column that is dropped. Columns that keep name and type need nothing, new ones with a default neither.
        """
        from tidelog.engine.open.alter import epoch_to

        return epoch_to(self._core, program, columns)

    def revert(
        self,
        epoch: int | Epoch | None = None,
        *,
        since: int | None = None,
        dry_run: bool = False,
        author: str | None = None,
        note: str | None = None,
    ) -> Epoch:
        """Undo an epoch, by default the last one, by committing the inverse of its changes; returns the new epoch.

        The base facts and rules that it changed are restored, rules with their old labels, and the views are updated.
        ``since`` undoes all epochs after that one, up to ``epoch``. With ``dry_run`` nothing is committed, and the
        result reports what would change. Without a state folder, only the last epoch can be undone; pass the value that
        `epoch` returned. If a later epoch changed one of the facts or rules again, the call is refused with the
        reasons. Expired facts are not restored, and the offsets of sources are kept.
        """
        from tidelog.engine.ask.revert import revert

        return revert(self._core, epoch, since=since, dry_run=dry_run, author=author, note=note)

    def stream(
        self,
        rows: DataFrame,
        relation: str,
        *,
        change: str | None = None,
        name: str | None = None,
        checkpoint: str | None = None,
        event_time: str | None = None,
        also: Mapping[int, Callable[[Epoch], object]] | None = None,
        nulls: Policy | None = None,
        output_mode: str | None = None,
        bad_rows: str | Path | None = None,
        **trigger: str | bool,
    ) -> StreamingQuery:
        """Commit every micro-batch of a Structured Streaming DataFrame as one epoch; returns the running query.

        All rows are inserted, unless the column ``change`` contains +1 or -1. With a state folder, a restart under the
        same ``name`` (by default the relation's) neither loses nor repeats a batch; Spark's checkpoint is stored there,
        or in ``checkpoint``. ``trigger`` is passed to Spark. With ``event_time``, a column of timestamps, the time of
        an epoch is the latest timestamp received: facts expire by it, and a `.lifetime` ``by`` that column limits how
        late rows may be. ``also`` maps the number of a batch to further changes of its epoch:
        ``{3: lambda e: e.add_rule("...")}``. ``nulls`` is the null policy of the rows, as in `Epoch.insert`.
        ``output_mode`` is Spark's: an aggregate in mode ``update`` replaces the rows of a relation with a key. With
        ``bad_rows``, a folder, rows that do not fit are written there with the reason, and the stream continues.
        """
        from tidelog.engine.write import feeds  # few engines have any
        from tidelog.spark.streams import Stream

        given = Stream(
            rows,
            relation,
            name or relation,
            change,
            checkpoint,
            trigger,
            event_time,
            also or {},
            nulls,
            output_mode,
            None if bad_rows is None else str(bad_rows),
        )
        return feeds.stream(self._core, given, partial(commit.begin_batch, self._core))

    # Reading

    @property
    def relations(self) -> tuple[str, ...]:
        """The names of all relations."""
        return self._core.relations

    @property
    def rules(self) -> dict[str, str]:
        """The text of every rule, by label."""
        return read.rules(self._core)

    @property
    def program(self) -> Program:
        """Declarations and rules in force; facts are read from views."""
        return self._core.rules.program

    @property
    def convention(self) -> str:
        """The convention by which identifiers are read: ``prolog`` or ``souffle``."""
        return self.program.convention

    @property
    def epoch_number(self) -> int:
        """The number of the last committed epoch."""
        return self._core.number

    @property
    def time(self) -> int | float:
        """The time of the last committed epoch, in seconds; 0 before the first epoch that had a time."""
        return read.time(self._core)

    @property
    def fact_count(self) -> int:
        """The number of facts held, auxiliary relations included; may be read while an epoch runs."""
        with self._core.serving():
            return self._core.runtime.facts.fact_count

    @property
    def memory(self) -> int:
        """Bytes held by facts, indexes, journals and texts, and by the copies that concurrent readers use."""
        return read.memory(self._core)

    @property
    def profiling(self) -> bool:
        """Whether the time of rules is sampled, which costs a little."""
        return self._core.profiler.sampling

    @profiling.setter
    def profiling(self, sampling: bool) -> None:
        self._core.profiler.sampling = sampling

    def metrics(self) -> str:
        """Metrics of the engine in the text format of Prometheus."""
        return metrics(self._core)

    def _repr_html_(self) -> str:
        from tidelog.engine.read.page import engine_page

        return engine_page(self._core)

    def __getitem__(self, name: str) -> View:
        return open_view(self._core, name)

    def __contains__(self, name: object) -> bool:
        return self._core.knows(name)

    def asserted(self, name: str) -> Rows:
        """The base facts of a relation: those that were asserted, even if rules also derive them."""
        return read.asserted(self._core, name)

    def undefined(self, name: str) -> Rows:
        """The facts of a relation that depend on their own negation and are neither true nor false."""
        return read.undefined(self._core, name)

    def rule(self, label: str) -> Rule:
        """The rule with a label."""
        return self._core.rules.rule(label)

    def query(self, text: str) -> Rows:
        """The answers to a query: one column per variable, in order of appearance."""
        return query.query(self._core, text)

    def prepare(self, text: str, bind: str | Sequence[str] = ()) -> PreparedQuery:
        """A query that is prepared once and run often, with values for the variables in ``bind``.

        ``db.prepare("reach(X, Y)", bind="X")(77)`` returns the answers for one X.
        """
        return query.prepare(self._core, text, bind)

    def sparql(self, text: str, *, triples: str = "triple") -> Rows:
        """The solutions of a SPARQL query over a relation of triples: one column per variable that it shows.

        Terms are texts as in N-Triples; what is unbound is the empty text. The rows have the order and the duplicates
        that SPARQL defines. The result of ASK has no columns, and one row if the answer is yes. `sparql_rules` makes a
        view of a query instead.
        """
        from tidelog.engine.read.sparql import sparql  # needs the extra `rdf`

        return sparql(self._core, text, triples)

    async def aquery(self, text: str) -> Rows:
        """The answers to a query, for asyncio: they are computed on another thread while the loop continues."""
        return await query.aquery(self._core, text)

    # Asking

    def why(self, fact: Fact, *, depth: int = 100, width: int = 10, nodes: int = 1000) -> Proof:
        """The proof of a fact given as text, ``reach(1, 3)``, or as (relation, values).

        It shows at most ``depth`` levels, ``width`` rows of a group and ``nodes`` facts, and counts what it omits.
        """
        from tidelog.engine.read import ask
        from tidelog.why import Bounds

        return ask.why(self._core, fact, Bounds(depth, width, nodes))

    def why_not(self, fact: Fact) -> WhyNot:
        """Why a fact is absent: for each rule of its relation, how far it gets and which literal fails."""
        from tidelog.engine.read import ask

        return ask.why_not(self._core, fact)

    def blame(
        self, fact: Fact, epoch: int | None = None, *, since: int | None = None, trials: int = 1000
    ) -> Blame | ViewBlame:
        """Why a fact was added, removed or changed its value: in the last epoch that changed it, or the one given.

        For the name of a relation, it explains all of its changes, grouped by cause. With ``since``, it explains all
        epochs after that one together. At most ``trials`` attempts are made, each of which undoes some of the changes.
        """
        from tidelog.engine.ask.blame import blame

        return blame(self._core, fact, epoch, since=since, trials=trials)

    def what_if(self, changes: Trial | Mapping[str, Trial]) -> Alternative | Alternatives:
        """Try changes without committing them: the views, the causes and the cost that they would have.

        ``changes`` is the text of a change script of one epoch, an epoch that is not committed yet, or a function that
        fills one; or a mapping of names to these, which are compared side by side.
        """
        from tidelog.engine.ask.what_if import what_if

        return what_if(self._core, changes)

    def contains(self, facts: Mapping[str, object], *, given: Trial | None = None) -> dict[str, npt.NDArray[np.bool_]]:
        """For each of many rows of some relations, whether it is a fact; all answers belong to one epoch.

        With ``given``, whether it would be one after these changes, which are forms that `what_if` accepts. They are
        rolled back; constraints are not checked.
        """
        from tidelog.engine.ask.given import contains

        return contains(self._core, facts, given)

    def release(self, older_than: float = 0.0) -> int:
        """Delete the files behind DataFrames made from this engine's views; those DataFrames become unreadable.

        With a state folder this covers all files in it that were written at least ``older_than`` seconds ago, also by
        earlier engines; an engine that only reads the folder deletes its own. Returns the number of DataFrames.
        """
        return read.release(self._core, older_than)

    def explain(self, *, core: bool = False, partitions: int | None = None, analyze: bool = False) -> Explanation:
        """Strata, join orders, indexes, and the placement of relations on the engine's or the given partitions.

        With ``core``, the rewritten rules are shown; with ``analyze``, for every step since its plan was made, how
        often it was entered, how many rows it visited and how many passed, compared with the estimates.
        """
        from tidelog.engine.read import ask

        return ask.explain_rules(self._core, core_rules=core, partitions=partitions, analyze=analyze)

    def profile(self) -> Profile:
        """Time, supports, rows, suspended and revived facts per stratum and rule, for the last epoch and for all."""
        from tidelog.engine.read import ask

        return ask.profile(self._core)

    def state(self) -> EngineState:
        """Every fact with its rank and counts, for external checks. The result can be large."""
        from tidelog.engine.read import ask

        return ask.state(self._core)

    def verify(self, spark: SparkSession | None = None) -> Verdict:
        """Certify that the state is exactly the model of the rules, or name the first violation.

        The check shares no evaluation code with the engine. It runs in plain Python; with a Spark session, as SQL.
        """
        from tidelog.engine.read import ask

        return ask.certify(self._core, spark)

    # The state folder

    def changes(self, view: str, since: int = 0) -> list[Change]:
        """The change feed of a relation: (epoch, +1 or -1, fact) for every epoch after ``since``, each exactly once."""
        return durable.changes_since(self._core, self[view].name, since)

    def feed(self, view: str, *, since: int | None = None, capacity: int = CAPACITY) -> Feed:
        """The changes of a view as they are committed, epoch by epoch: ``async for change in db.feed("reach")``.

        Iterate with ``async for`` or ``for``; every item is a `FeedChange`. The feed starts with the next epoch, or
        with the first one after ``since``, which requires a state folder that still keeps it. Epochs never wait: if
        ``capacity`` changes are waiting, later ones are replaced by one `Gap`.
        """
        from tidelog.engine.write.subscribers import open_feed

        return open_feed(self._core, view, since, capacity)

    def on_change(
        self,
        view: str,
        callback: Callable[[FeedChange | Gap], object],
        *,
        since: int | None = None,
        capacity: int = CAPACITY,
    ) -> Subscription:
        """Call a function with every change of a view, in order, on a thread of the subscription that is returned.

        ``since`` and ``capacity`` are those of `feed`. An exception of the callback is logged, and the next change
        follows. `close` waits up to ten seconds for the callbacks to handle what was committed.
        """
        from tidelog.engine.write.subscribers import subscribe

        return subscribe(self._core, view, callback, since, capacity)

    def write_feed(
        self,
        view: str,
        *,
        folder: str | Path | None = None,
        table: str | None = None,
        merge: bool = False,
        topic: str | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """From now on, write the changes of a view, epoch by epoch, to Parquet files, a Spark table or a Kafka topic.

        The column ``change`` contains +1 or -1, the column ``epoch`` the number of the epoch; a message is a JSON
        object with these, and its key is the fact. ``options`` are Spark's for Kafka. Changes that an earlier run has
        not written are written first, from the history of the state folder; without a state folder, the feed starts
        with the next epoch. With ``merge``, an existing table of a format that supports MERGE is kept equal to the view
        instead.
        """
        from tidelog.engine.write import feeds

        feeds.write_feed(self._core, view, feeds.FeedTarget(folder, table, merge, topic, options))

    def log(self) -> list[LogEntry]:
        """The epochs that the state folder keeps, oldest first."""
        return durable.log(self._core)

    def snapshot(self) -> None:
        """Write a snapshot of the state, so that the next opening need not read the log up to this epoch."""
        durable.snapshot(self._core)

    # Closing

    def close(self) -> None:
        """Release the memory and the state folder; the engine cannot be used afterwards."""
        self._core.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return read.summary(self._core)


def core_of(engine: Engine) -> Core:
    """The core of an engine, for the packages that look behind its public members."""
    return engine._core


def _find_causes(core: Core, epoch: Epoch, fact: Fact | Violation, trials: int) -> Blame | ViewBlame:
    """What caused a change of an epoch; imported on the first request, since few engines need it."""
    from tidelog.engine.ask.blame import blame_epoch

    return blame_epoch(core, epoch, fact, trials)
