"""Memos: short texts that a source of epochs keeps beside its offset, by name.

Law: only an epoch that states so changes a memo, together with that epoch's offset. What a source knows about its
input is therefore exactly as old as the facts that it has committed, even after a crash.
"""

from __future__ import annotations

from collections.abc import Mapping


def change_memos(memos: dict[str, str], changes: Mapping[str, str | None]) -> None:
    """Write, rewrite and remove memos; None removes one.

    >>> memos = {"a": "1", "b": "2"}
    >>> change_memos(memos, {"a": None, "c": "3"})
    >>> memos
    {'b': '2', 'c': '3'}
    """
    memos.update((name, text) for name, text in changes.items() if text is not None)
    for name in [name for name, text in changes.items() if text is None]:
        memos.pop(name, None)
