"""The page of the server."""

from __future__ import annotations

from benchmarks.record import Run
from benchmarks.report.table import Page, Table, machine_text, prose, table

READS = """
A closure of {rows:,} rows. {readers} connections read the rows of one key, each as fast as it can, while another
commits epochs of one fact; wall time; server and clients share the machine. SQLite computes its recursive view again
for every read: a round is one change and one read, in one process and without HTTP.
"""
FEEDS = """
{clients} clients follow one view by server-sent events; {epochs} epochs of one fact, one after the other. The time is
measured from the response to the commit until the last client has received the event; median of the epochs.
"""
RATES = """
{title}: {clients} connections that stay open, kept busy by wrk, over loopback and beside the load generator on the same
machine. One process serves, with a state folder. Rates and latencies depend on what else the machine does, as do the
rounds of SQLite below, which were measured in the same run; processor time hardly does.
"""
MEMORY = "{epochs:,} epochs of one fact each, which is inserted and deleted in turn, with a state folder."


def page(run: Run) -> Page:
    """Reads, feeds and memory."""
    parts: list[str | Table] = [prose(f"Written by `{run.command}`. {machine_text(run.machine)}.")]
    for record in run.of("rates"):
        lines = [(value.name, f"{value.value:,.1f}", value.unit) for value in record.values]
        text = RATES.format(title=record.title[:1].upper() + record.title[1:], **record.facts)
        parts += [prose(text), table(("what", "measured", "unit"), lines)]
    for kind, text in (("reads", READS), ("feeds", FEEDS), ("memory", MEMORY)):
        for record in run.of(kind):
            lines = [(value.name, f"{value.value:,.1f}", value.unit) for value in record.values]
            parts += [prose(text.format(**record.facts)), table(("what", "measured", "unit"), lines)]
    return Page("The server, measured", tuple(parts))
