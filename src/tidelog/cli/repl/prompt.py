"""The prompt in a terminal: colours, searchable history, completion, and multi-line input with a hint of what is
missing.

Law: nothing is decided here; `inputs` defines where an input ends and `session` what it does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.styles import Style
from prompt_toolkit.styles.pygments import pygments_token_to_classname

from tidelog import __version__
from tidelog.cli.repl.complete import completions, wants_file
from tidelog.cli.repl.execute import ReplSession
from tidelog.cli.repl.inputs import is_complete, missing
from tidelog.highlight.lexer import TidelogLexer
from tidelog.program import SOUFFLE

COLOURS = {  # from the terminal's own palette, so that they are readable on any background
    "pygments.comment": "ansibrightblack italic",
    "pygments.comment.preproc": "ansimagenta",
    "pygments.keyword": "ansimagenta",
    "pygments.keyword.namespace": "ansiblue bold",
    "pygments.keyword.type": "ansicyan",
    "pygments.literal.number": "ansicyan",
    "pygments.literal.string": "ansigreen",
    "pygments.literal.string.escape": "ansiyellow",
    "pygments.name.builtin": "ansiyellow",
    "pygments.name.class": "ansiyellow",
    "pygments.name.function": "ansiblue",
    "pygments.name.label": "ansibrightblack",
    "pygments.operator.word": "ansimagenta",
    "pygments.error": "ansired underline",
    "bottom-toolbar": "noreverse ansibrightblack",
}
GIVE_UP = "an empty line cancels the input"


class ReplCompleter(Completer):
    """Completes commands, files, relations, labels, variables and values."""

    def __init__(self, session: ReplSession) -> None:
        self._session = session
        self._files = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """The completions at the cursor."""
        before = document.text_before_cursor
        file = wants_file(before)
        if file is not None:
            yield from self._files.get_completions(Document(file), complete_event)
            return
        word, found = completions(self._session, before)
        for offer in found:
            yield Completion(offer.text, start_position=-len(word), display_meta=offer.beside)


class ReplLexer(Lexer):
    """Colours the input, according to the convention of the session."""

    def __init__(self, session: ReplSession) -> None:
        self._session = session

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """The coloured pieces of every line."""
        start = ("souffle",) if self._session.convention == SOUFFLE else ("root",)
        lines: list[StyleAndTextTuples] = [[]]
        for _, kind, word in TidelogLexer().get_tokens_unprocessed(document.text, start):
            style = f"class:{pygments_token_to_classname(kind)}"
            for number, piece in enumerate(word.split("\n")):
                if number:
                    lines.append([])
                if piece:
                    lines[-1].append((style, piece))
        return lambda number: lines[number] if number < len(lines) else []


def history() -> History:
    """The history of earlier sessions; only of this session if no file can be written."""
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
    session.line(f"tidelog {__version__}; type :help for help, :quit to exit")
    for text in _typed(session):
        session.execute(text)
        if session.over:
            break


def hint(text: str, convention: str) -> str | None:
    """The hint below an input of several lines.

    >>> hint("p(X) :-\\n  q(X),", "prolog")
    'expected another part after the comma; an empty line cancels the input'
    """
    lacking = missing(text, convention) if "\n" in text else None
    return None if lacking is None else f"{lacking}; {GIVE_UP}"


def _typed(session: ReplSession) -> Iterator[str]:
    prompt = new_prompt(session)
    while True:
        try:
            yield prompt.prompt()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return


def new_prompt(session: ReplSession) -> PromptSession[str]:
    """The prompt of a session; Ctrl-R searches the history, the up arrow searches for lines with the typed prefix."""
    unfinished = Condition(lambda: not is_complete(get_app().current_buffer.text + "\n", session.convention))
    return PromptSession(
        "tidelog> ",
        history=history(),
        completer=ReplCompleter(session),
        complete_while_typing=False,
        enable_history_search=True,
        lexer=ReplLexer(session),
        multiline=unfinished,
        prompt_continuation="      .. ",
        bottom_toolbar=lambda: hint(get_app().current_buffer.text, session.convention),
        style=Style(list(COLOURS.items())),
        include_default_pygments_style=False,
    )
