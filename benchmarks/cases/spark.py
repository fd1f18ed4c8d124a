"""The engine on Spark: ``python -m benchmarks.spark [--only NAME ...] [--quick] [--write]``.

Views on resident partitions beside the same views kept by DataFrame loops and by Spark's recursive SQL, then rounds,
epochs, partitions and growth by themselves. Everything runs in one local session, one partition per core. ``--write``
keeps the page ``benchmarks/results/spark.md``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.measure import timed
from benchmarks.outcome import Disagreement
from benchmarks.spark_beside import CONTESTS, PARTITIONS, Effort, beside, warm_up
from benchmarks.spark_findings import Finding, parts
from benchmarks.spark_rates import RATES
from benchmarks.table import write_page
from tidelog.runtime.spark import local_session

PAGE = Path(__file__).parent / "results" / "spark.md"
NAMES = (*CONTESTS, *RATES)
SETTINGS = {
    "spark.sql.shuffle.partitions": str(PARTITIONS),
    "spark.sql.adaptive.enabled": "false",  # there is nothing to adapt with so few partitions, and it costs jobs
}
"""What the loops need to be fast; the resident partitions use none of it."""


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=NAMES, help=", ".join(NAMES))
    parser.add_argument("--quick", action="store_true", help="small data: shows that everything runs, measures little")
    parser.add_argument("--write", action="store_true", help="keep the page of results")
    return parser.parse_args(given)


def main(
    given: Sequence[str] | None = None, spark: SparkSession | None = None, show: Callable[[str], None] = print
) -> None:
    """Measure, show and write; a session that is given is used and left as it is."""
    asked = arguments(given)
    effort = Effort(True, 1, 2) if asked.quick else Effort()
    try:
        with _session(spark) as session:
            names = asked.only or NAMES
            if not asked.quick and any(name in CONTESTS for name in names):
                show(f"warm after {warm_up(session):.0f} s")
            findings = [finding for name in names for finding in _run(name, session, effort, show)]
    except Disagreement as error:
        sys.exit(str(error))
    told = parts(findings, effort.method)
    show("\n\n".join(told))
    if asked.write:
        PAGE.parent.mkdir(exist_ok=True)
        write_page(PAGE, "The engine on Spark, measured", told)


@contextmanager
def _session(given: SparkSession | None) -> Iterator[SparkSession]:
    if given is not None:
        yield given
        return
    with local_session(PARTITIONS, memory="4g", settings=SETTINGS) as session:
        yield session


def _run(name: str, spark: SparkSession, effort: Effort, show: Callable[[str], None]) -> list[Finding]:
    found, took = timed(lambda: list(_cases(name, spark, effort)))
    for finding in found:
        show(f"{name}: " + " | ".join(filter(None, finding.line())))
    show(f"{name}: done after {took.wall:.0f} s")
    return found


def _cases(name: str, spark: SparkSession, effort: Effort) -> Iterator[Finding]:
    return beside(CONTESTS[name], spark, effort) if name in CONTESTS else RATES[name](spark, effort)


if __name__ == "__main__":
    main()
