"""Starting on Spark: opening an engine, and the first DataFrame, in a session that has run a job and nothing else.

Law: every repetition is a process with a separate session, since a first time happens once. Next to each time is
what a job without any work takes in the same session, at the same moment of its life: Spark itself warms up for long.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.cases.spark_beside import PARTITIONS, Effort
from benchmarks.measure import timed
from benchmarks.outcome import Disagreement
from benchmarks.record import HEADLINE, Record, Target, median_of

RULES = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y), edge(Y, Z)."
OPENING, OVER_EMPTY = Target(2), Target(2)


def opening(_: object, effort: Effort) -> Iterator[Record]:
    """Separate sessions, one after the other; the group's session stays idle meanwhile."""
    found = [_in_a_process() for _ in range(1 if effort.quick else effort.builds)]
    facts = {name: min(each[name] for each in found) for name in ("empty before", "empty after")}
    opened = median_of(HEADLINE, (each["opening"] for each in found), "s", clock="wall", target=OPENING)
    over = (each["first"] - each["empty after"] for each in found)
    first = median_of(HEADLINE, over, "s", clock="wall", target=OVER_EMPTY)
    yield Record("session", "opening an engine, session that has run a job", (opened,), facts)
    yield Record("session", "the first DataFrame, over an empty job", (first,), facts)


def _in_a_process() -> dict[str, float]:
    """Seconds of one session."""
    command = [sys.executable, "-m", "benchmarks.cases.spark_opening"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise Disagreement(f"a session of its own ends with {ended.returncode}: {ended.stderr[-500:]}")
    times: dict[str, float] = json.loads(ended.stdout.splitlines()[-1])
    return times


def _measure() -> dict[str, float]:
    from tidelog import Engine
    from tidelog.spark import local_session

    with local_session(PARTITIONS) as spark:
        spark.range(1).count()
        _, before = timed(lambda: spark.range(1).count())
        db, opened = timed(lambda: Engine(RULES, spark=spark, partitions=PARTITIONS))
        _, after = timed(lambda: spark.range(1).count())
        rows = spark.createDataFrame([(1, 2), (2, 3)], "x long, y long")

        def insert() -> None:
            with db.epoch() as epoch:
                epoch.insert("edge", rows)

        _, first = timed(insert)
        with db:
            if sorted(db["reach"]) != [(1, 2), (1, 3), (2, 3)]:
                raise Disagreement("the first DataFrame gives something else")
    return {"empty before": before.wall, "opening": opened.wall, "empty after": after.wall, "first": first.wall}


if __name__ == "__main__":
    print(json.dumps(_measure()))
