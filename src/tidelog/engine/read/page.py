"""An engine, and what an epoch changed, for notebooks.

Law: sizes are counts that the engine keeps, so that looking at an engine costs nothing; of rows a few are shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidelog.engine.read.members import rules
from tidelog.io import html

if TYPE_CHECKING:
    from tidelog.engine.core.core import Core
    from tidelog.engine.read.report import Changes
    from tidelog.engine.read.view import ChangeSet

FEW = 12  # relations and rules that stand open


def engine_page(core: Core) -> str:
    """The relations with their columns and sizes, and the rules."""
    if core.closed:
        return html.page(html.line(html.text("Engine, closed")))
    known, derived = core.relations, {rule.head.predicate for rule in core.rules.program.rules}
    relations = [
        (
            html.Html(html.code(name)),
            ", ".join(
                f"{column}: {type_ or '?'}"
                for column, type_ in zip(core.columns(name), core.rules.schema[name], strict=True)
            ),
            "view" if name in derived else "base",
            core.runtime.facts.live(name),
        )
        for name in known
    ]
    texts = rules(core).values()
    title = f"Engine, epoch {core.number:,}: {_counted(len(known), 'relation')}, {_counted(len(texts), 'rule')}"
    parts = [html.line(f"<b>{html.text(title)}</b>")]
    if relations:
        table = html.table(("relation", "columns", "kind", "facts"), relations, numbers=(3,))
        parts.append(html.fold("relations", table, shown=len(relations) <= FEW))
    if texts:
        listed = "".join(html.line(html.code(text)) for text in texts)
        parts.append(html.fold("rules", listed, shown=len(texts) <= FEW))
    return html.page(*parts)


def changes_page(changes: Changes) -> str:
    """Each relation that changed folds, with a few of the rows that came and went."""
    if not changes:
        return html.page(html.line(html.text("no change")))
    return html.page(*(_changed(name, change, shown=len(changes) <= 3) for name, change in changes.items()))


def _changed(name: str, change: ChangeSet, *, shown: bool) -> str:
    sides = (("+", change.inserted), ("−", change.deleted))
    counts = " ".join(f"{sign}{len(rows):,}" for sign, rows in sides)
    few = [(sign, *map(str, row)) for sign, rows in sides for row in rows.head()]
    more = len(change.inserted) + len(change.deleted) - len(few)
    inside = html.table(("", *change.inserted.columns), few)
    if more:
        inside += html.line(html.faint(f"... {more:,} more"))
    return html.fold(f"{html.code(name)} {html.text(counts)}", inside, shown=shown)


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
