"""Metrics of the sources of a server, after those of the engine.

Law: reading the metrics never waits for a source; a server without sources adds nothing to the page.
"""

from __future__ import annotations

from collections.abc import Sequence

from tidelog.engine.read.metrics import quoted
from tidelog.serve.sources import ServerSource

NUMBERS = {
    "lag": (
        "source_lag_seconds",
        "gauge",
        "Seconds from a commit in the source to its epoch; increases while the follower is behind",
    ),
    "transactions": ("source_transactions_total", "counter", "Committed transactions of the source"),
    "snapshots": ("source_snapshots_total", "counter", "Snapshots of whole tables"),
    "reconnects": ("source_reconnects_total", "counter", "Retries after an error of the source"),
}
RUNNING = ("running", "following")


def source_metrics(sources: Sequence[ServerSource]) -> str:
    """Lines in the text format of Prometheus."""
    samples: dict[tuple[str, str, str], list[str]] = {}
    for source in sources:
        health, label = source.health(), f'source="{quoted(source.name)}"'
        running = ("source_running", "gauge", "Whether the source is followed without an error")
        samples.setdefault(running, []).append(f"{{{label}}} {int(health['state'] in RUNNING)}")
        for name, about in NUMBERS.items():
            if name in health:
                samples.setdefault(about, []).append(f"{{{label}}} {health[name]!r}")
        rows = ("source_quarantined_rows", "gauge", "Rows of a table that cannot be converted to facts")
        for table in source.quarantine():
            relation = f'relation="{quoted(table["relation"])}"'
            samples.setdefault(rows, []).append(f"{{{label},{relation}}} {table['rows']}")
    lines = []
    for (name, kind, text), values in samples.items():
        lines += [f"# HELP tidelog_{name} {text}", f"# TYPE tidelog_{name} {kind}"]
        lines += [f"tidelog_{name}{value}" for value in values]
    return "".join(f"{line}\n" for line in lines)
