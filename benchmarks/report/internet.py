"""The page of routing between autonomous systems."""

from __future__ import annotations

import math

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, Table, machine_text, number, prose, table

WHOLE = 70_000
"""Systems of the whole Internet, about."""
RATE = 2.8e6
"""Messages a second that one of two partitions on Spark sends: half of what `spark/messages` measures."""
ROUND = 1.43
"""Milliseconds of a round with little data on Spark, as `spark/rounds` measures it on two partitions."""
MANY = 64
"""Partitions for which the changes of the whole are reported."""


def page(run: Run) -> Page:
    """Builds, and changes by kind."""
    how = prose(
        f"""Written by `{run.command}`. {machine_text(run.machine, "numba")}. Processor time of one process; with
        several partitions, the sum of all. A route is a system, a destination and a next hop. An advert is one route
        announced over one link, a message is one support sent from one partition to another, and a round is one
        exchange among all partitions. Next hops were checked by search, after the build and after all changes."""
    )
    return Page(
        "Policy routing at Internet scale",
        (how, *_builds(run.of("build")), *_changes(run.of("change")), *needs(run)),
    )


def _builds(records: list[Record]) -> tuple[str | Table, ...]:
    if not records:
        return ()
    head = ("systems", "links", "destinations", "routes", "where", "build, s", "µs per route", "bytes per route")
    head += ("peak, MiB", "adverts", "messages", "rounds", "paths, s", "longest path")
    return "## Builds", table(head, list(map(_build, records)), ("where",))


def _build(record: Record) -> tuple[object, ...]:
    facts = record.facts
    sizes = tuple(f"{facts[name]:,}" for name in ("systems", "links", "destinations", "routes"))
    each = 1e6 * record["build"] / facts["routes"]
    measured = (number(record["build"]), number(each), f"{record['bytes per route']:.0f}", f"{record['peak']:,.0f}")
    counted = tuple(f"{record[name]:,.0f}" for name in ("adverts", "messages", "rounds"))
    return (*sizes, facts["place"], *measured, *counted, number(record["paths"]), f"{record['longest path']:.0f}")


def _changes(records: list[Record]) -> tuple[str | Table, ...]:
    if not records:
        return ()
    text = prose("Medians over the changes of a kind, with the maximum in parentheses; one epoch each.")
    head = ("change", "systems", "where", "times", "ms", "routes", "adverts", "messages", "rounds")
    return "## Changes", text, table(head, list(map(_change, records)), ("where",))


def _change(record: Record) -> tuple[object, ...]:
    facts = record.facts
    both = (_both(record, name) for name in ("milliseconds", "routes", "adverts", "messages", "rounds"))
    return facts["what"], f"{facts['systems']:,}", facts["place"], facts["times"], *both


def _both(record: Record, name: str) -> str:
    return f"{number(record[name])} ({number(record[f'most {name}'])})"


def needs(run: Run) -> tuple[str | Table, ...]:
    """What all routes of the whole Internet would need, from what the largest graph cost per route."""
    located = [r for r in run.of("build") if _by_system(r)]
    if not located:
        return ()
    record = max(located, key=lambda r: r.facts["systems"])
    text = prose(
        f"""All destinations of {WHOLE:,} systems are {WHOLE**2:,} routes. The estimates use the cost per route of the
        build of {record.facts["systems"]:,} systems, placed by system; the number of adverts per route is the same at
        all sizes. Messages are those that leave a partition, at the {RATE / 1e6:.1f} million a second that one
        partition sent in the [measurements on Spark](spark.md). Rounds are those of that build, at the {ROUND} ms of a
        round with little data there, between two partitions. The probability is that of two different paths with one id
        of 64 bits, which refuses the epoch."""
    )
    head = ("partitions", "GB each", "routes each", "processor hours each", "messages each", "minutes of messages")
    head += ("rounds", "ms of rounds")
    lines = [_need(record, partitions) for partitions in (16, 64, 256)]
    clash = 1 - math.exp(-((WHOLE**2) ** 2) / 2**65)
    return (
        "## What the whole Internet would need",
        text,
        table(head, lines),
        f"Two paths with one id: {100 * clash:.0f} %.",
        *_changes_of_the_whole([r for r in run.of("change") if _by_system(r)]),
    )


def _by_system(record: Record) -> bool:
    return bool(record.facts["place"].endswith("by system"))


def _need(record: Record, partitions: int) -> tuple[str, ...]:
    routes = WHOLE**2 / partitions
    per_route = {name: record[name] / record.facts["routes"] for name in ("build", "adverts")}
    messages = routes * per_route["adverts"] * (1 - 1 / partitions)
    return (
        str(partitions),
        f"{routes * record['bytes per route'] / 1e9:.0f}",
        f"{routes:,.0f}",
        number(routes * per_route["build"] / 3600),
        f"{messages:,.0f}",
        number(messages / RATE / 60),
        *_rounds(record),
    )


def _rounds(record: Record) -> tuple[str, str]:
    return f"{record['rounds']:.0f}", number(ROUND * record["rounds"])


def _changes_of_the_whole(records: list[Record]) -> tuple[str | Table, ...]:
    """What a link that fails would cost if every system were a destination, from each size that was measured."""
    failing = [r for r in records if r.facts["what"].endswith("fails")]
    if not failing:
        return ()
    text = prose(
        f"""Link failures if all {WHOLE:,} systems were destinations: the medians above, placed by system, multiplied
        by the number of destinations and divided among {MANY} partitions; rounds as measured, at {ROUND} ms. The fixed
        cost of an epoch is multiplied, too, so the estimates for sizes with few destinations are too high."""
    )
    head = ("change", "systems", "destinations", "adverts of the whole", "ms of work each", "rounds", "ms of rounds")
    return text, table(head, list(map(_change_of_the_whole, failing)))


def _change_of_the_whole(record: Record) -> tuple[object, ...]:
    facts = record.facts
    times = WHOLE / facts["destinations"]
    measured = f"{facts['systems']:,}", f"{facts['destinations']:,}"
    work = number(times * record["milliseconds"] / MANY)
    return facts["what"], *measured, number(times * record["adverts"]), work, *_rounds(record)
