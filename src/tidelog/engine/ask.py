"""The part of an engine that answers questions about itself: why, how, at what cost, and whether all of it is true.

Law: a question changes nothing. What several partitions hold is put together in this process first, so that these are
questions for people and tests, not for data.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tidelog.engine.state import gather_state
from tidelog.engine.whole import put_together
from tidelog.errors import EngineError
from tidelog.explain.explanation import Explanation, explain
from tidelog.explain.profile import Profile, Profiler
from tidelog.partition.dictionary import Dictionary
from tidelog.plan.planner import Planner, Runtime
from tidelog.plan.ruleset import Ruleset
from tidelog.program import Program
from tidelog.program.state import EngineState
from tidelog.runtime.embedded import EmbeddedRuntime
from tidelog.spark.verify import verify_with_spark
from tidelog.verify import Verdict, verify
from tidelog.why import Bounds, Ledger, Proof, WhyNot, fact_key, prove, read_fact, refute


class Asking:
    """What `Engine` inherits; the attributes are the engine's."""

    _planner: Planner
    _profiler: Profiler
    _rules: Ruleset
    _runtime: Runtime
    _writing: threading.RLock

    if TYPE_CHECKING:

        @property
        def program(self) -> Program: ...

        @property
        def _dictionary(self) -> Dictionary: ...

        def __contains__(self, name: object) -> bool: ...

        def _column_names(self, name: str) -> tuple[str, ...]: ...

        def _must_be_open(self) -> None: ...

        def _unknown_relation(self, name: str) -> EngineError: ...

    def why(
        self, fact: str | tuple[str, Iterable[object]], *, depth: int = 100, width: int = 10, nodes: int = 1000
    ) -> Proof:
        """The proof of a fact given as text, ``reach(1, 3)``, or as (relation, values).

        It is told to ``depth`` levels, ``width`` rows of a group and ``nodes`` facts; what is cut is counted.
        """
        bounds = Bounds(depth, width, nodes)
        with self._writing, self._ledger(bounds.work) as ledger:
            return prove(ledger, self._fact_key(fact), bounds)

    def why_not(self, fact: str | tuple[str, Iterable[object]]) -> WhyNot:
        """Why a fact is absent: for each rule of its relation how far it gets, and what stops it."""
        with self._writing, self._ledger(Bounds().work) as ledger:
            return refute(ledger, self._fact_key(fact))

    def _ledger(self, work: int) -> Ledger:
        """The state to be asked; that of several partitions is put together first."""
        if isinstance(self._runtime, EmbeddedRuntime):
            return Ledger(self._runtime, self._rules, work)
        form = self._planner.placing.form
        rules = replace(
            self._rules, core=form.core, schema=form.schema, needed=self._planner.placing.needed(self._rules)
        )
        return Ledger(put_together(self._runtime, form, rules, self._planner.planning(self._rules, {})), rules, work)

    def _fact_key(self, fact: str | tuple[str, Iterable[object]]) -> tuple[str, tuple[int, ...]]:
        self._must_be_open()
        name, values = read_fact(fact, self._rules.functions)
        if name not in self:
            raise self._unknown_relation(name)
        return fact_key(name, values, self._rules.schema[name], self._dictionary)

    def explain(self, *, core: bool = False, partitions: int | None = None) -> Explanation:
        """Strata, join orders and indexes, and where relations live on the engine's partitions, or on so many.

        With ``core`` in terms of the rules as they were rewritten.
        """
        self._must_be_open()
        columns = {name: self._column_names(name) for name in self._rules.schema}
        count = partitions or self._runtime.partitions
        with self._writing:
            placed = self._planner.placing.placed(self._rules) if count > 1 else None
            return explain(self._runtime, self._rules, columns, core, placed, count)

    def profile(self) -> Profile:
        """Time, supports, suspended and revived facts per stratum and rule: of the last epoch, and of all."""
        return self._profiler.profile()

    @property
    def profiling(self) -> bool:
        """Whether the time of rules is sampled, which costs a little."""
        return self._profiler.sampling

    @profiling.setter
    def profiling(self, wanted: bool) -> None:
        self._profiler.sampling = wanted

    def state(self) -> EngineState:
        """Every fact with its rank and counts, for checks from outside; large."""
        self._must_be_open()
        return gather_state(self._runtime, self._planner.placing.form, self._dictionary)

    def verify(self, spark: Any = None) -> Verdict:
        """Certify that the state is exactly the model of the rules, or name the first violation.

        The check shares no evaluation code with the engine. It runs in plain Python; with a Spark session, as SQL.
        """
        with self._writing:
            program, state, functions = self.program, self.state(), self._rules.functions
        if spark is None:
            return verify(program, None, state, functions)
        return verify_with_spark(program, None, state, spark, functions)
