"""Blame for notebooks: causes that unfold, and proofs.

Law: the page says what the text says (`render`), part by part.
"""

from __future__ import annotations

from tidelog.blame.answer import Blame, Cause, ViewBlame
from tidelog.blame.change import RuleChanged
from tidelog.blame.render import effort, headline, left_over, summary, view_headline
from tidelog.io import html
from tidelog.why.page import absence_page, proof_page


def blame_page(blame: Blame) -> str:
    """What became of a fact, its causes, and the proofs."""
    parts = [html.line(f"<b>{html.text(headline(blame))}</b>")]
    parts.append(html.line(html.faint(f"because ({summary(blame)}; {effort(blame)}):")))
    parts += map(_cause, blame.causes)
    parts += (html.line(html.faint("alternatively:"), html.code(str(change))) for change in blame.instead)
    if blame.proof is not None:
        parts.append(html.fold("the new proof", proof_page(blame.proof)))
    if blame.old_proof is not None:
        parts.append(html.fold("the proof that broke", proof_page(blame.old_proof)))
    if blame.missing is not None:
        parts.append(html.fold("no other proof holds", absence_page(blame.missing)))
    return html.page(*parts)


def _cause(cause: Cause) -> str:
    steps = "".join(html.line(html.code(step)) for step in cause.path)
    rule = html.line(html.code(cause.change.text)) if isinstance(cause.change, RuleChanged) else ""
    told = html.code(str(cause.change))
    return html.fold(told, rule + steps, shown=True) if rule or steps else html.line(told)


def view_page(blame: ViewBlame) -> str:
    """The causes of a view's changes, as a table."""
    rows = [(str(g), g.inserted, g.deleted, ", ".join(g.examples)) for g in blame.groups]
    parts = [html.line(f"<b>{html.text(view_headline(blame))}</b>")]
    parts.append(html.table(("cause", "+", "-", "such as"), rows, numbers=(1, 2)))
    if not blame.complete:
        parts.append(html.line(html.faint(left_over(blame))))
    return html.page(*parts)
