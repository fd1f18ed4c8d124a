"""The engine on Spark: views on resident partitions beside the same views kept with Spark alone, and rates.

Law: everything runs in one local session, one partition per core; a session that is given is used and left as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from benchmarks.cases.catalogue import Case, Group
from benchmarks.cases.spark_beside import CONTESTS, PARTITIONS, Contest, Effort, beside, warm_up
from benchmarks.cases.spark_opening import opening
from benchmarks.cases.spark_rates import RATES
from benchmarks.cases.spark_wide import wide
from benchmarks.inner import local_session
from benchmarks.options import Options
from benchmarks.record import Record

SETTINGS = {
    "spark.sql.shuffle.partitions": str(PARTITIONS),
    "spark.sql.adaptive.enabled": "false",  # there is nothing to adapt with so few partitions, and it costs jobs
}
"""What the loops need to be fast; the resident partitions use none of it."""


@contextmanager
def session(options: Options) -> Iterator[Options]:
    """Options with a session; warm, but for a quick run."""
    if options.session is not None:
        yield options
        return
    with local_session(PARTITIONS, memory="4g", settings=SETTINGS) as spark:
        if not options.quick:
            warm_up(spark)
        yield replace(options, session=spark)


def effort(options: Options) -> Effort:
    """How much is measured."""
    return Effort(True, options.repeats(1), 2) if options.quick else Effort(builds=options.repeats(3))


def contest(found: Contest, options: Options) -> Iterator[Record]:
    """A view beside the same view kept with Spark alone."""
    return beside(found, options.session, effort(options))


def rate(measure: Callable[..., Iterator[Record]], options: Options) -> Iterator[Record]:
    """Partitions alone."""
    return measure(options.session, effort(options))


GROUP = Group(
    {
        **{
            name: Case(f"{name} beside hand-written Spark", partial(contest, found), needs="spark")
            for name, found in CONTESTS.items()
        },
        "opening": Case("an engine opened, and the first DataFrame", partial(rate, opening), needs="spark"),
        "rounds": Case("a round between partitions", partial(rate, RATES["rounds"]), needs="spark"),
        "one-row": Case("an epoch of one row", partial(rate, RATES["one-row"]), needs="spark"),
        "partitions": Case("one partition beside two", partial(rate, RATES["partitions"]), needs="spark"),
        "messages": Case("messages between partitions", partial(rate, RATES["messages"]), needs="spark"),
        "growth": Case("1 to 700 x the data: 10^8 facts", partial(rate, RATES["growth"]), needs="spark"),
        "wide": Case("64 partitions in a session of their own", partial(rate, wide), needs="spark"),
    },
    session,
)
