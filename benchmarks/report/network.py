"""The page of the networks: messages and bytes per algorithm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, Table, prose, table

TITLES: Mapping[str, str] = {"reachability": "Reachability", "path-vector": "Path vector with a_MIN"}
MEASURES = ("messages", "bytes")
PREFACE = """
Written by `{command}`. Schedule fifo. An epoch is stopped after {limit} messages, {bytes per message} bytes per
message, or ten updates per message. Its cell is then `> N`, and the next one is `?`. `!` marks a wrong final state, and
`-` an epoch that was refused. States are compared with evaluation from scratch; for the path vector on networks of more
than {judged up to} nodes, only least costs are compared, with breadth-first search.
"""
MARKS = {"right": "", "wrong": " !", "stuck": " stuck"}
PLOT = "![Messages when a link fails, per network and algorithm](network.png)"


UNDER_WAY = (
    (
        "flaps",
        "Changes while updates are under way",
        "Three updates are processed between two changes. The table counts runs with different seeds: those that end "
        "in the tables of evaluation from scratch, in other tables, with a deletion that can never be picked, and "
        "those that have not ended after {limit} steps. Messages are the mean of the runs that end and include "
        "loading. The queues of psn-original keep their order on links in order, as its authors assume, and otherwise "
        "serve any update. The cycle is p :- a, b; q :- p; p :- q, where a is added and then b removed.",
    ),
    (
        "losses",
        "The same on links that lose messages",
        "Messages and acknowledgements are lost with the same probability. Every link delivers in order.",
    ),
)


def page(run: Run) -> Page:
    """A table per program and measure, and the replay."""
    return Page("A link fails and is restored", tuple(_parts(run)), PLOT)


def _parts(run: Run) -> Iterator[str | Table]:
    if records := run.of("traffic"):
        yield prose(PREFACE.format(command=run.command, **records[0].facts))
    for case, title in TITLES.items():
        for measured in MEASURES:
            if found := [record for record in records if record.case == case]:
                yield f"## {title}: {measured}"
                yield traffic_table(found, measured)
    for kind, heading, preface in UNDER_WAY:
        if found := run.of(kind):
            yield f"## {heading}"
            yield prose(preface.format(**found[0].facts))
            yield table(
                ("program", "links", "algorithm", "right", "wrong", "stuck", "no end", "messages"),
                _ends(found),
                ("links", "algorithm"),
            )
    if replayed := run.of("replay"):
        yield "## Replay: path vector with a_MIN, month by month from an empty network"
        head = ("algorithm", "months", "from", "to", "messages", "bytes", "stopped")
        yield table(head, list(map(_replay_line, replayed)), ("from", "to", "stopped"))


def traffic_table(records: Sequence[Record], measured: str) -> Table:
    """One measure of every event under every algorithm; a network is named once."""
    algorithms, last, lines = tuple(records[0].facts["states"]), "", []
    for record in records:
        network = record.facts["network"]
        cells = [cell(record, algorithm, measured) for algorithm in algorithms]
        lines.append(("" if network == last else network, record.facts["event"], *cells))
        last = network
    return table(("network", "event", *algorithms), lines, ("event",))


def cell(record: Record, algorithm: str, measured: str) -> str:
    """The number; ``> N`` over the limit, a mark behind a state that is not right."""
    state = record.facts["states"][algorithm]
    if state in ("refused", "unknown"):
        return "-" if state == "refused" else "?"
    value = f"{record[f'{algorithm} {measured}']:.0f}"
    return f"> {value}" if state == "over limit" else value + MARKS[state]


def _ends(records: Sequence[Record]) -> list[tuple[object, ...]]:
    lines = []
    for record in records:
        messages = [value.value for value in record.values]
        lines.append(
            (*record.facts["names"], *record.facts["ends"].values(), f"{messages[0]:.0f}" if messages else "-")
        )
    return lines


def _replay_line(record: Record) -> tuple[object, ...]:
    months = record.facts["months"]
    ends = (months[0], months[-1]) if months else ("", "")
    stopped = "".join(record.facts["stopped"]) or "-"
    return record.title, len(months), *ends, f"{record['messages']:.0f}", f"{record['bytes']:.0f}", stopped
