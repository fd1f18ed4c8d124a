"""Proofs and failures for notebooks, as collapsible trees.

Law: the page has the same parts as the text (`render`). A small proof is expanded, a large one only in its first
levels; nothing is recursive, however deep the proof is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidelog.io import html
from tidelog.why.attempt import Attempt
from tidelog.why.render import Part, below, line_parts
from tidelog.why.tree import FactNode, walk

SMALL = 40  # parts of a proof that is expanded as a whole
LEVELS = 3  # levels of a larger one that are expanded


def proof_page(root: FactNode, rules: Mapping[str, str], hidden: str) -> str:
    """A proof as a collapsible tree, followed by the rules that it uses and what it omits."""
    small = sum(1 for _ in walk(root)) <= SMALL
    parts = [_tree(root, rules, None if small else LEVELS)]
    if rules:
        parts.append(html.spaced_line(html.code("\n".join(rules.values()))))
    if hidden:
        parts.append(html.line(html.faint(hidden)))
    return html.page(*parts)


def _tree(root: FactNode, rules: Mapping[str, str], levels: int | None) -> str:
    written: list[str] = []
    waiting: list[tuple[Part, int] | str] = [(root, 0)]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            written.append(part)
            continue
        node, level = part
        inner = below(node)
        if not inner:
            written.append(html.line(_line(node, rules)))
            continue
        written.append(html.fold_start(_line(node, rules), is_open=levels is None or level < levels))
        waiting.append(html.FOLD_END)
        waiting += [(each, level + 1) for each in reversed(inner)]
    return "".join(written)


def _line(node: Part, rules: Mapping[str, str]) -> str:
    what, how = line_parts(node)
    if isinstance(node, FactNode) and node.rule is not None and node.rule in rules:
        beside = f'<span title="{html.text(rules[node.rule])}" style="{html.FAINT}">{html.text(how)}</span>'
    else:
        beside = html.faint(how) if how else ""
    return f"{html.code(what)} {beside}".rstrip()


def absence_page(fact: str, verdict: str, attempts: Iterable[Attempt]) -> str:
    """Why a fact is absent: a collapsible section for each rule, with how far it gets."""
    return html.page(html.line(html.code(fact), html.text(verdict)), *map(_attempt, attempts))


def _attempt(attempt: Attempt) -> str:
    lines = [html.line(html.faint("holds"), html.code(held)) for held in attempt.held]
    lines.append(html.line(html.text("fails"), html.code(attempt.failed), html.faint(attempt.reason)))
    if attempt.bindings:
        more = "" if attempt.tried == 1 else f" (one of {attempt.tried:,} attempts that get this far)"
        values = ", ".join(f"{name} = {value}" for name, value in attempt.bindings.items())
        lines.append(html.line(html.faint("with"), html.code(values), html.faint(more)))
    if not attempt.complete:
        lines.append(html.line(html.faint("the search was stopped, because it visits too many facts")))
    return html.fold(html.code(attempt.text), "".join(lines), is_open=True)
