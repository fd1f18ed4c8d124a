"""Questions that an engine answers about itself: why, how, and whether all of it is true.

Law: a question changes nothing. What several partitions hold is put together in this process first, so that these are
questions for people and tests, not for data.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from tidelog.engine.core import Core, known_columns
from tidelog.engine.state import gather_state
from tidelog.explain.explanation import Explanation, explain
from tidelog.explain.profile import Profile
from tidelog.plan.ruleset import Ruleset
from tidelog.program.arguments import argument_error, must_be
from tidelog.program.state import EngineState
from tidelog.verify import Verdict, verify
from tidelog.verify.demanded import with_rules
from tidelog.why import Bounds, Ledger, Proof, WhyNot, asked_types, fact_key, prove, read_fact, refute
from tidelog.why.sight import RunningSight

if TYPE_CHECKING:
    from tidelog.spark.types import SparkSession

Fact = str | tuple[str, Iterable[object]]  # ``reach(1, 3)``, or relation and values


def why(core: Core, fact: Fact, bounds: Bounds) -> Proof:
    """The proof of a fact."""
    with core.writing, ledger_of(core, bounds.work) as ledger:
        return prove(ledger, _fact_key(core, fact, ledger), bounds)


def why_not(core: Core, fact: Fact) -> WhyNot:
    """Why a fact is absent."""
    with core.writing, ledger_of(core, Bounds().work) as ledger:
        return refute(ledger, _fact_key(core, fact, ledger))


def ledger_of(core: Core, work: int) -> Ledger:
    """The committed state, to be asked; that of several partitions is put together first."""
    placing = core.planner.placing
    form, rules = placing.form, core.rules
    node = core.runtime.facts.whole(form, rules, lambda: core.planner.forming(core.rules))
    if core.runtime.partitions > 1:
        rules = replace(rules, core=form.core, schema=form.schema, needed=placing.needed(rules))
    return Ledger(node.partition, node.strata, rules, work)


def running_ledger(core: Core, rules: Ruleset, work: int) -> Ledger:
    """The epoch that has run and is not committed, to be asked; ``rules`` are those that it leads to."""
    placing = core.planner.placing
    form = placing.next_form(rules)
    node = core.runtime.facts.whole(form, rules, lambda: core.planner.forming(rules), running=True)
    if core.runtime.partitions == 1:
        return Ledger(node.partition, node.strata, rules, work, RunningSight(node.partition.relations))
    whole = replace(rules, core=form.core, schema=form.schema, needed=placing.needed(rules))
    return Ledger(node.partition, node.strata, whole, work)


def _fact_key(core: Core, fact: Fact, ledger: Ledger) -> tuple[str, tuple[int, ...]]:
    """The fact as cells; in columns without a type the ledger takes them for what they are."""
    core.must_be_open()
    name, values = read_fact(fact, core.rules.functions)
    if not core.knows(name):
        raise core.unknown_relation(name)
    types = asked_types(values, core.rules.schema[name])
    ledger.rules = replace(ledger.rules, schema={**ledger.rules.schema, name: types})
    return fact_key(name, values, types, core.dictionary)


def explain_rules(core: Core, *, core_rules: bool, partitions: int | None, analyze: bool) -> Explanation:
    """How the rules are evaluated, on the engine's partitions or on so many; with ``analyze`` what steps did."""
    core.must_be_open()
    must_be(partitions, (int, type(None)), "partitions", "a number of partitions, or None")
    count = partitions or core.runtime.partitions
    with core.writing:
        placed = core.planner.placing.placed(core.rules) if count > 1 else None
        rebuilt, columns = core.profiler.rebuilt(), known_columns(core)
        return explain(core.runtime, core.rules, columns, core_rules, placed, count, rebuilt, analyze=analyze)


def profile(core: Core) -> Profile:
    """Where epochs spent their time."""
    return core.profiler.profile(core.rules, core.runtime.facts.plan_counts)


def state(core: Core) -> EngineState:
    """Every fact with its rank and counts."""
    core.must_be_open()
    with core.writing:
        return gather_state(core.runtime, core.planner.placing.form, core.dictionary)


def certify(core: Core, spark: SparkSession | None) -> Verdict:
    """Check the state against the rules, in Python or with a Spark session as SQL."""
    if spark is not None and not hasattr(spark, "sparkContext"):
        raise argument_error(spark, "spark", "a session of Spark, or None")
    with core.writing:
        program, held, functions = core.rules.program, state(core), core.rules.functions
        if core.rules.demand is not None:
            program, held = with_rules(program, core.rules.core.values(), held)
    if spark is None:
        return verify(program, None, held, functions)
    from tidelog.spark.verify import verify_with_spark

    return verify_with_spark(program, None, held, spark, functions)
