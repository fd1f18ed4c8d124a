"""What may stand at the cursor: a command, a label, a relation."""

from __future__ import annotations

import re

from tidelog.cli.repl.commands import COMMANDS
from tidelog.cli.repl.session import ReplSession

_WORD = re.compile(r"[\w/-]*\Z")


def completions(session: ReplSession, before: str) -> tuple[str, list[str]]:
    """The word being typed, and what it may become.

    A command after ``:`` at the start, a label after ``-`` at the start, a relation everywhere else.
    """
    word = _word_at_end(before)
    start = before[: len(before) - len(word)].strip()
    if start == ":":
        known = list(COMMANDS)
    elif start == "-":
        known = [*session.db.rules, *session.db.relations]
    else:
        known = list(session.db.relations)
    return word, sorted(name for name in known if name.startswith(word) and name != word)


def _word_at_end(text: str) -> str:
    found = _WORD.search(text)
    return "" if found is None else found[0].lstrip("-")
