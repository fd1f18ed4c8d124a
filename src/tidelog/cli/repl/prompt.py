"""The prompt of the repl in a terminal: history, completion, several lines.

Law: nothing is decided here; inputs end where `inputs` says and do what `session` says.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from tidelog import __version__
from tidelog.cli.repl.complete import completions
from tidelog.cli.repl.inputs import is_complete
from tidelog.cli.repl.session import ReplSession

UNFINISHED = "the input goes on until a period ends a line; an empty line gives it up"


class ReplCompleter(Completer):
    """Completes relation names, commands and labels."""

    def __init__(self, session: ReplSession) -> None:
        self._session = session

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """What may stand at the cursor."""
        word, found = completions(self._session, document.text_before_cursor)
        return (Completion(text, start_position=-len(word)) for text in found)


def history() -> History:
    """The history of earlier sessions; of this one only, where no file can be written."""
    folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "tidelog"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "history"
        file.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(file))


def run_prompt(session: ReplSession) -> None:
    """Read and execute until the end of the input or `:quit`."""
    session.to.print(f"tidelog {__version__}; :help tells what can be typed, :quit leaves")
    for text in _typed(session):
        session.execute(text)
        if session.over:
            break


def _typed(session: ReplSession) -> Iterator[str]:
    unfinished = Condition(lambda: not is_complete(get_app().current_buffer.text + "\n", session.convention))
    prompt: PromptSession[str] = PromptSession(
        "tidelog> ",
        history=history(),
        completer=ReplCompleter(session),
        complete_while_typing=False,
        multiline=unfinished,
        prompt_continuation="      .. ",
        bottom_toolbar=lambda: UNFINISHED if "\n" in get_app().current_buffer.text else None,
    )
    while True:
        try:
            yield prompt.prompt()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
