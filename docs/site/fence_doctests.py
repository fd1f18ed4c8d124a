"""Sessions in docstrings become blocks of code on the page of docstrings; for griffe, which reads them.

Law: nothing else of a docstring changes.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

SESSION = re.compile(r"(?:^>>> .*\n?(?:^(?!\s*$).*\n?)*)(?:\n(?=>>> ))?", re.MULTILINE)


def fenced(text: str) -> str:
    """A docstring with its sessions in fences.

    >>> fenced("Adds.\\n\\n>>> 1 + 1\\n2").split("\\n")[2:4]
    ['```pycon', '>>> 1 + 1']
    """
    return SESSION.sub(lambda match: f"```pycon\n{match[0].rstrip()}\n```\n", text)


class FenceDoctests(griffe.Extension):
    """Fences the sessions of every object that has a docstring."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called with every module, class, function and attribute that was read."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
