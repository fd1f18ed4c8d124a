"""An engine, for notebooks.

Law: sizes are counts that the engine keeps, so that looking at an engine costs nothing.
"""

from __future__ import annotations

from tidelog.engine.core.core import Core
from tidelog.engine.read.members import rules
from tidelog.errors.counts import counted
from tidelog.io import html

FEW = 12  # relations and rules that are shown expanded


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
    title = f"Engine, epoch {core.number:,}: {counted(len(known), 'relation')}, {counted(len(texts), 'rule')}"
    parts = [html.line(f"<b>{html.text(title)}</b>")]
    if relations:
        table = html.table(("relation", "columns", "kind", "facts"), relations, numbers=(3,))
        parts.append(html.fold("relations", table, is_open=len(relations) <= FEW))
    if texts:
        listed = "".join(html.line(html.code(text)) for text in texts)
        parts.append(html.fold("rules", listed, is_open=len(texts) <= FEW))
    return html.page(*parts)
