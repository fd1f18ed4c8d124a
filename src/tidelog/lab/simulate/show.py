"""What `tidelog simulate` prints: a live picture in a terminal, lines in a pipe, tables at the end.

Law: both show the same; a pipe gets every step as a separate line, a terminal shows the latest ones under a table of
nodes that is redrawn while the run continues.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tidelog.lab.semantics.algorithm import Message, Tables
from tidelog.lab.semantics.fact import Node, Row, Update, order, value_text
from tidelog.lab.semantics.traffic.record import EventRecord, Recorder

LAST_STEPS = 8
MOST_NODES = 24


def show_run(to: Console, recorder: Recorder, script: Sequence[Sequence[Update]], *, steps: bool) -> None:
    """Run all epochs and show them: live in a terminal, as lines in a pipe."""
    if steps and to.is_terminal:
        _show_live(to, recorder, script)
        return
    for number, changes in enumerate((None, *script)):
        if steps:
            to.print(_epoch_text(number, changes))
        for step in recorder.epoch(changes):
            if steps:
                to.print(f"{len(recorder.steps):6}  {step_text(step)}")


def _show_live(to: Console, recorder: Recorder, script: Sequence[Sequence[Update]]) -> None:
    picture = _Picture()
    with Live(console=to, refresh_per_second=12, transient=False) as live:
        for number, changes in enumerate((None, *script)):
            picture.title = _epoch_text(number, changes)
            for step in recorder.epoch(changes):
                picture.see(len(recorder.steps), step)
                live.update(picture.drawn(recorder))


class _Picture:
    """What the live display knows: rows and pending messages per node, and the latest steps."""

    def __init__(self) -> None:
        self.title = ""
        self.rows: Counter[Node] = Counter()
        self.under_way: dict[int, Message] = {}
        self.counts: dict[tuple[Node, str, Row], int] = {}
        self.latest: deque[str] = deque(maxlen=LAST_STEPS)

    def see(self, number: int, step: EventRecord) -> None:
        """Take in one step."""
        for message in step.delivered:
            self.under_way.pop(message.number, None)
        self.under_way.update({message.number: message for message in step.event.sent})
        for change in step.changes:
            key = (change.node, change.relation, change.row)
            self.rows[change.node] += (change.count > 0) - (self.counts.get(key, 0) > 0)
            self.counts[key] = change.count
        self.latest.append(f"{number:6}  {step_text(step)}")

    def drawn(self, recorder: Recorder) -> Group:
        """Title, nodes, latest steps."""
        table = Table("node", "rows", "pending messages", box=None, padding=(0, 2))
        waiting = Counter(message.target for message in self.under_way.values())
        nodes = sorted(self.rows.keys() | waiting.keys(), key=lambda node: order(node))
        for node in nodes[:MOST_NODES]:
            table.add_row(node_text(node), str(self.rows[node]), "•" * min(waiting[node], 40) or "")
        if len(nodes) > MOST_NODES:
            table.add_row(f"and {len(nodes) - MOST_NODES} more", "", "")
        sent = Text(f"{recorder.algorithm.messages} messages, {recorder.algorithm.updates} updates", style="dim")
        return Group(Text(self.title, style="bold"), table, Text("\n".join(self.latest)), sent)


def _epoch_text(number: int, changes: Sequence[Update] | None) -> str:
    return "loading" if changes is None else f"epoch {number}: {' '.join(map(str, changes))}"


def step_text(step: EventRecord) -> str:
    """One line about a step: what was taken in where, what was sent."""
    if step.delivered:
        taken = ", ".join(f"{m.update} {_way(m)}".rstrip() for m in step.delivered)
    else:
        taken = step.event.note or step.event.kind
    note = f" ({step.event.note})" if len(step.delivered) == 1 and step.event.note else ""
    if note and step.event.note == str(step.delivered[0]):
        note = ""
    sent = ", ".join(f"{m.update} to {node_text(m.target)}" for m in step.event.sent)
    return f"{taken}{note}" + (f"; sends {sent}" if sent else "")


def _way(message: Message) -> str:
    if message.target == "":
        return ""
    source = "" if message.source is None else f"{node_text(message.source)} -> "
    return f"[{source}{node_text(message.target)}]"


def node_text(node: Node) -> str:
    """The name of a node; a program without locations has one node without name."""
    return "(the node)" if node == "" else str(node)


def show_tables(to: Console, tables: Tables) -> None:
    """The rows of every node, with their counts where those are above one."""
    for node in sorted(tables, key=lambda node: order(node)):
        to.print(f"node {node_text(node)}", style="bold")
        for relation, rows in sorted(tables[node].items()):
            for row in sorted((row for row, count in rows.items() if count > 0), key=order):
                times = f"  x{rows[row]}" if rows[row] > 1 else ""
                to.print(f"  {relation}({', '.join(map(value_text, row))}){times}")


def show_differences(to: Console, found: Mapping[str, frozenset[Row]], expected: Mapping[str, frozenset[Row]]) -> None:
    """The rows that are there and should not be, and those that are missing."""
    for name in sorted(found.keys() | expected.keys()):
        there, wanted = found.get(name, frozenset()), expected.get(name, frozenset())
        for word, rows in (("should not be present", there - wanted), ("is missing", wanted - there)):
            for row in sorted(rows, key=order):
                to.print(f"  {name}({', '.join(map(value_text, row))}) {word}")
