"""Questions that an engine answers about its own state: why, how, and whether all of it is true.

Law: a question changes nothing. Why and why not are answered by look-ups where the facts are stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.base.arguments import must_be_session
from tidelog.engine.core.core import Core, known_columns
from tidelog.engine.read.state import gather_state, homes_of, streamed_state
from tidelog.explain.explanation import Explanation, explain
from tidelog.explain.profile import Profile
from tidelog.plan.ruleset import Ruleset
from tidelog.program.functions.arguments import must_be
from tidelog.program.values.state import EngineState
from tidelog.runtime.protocol.frozen_facts import CheckPart
from tidelog.verify import Verdict, Violation, verify
from tidelog.verify.claim import Claim
from tidelog.verify.demand_claim import with_rules
from tidelog.verify.local_strata import Homes, part_of
from tidelog.why import Bounds, Ledger, Proof, WhyNot, fact_key, fact_types, prove, read_fact, refute

if TYPE_CHECKING:
    from tidelog.spark.types import SparkSession

Fact = str | tuple[str, Iterable[object]]  # ``reach(1, 3)``, or relation and values


def why(core: Core, fact: Fact, bounds: Bounds) -> Proof:
    """The proof of a fact."""
    with core.writing:
        ledger = ledger_of(core, bounds.work)
        return prove(ledger, _fact_key(core, fact, ledger, core.rules.bundled), bounds)


def why_not(core: Core, fact: Fact) -> WhyNot:
    """Why a fact is absent."""
    with core.writing:
        ledger = ledger_of(core, Bounds().work)
        return refute(ledger, _fact_key(core, fact, ledger, core.rules.above_bundles))


def ledger_of(core: Core, work: int) -> Ledger:
    """The committed state, for questions."""
    return Ledger(core.runtime, core.rules, work)


def running_ledger(core: Core, rules: Ruleset, work: int) -> Ledger:
    """The state after an epoch that ran and is not committed, for questions; ``rules`` are those after it."""
    return Ledger(core.runtime, rules, work, running=True)


def _fact_key(core: Core, fact: Fact, ledger: Ledger, unexplained: frozenset[str]) -> tuple[str, tuple[int, ...]]:
    """The fact as cells; in columns without a type the ledger uses the type of the value."""
    core.must_be_open()
    name, values = read_fact(fact, core.rules.functions, core.rules.schema, core.rules.program.prefixes)
    if not core.knows(name):
        raise core.unknown_relation(name)
    refuse_bundles(core, name, unexplained)
    types = fact_types(values, core.rules.schema[name])
    ledger.rules = replace(ledger.rules, schema={**ledger.rules.schema, name: types})
    return fact_key(name, values, types, core.dictionary)


def refuse_bundles(core: Core, name: str, unexplained: frozenset[str]) -> None:
    """Refuse to explain facts of a relation that depends on an aggregate in recursion."""
    if name in unexplained:
        raise failures.AGGREGATE_PROOF.error(relation=name, cycle=min(core.rules.bundled, default=name))


def explain_rules(core: Core, *, core_rules: bool, partitions: int | None, analyze: bool) -> Explanation:
    """How the rules are evaluated, on the engine's or the given partitions; with ``analyze``, what steps did."""
    core.must_be_open()
    must_be(partitions, (int, type(None)), "partitions", "a number of partitions, or None")
    count = partitions or core.runtime.partitions
    with core.writing:
        placed = core.planner.placing.placed(core.rules) if count > 1 else None
        rebuilt, columns = core.profiler.rebuilt(), known_columns(core)
        return explain(core.runtime, core.rules, columns, core_rules, placed, count, rebuilt, analyze=analyze)


def profile(core: Core) -> Profile:
    """Where epochs spent their time."""
    return core.profiler.profile(core.rules, lambda: core.read(lambda facts: facts.plan_counts()))


def state(core: Core) -> EngineState:
    """Every fact with its rank and counts."""
    core.must_be_open()
    with core.writing:
        return gather_state(core.runtime, core.planner.placing.form, core.dictionary)


def certify(core: Core, spark: SparkSession | None) -> Verdict:
    """Check the state against the rules, in Python or with a Spark session as SQL."""
    must_be_session(spark)
    core.must_be_open()
    with core.serving(), ExitStack() as open_:
        with core.writing:
            rules, form = core.rules, core.planner.placing.form
            held, frozen = open_.enter_context(streamed_state(core.runtime, form, core.dictionary))
        program, elsewhere = rules.program, None
        if rules.demand is not None:
            program, held = with_rules(program, rules.core.values(), held)
        elif frozen.check is not None:
            elsewhere = partial(_on_partitions, frozen.check, homes_of(form.places))
        if spark is None:
            return verify(program, None, held, rules.functions, elsewhere)
        from tidelog.spark.verify import verify_with_spark

        return verify_with_spark(program, None, held, spark, rules.functions)


def _on_partitions(check: CheckPart, homes: Homes, claim: Claim, place: int) -> tuple[Violation | None, int] | None:
    """The results of partitions for a stratum that they can check separately; None for any other stratum."""
    part = part_of(claim, place, homes)
    return None if part is None else check(part)
