"""What an epoch changed, for notebooks.

Law: every relation that changed is listed with its counts and a few of its rows.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.engine.read.view import ChangeSet
from tidelog.io import html


def changes_page(changes: Mapping[str, ChangeSet]) -> str:
    """A collapsible section for each relation that changed, with a few of the added and removed rows."""
    if not changes:
        return html.page(html.line(html.text("no change")))
    few = len(changes) <= 3
    return html.page(*(change._section(name, is_open=few) for name, change in changes.items()))
