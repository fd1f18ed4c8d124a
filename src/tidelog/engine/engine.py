"""The engine: a program, its facts, and views that stay true while both change.

Law: after every epoch the state equals evaluation of the current rules over the current base facts from scratch; an
epoch commits whole or leaves no trace. This module shows what an engine can do; how it is done stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidelog.engine import commit, durable, read
from tidelog.engine.arguments import check_arguments, program_of_file
from tidelog.engine.commit import advance, begin
from tidelog.engine.committed import Committed
from tidelog.engine.core import Asked, Core, Read
from tidelog.engine.epoch import Epoch
from tidelog.engine.metrics import metrics
from tidelog.engine.open import Where, open_runtime
from tidelog.engine.query import aquery, prepare, query
from tidelog.engine.questions import blame, repartition, what_if
from tidelog.engine.start import start
from tidelog.engine.times import Times, read_clock
from tidelog.engine.view import Rows, View, open_view
from tidelog.partition.limits import Limits
from tidelog.plan.advice import read_plans
from tidelog.plan.modes import Plans
from tidelog.plan.planner import Planner
from tidelog.plan.ruleset import Ruleset
from tidelog.program import Program, Rule
from tidelog.program.functors import Given, function_table
from tidelog.store.store import HISTORY

if TYPE_CHECKING:
    from tidelog.explain.explanation import Explanation
    from tidelog.explain.profile import Profile
    from tidelog.io.nulls import Policy
    from tidelog.program.state import EngineState
    from tidelog.spark.types import DataFrame, SparkSession, StreamingQuery
    from tidelog.store.difference import Difference
    from tidelog.store.history import Change, LogEntry
    from tidelog.store.store import Store
    from tidelog.verify import Verdict
    from tidelog.why import Proof, WhyNot


class Engine:
    """Datalog views that are maintained under changes of facts and rules.

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
        functions: Given = (),
        plans: str = Plans.advice,
        strict: bool = False,
        clock: str | None = None,
        tls: bool | None = None,
    ) -> None:
        taken = read_plans(plans)
        parsed = check_arguments(program, path, at, history, spark, partitions, threads, limits, functions, tls)
        table, own = function_table(functions, parsed)
        later = functions if parsed == Program(convention=parsed.convention) else ()
        opened = open_runtime(Where(table, own, path, at, history, spark, partitions, threads, tls, later))
        runtime = opened.runtime
        planner = Planner(runtime.partitions, runtime.facts, lambda: runtime.node.groups, taken)
        committed = Committed(Ruleset(Program(convention=parsed.convention), opened.functions), {}, 0, {})
        self._core = Core(committed, (opened, planner), strict=strict, times=Times(read_clock(clock)))
        try:
            runtime.set_limits(limits or Limits())
            start(self._core, parsed)
        except BaseException:
            self.close()
            raise

    @classmethod
    def from_file(cls, file: str | Path, **options: Any) -> Engine:
        """An engine of the program in a file; includes are looked up beside it. Options are those of `Engine`."""
        return cls(program_of_file(file), **options)

    # Changing

    epoch, advance, repartition = Asked(begin), Asked(advance), Asked(repartition)

    def preview(self, epoch: Epoch) -> None:
        """Run an epoch, tell in it what would change and what that costs, and roll it back."""
        commit.preview(self._core, epoch)

    def epoch_to(self, program: str | Program) -> tuple[Epoch, Difference]:
        """An epoch that makes the program of the state say what the given one says, and how the two differ."""
        epoch = self.epoch()
        return epoch, durable.collect_difference(self._core, program, epoch.collected)

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
        **trigger: str | bool,
    ) -> StreamingQuery:
        """Make every micro-batch of a Structured Streaming DataFrame one epoch; gives the running query.

        All rows are insertions, or the column ``change`` says +1 or -1. With a state folder a restart under the same
        ``name`` (by itself the relation's) neither loses nor repeats a batch; Spark's notes are there too, or where
        ``checkpoint`` says. ``trigger`` is handed to Spark. With ``event_time``, a column of timestamps, the time of an
        epoch is the latest that came: facts end by it, and a `.lifetime` ``by`` that column is how late rows may be.
        ``also`` says by the number of a batch what else its epoch does: ``{3: lambda e: e.add_rule("...")}``.
        ``nulls`` is the null policy of its rows, as in `Epoch.insert`.
        """
        given = (rows, relation, name or relation, change, checkpoint, trigger, event_time, also or {}, nulls)
        return durable.stream(self._core, given, partial(commit.begin_batch, self._core))

    # Reading

    relations, rules = Read(read.relations), Read(read.rules)
    program, convention = Read(read.program), Read(read.convention)
    epoch_number, time = Read(read.epoch_number), Read(read.time)
    fact_count, memory, metrics = Read(read.fact_count), Read(read.memory), Asked(metrics)
    profiling = Read(read.profiling, read.set_profiling)
    _repr_html_ = Read(read.page)

    def __getitem__(self, name: str) -> View:
        return open_view(self._core, name)

    def __contains__(self, name: object) -> bool:
        return self._core.knows(name)

    def asserted(self, name: str) -> Rows:
        """The base facts of a relation: those that were asserted, derivable or not."""
        return read.asserted(self._core, name)

    def rule(self, label: str) -> Rule:
        """The rule with a label."""
        return self._core.rules.rule(label)

    query, prepare, aquery = Asked(query), Asked(prepare), Asked(aquery)

    # Asking

    def why(
        self, fact: str | tuple[str, Iterable[object]], *, depth: int = 100, width: int = 10, nodes: int = 1000
    ) -> Proof:
        """The proof of a fact given as text, ``reach(1, 3)``, or as (relation, values).

        It is told to ``depth`` levels, ``width`` rows of a group and ``nodes`` facts; what is cut is counted.
        """
        from tidelog.engine import ask
        from tidelog.why import Bounds

        return ask.why(self._core, fact, Bounds(depth, width, nodes))

    def why_not(self, fact: str | tuple[str, Iterable[object]]) -> WhyNot:
        """Why a fact is absent: for each rule of its relation how far it gets, and what stops it."""
        from tidelog.engine import ask

        return ask.why_not(self._core, fact)

    blame, what_if, release = Asked(blame), Asked(what_if), Asked(read.release)

    def explain(self, *, core: bool = False, partitions: int | None = None, analyze: bool = False) -> Explanation:
        """Strata, join orders and indexes, and where relations live on the engine's partitions, or on so many.

        With ``core`` in terms of the rules as they were rewritten; with ``analyze``, for every step how often it was
        entered, how many rows it visited and how many passed, beside what was expected, since its plan was made.
        """
        from tidelog.engine import ask

        return ask.explain_rules(self._core, core_rules=core, partitions=partitions, analyze=analyze)

    def profile(self) -> Profile:
        """Time, supports, rows, suspended and revived facts per stratum and rule: of the last epoch, and of all."""
        from tidelog.engine import ask

        return ask.profile(self._core)

    def state(self) -> EngineState:
        """Every fact with its rank and counts, for checks from outside; large."""
        from tidelog.engine import ask

        return ask.state(self._core)

    def verify(self, spark: SparkSession | None = None) -> Verdict:
        """Certify that the state is exactly the model of the rules, or name the first violation.

        The check shares no evaluation code with the engine. It runs in plain Python; with a Spark session, as SQL.
        """
        from tidelog.engine import ask

        return ask.certify(self._core, spark)

    # The state folder

    def changes(self, view: str, since: int = 0) -> list[Change]:
        """The change feed of a relation: (epoch, +1 or -1, fact) for every epoch after ``since``, each exactly once."""
        return durable.changes_since(self._core, self[view].name, since)

    def write_feed(self, view: str, *, folder: str | Path | None = None, table: str | None = None) -> None:
        """From now on write what every epoch changes in a view to a folder of Parquet files or to a Spark table.

        A column ``change`` says +1 or -1, a column ``epoch`` which epoch it was. What an earlier run has not written is
        written first, from the history of the state folder; without one the feed begins with the next epoch.
        """
        durable.write_feed(self._core, view, folder, table)

    def log(self) -> list[LogEntry]:
        """The epochs that the state folder keeps, oldest first."""
        return durable.log(self._core)

    def snapshot(self) -> None:
        """Write the whole state, so that the next opening need not read the log up to here."""
        durable.snapshot(self._core)

    # Closing

    def close(self) -> None:
        """Give back the memory and the state folder; the engine cannot be used afterwards."""
        self._core.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return read.summary(self._core)
