"""The extension that `%load_ext tidelog` loads: the cell magic, a line magic per prompt command, HTML for values.

Law: a notebook has one engine; `%tidelog use NAME` switches to another. A name that IPython uses itself (`%load`,
`%save`, `%time`) stays IPython's: `%tidelog :load FILE` and a line `:load FILE` in a cell run Tidelog's command. After
an error, the rest of a cell changes nothing, and running all cells stops there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from tidelog.cli.base.cli_failures import NOT_AN_ENGINE
from tidelog.cli.repl.commands import COMMANDS
from tidelog.cli.repl.complete import completions
from tidelog.cli.repl.execute import ReplSession
from tidelog.cli.repl.reports import Answers, Display, Report
from tidelog.engine.engine import Engine
from tidelog.errors import ProgramError, TidelogError
from tidelog.explain.explanation import Explanation
from tidelog.explain.graph import ProgramGraph
from tidelog.explain.history import ViewHistory
from tidelog.explain.profile import Profile
from tidelog.io import html
from tidelog.notebook.cells import cell_inputs
from tidelog.notebook.progress import progress
from tidelog.notebook.show import error_lines, page_of, proof_page, text_of
from tidelog.why import Proof, WhyNot

MAGIC = "tidelog"
show: Callable[..., Any] = display  # IPython does not annotate it
LEFT_OUT = ("help", "quit")  # these exist only at the prompt


class CellError(Exception):
    """Raised for a cell or a magic that failed: shown as its diagnostics, without the frames of Tidelog's own code."""

    def __init__(self, error: TidelogError) -> None:
        super().__init__(str(error))
        self.error = error

    def _render_traceback_(self) -> list[str]:
        return error_lines(self.error, self.error.diagnostics if isinstance(self.error, ProgramError) else ())


class Notebook:
    """The engine of a notebook, and the magics that cells use."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self.session = ReplSession(Engine(), _publish)
        self.session.name = "<cell>"
        self.session.waiting = self._progress

    def cell(self, line: str, cell: str) -> None:
        """`%%tidelog`: rules, facts, changes, declarations, queries and commands; `%%tidelog dry` only tries them."""
        if line.strip() not in ("", "dry"):
            raise UsageError(f"`%%{MAGIC}` accepts only the argument `dry`, not `{line.strip()}`")
        self.session.dry = line.strip() == "dry"
        try:
            for text in cell_inputs(cell, lambda: self.session.convention):
                self._carry_out(text)
        finally:
            self.session.dry = False

    def line(self, line: str) -> object:
        """`%tidelog`: returns the engine. With a query, a command or a change: returns its result."""
        words = line.split()
        if not words:
            return self.session.db
        if words[0] == "use" and len(words) == 2:
            self._use(words[1])
            return None
        if words == ["new"]:
            self.session.take(Engine())
            self.session.state = self.session.folder = None
            self.session.declared = ""
            return None
        return self._answer(line)

    def word(self, name: str, line: str) -> object:
        """`%why` and similar magics: return the result of a prompt command."""
        return self._answer(f":{name} {line}")

    def complete(self, context: CompletionContext) -> SimpleMatcherResult:
        """Completions at the cursor in a `%%tidelog` cell."""
        if not context.full_text.startswith(f"%%{MAGIC}"):
            return {"completions": []}
        lines = context.full_text.split("\n")[: context.cursor_line + 1]
        lines[-1] = lines[-1][: context.cursor_position]
        word, offers = completions(self.session, _last_input(lines[1:] or [""]))
        found = [SimpleCompletion(context.token[: len(context.token) - len(word)] + each.text) for each in offers]
        return {"completions": found, "suppress": True}

    def _use(self, name: str) -> None:
        found = self._shell.user_ns.get(name)
        if not isinstance(found, Engine):
            what = "not defined" if found is None else f"of type {type(found).__name__}"
            raise CellError(NOT_AN_ENGINE.error(name=name, found=what))
        self.session.take(found)
        self.session.ours = False
        self.session.state = self.session.folder = None

    def _answer(self, text: str) -> object:
        """Execute an input; a single value is returned, to be shown or kept; anything else is reported."""
        reports: list[Report] = []
        self.session.report = reports.append
        try:
            self._carry_out(text)
        finally:
            self.session.report = _publish
        for report in reports[:-1]:
            _publish(report)
        last = reports[-1] if reports else None
        if isinstance(last, Display | Answers):
            return last.value if isinstance(last, Display) else last.rows
        if last is not None:
            _publish(last)
        return None

    def _carry_out(self, text: str) -> None:
        try:
            self.session.carry_out(text)
        except TidelogError as error:
            raise CellError(error) from None

    def _progress(self, work: str) -> AbstractContextManager[None]:
        return progress(work, lambda: self.session.db.fact_count, _Line)


def _last_input(lines: Sequence[str]) -> str:
    """The part of a cell that matters at the cursor: the lines since the last period at the end of a line."""
    start = max((at + 1 for at, line in enumerate(lines[:-1]) if line.rstrip().endswith(".")), default=0)
    return "\n".join(lines[start:])


def _publish(report: Report) -> None:
    show({"text/plain": text_of(report), "text/html": page_of(report)}, raw=True)


class _Line:
    """A line below a cell that is replaced in place."""

    def __init__(self, text: str) -> None:
        self._handle = show(_line_data(text), raw=True, display_id=True)

    def update(self, text: str) -> None:
        """Show another text; an empty text hides the line."""
        self._handle.update(_line_data(text), raw=True)


def _line_data(text: str) -> dict[str, str]:
    return {"text/plain": text, "text/html": html.line(html.faint(text)) if text else ""}


SHOWN: dict[type, Callable[[Any], str]] = {
    Proof: proof_page,
    **{
        kind: (lambda value: str(value._repr_html_()))
        for kind in (Explanation, Profile, ProgramGraph, ViewHistory, WhyNot)
    },
}


def load(shell: Any) -> Notebook:
    """Register the magics, the HTML rendering of values, and completion; returns the notebook."""
    notebook = Notebook(shell)
    shell.register_magic_function(notebook.cell, "cell", MAGIC)
    shell.register_magic_function(notebook.line, "line", MAGIC)
    for name in free_words(shell.magics_manager.magics["line"]):
        shell.register_magic_function(partial(notebook.word, name), "line", name)
    for kind, page in SHOWN.items():
        shell.display_formatter.formatters["text/html"].for_type(kind, page)
        shell.display_formatter.formatters["text/plain"].for_type(kind, _pretty)
    others = [each for each in shell.Completer.custom_matchers if getattr(each, "matcher_identifier", "") != MAGIC]
    shell.Completer.custom_matchers = [_matcher(notebook), *others]
    return notebook


def _matcher(notebook: Notebook) -> object:
    """The completer of cells in the form that IPython requires: a function that can be marked."""
    mark: Callable[[Callable[..., object]], object] = context_matcher(identifier=MAGIC)
    return mark(lambda context: notebook.complete(context))


def free_words(taken: dict[str, object]) -> Sequence[str]:
    """The commands that become line magics, too: those whose names IPython does not use."""
    return [name for name in COMMANDS if name not in LEFT_OUT and (name not in taken or _is_ours(taken[name]))]


def _is_ours(magic: object) -> bool:
    """Whether a magic exists because the extension was loaded before."""
    return isinstance(magic, partial) and isinstance(getattr(magic.func, "__self__", None), Notebook)


def _pretty(value: object, printer: Any, cycle: bool) -> None:
    printer.text(str(value))
