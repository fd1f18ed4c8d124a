"""How long an editor waits after a keystroke in a large program, beside reading and checking the whole text again."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp

from benchmarks.cases.catalogue import Case, Group
from benchmarks.data.programs import program_text
from benchmarks.measure import Duration, timed
from benchmarks.options import Options
from benchmarks.record import Record, Target, clocked
from tidelog.editor.checker import check_text
from tidelog.editor.colours import semantic_tokens
from tidelog.editor.complete import complete
from tidelog.editor.hover import hover
from tidelog.editor.report import diagnostics_of
from tidelog.editor.workspace import Workspace

RULES, QUICK = 10_000, 400
KEYS = 20
COLUMN = 14
TARGET = Target(100.0)  # milliseconds after a keystroke


def typing(options: Options) -> Iterator[Record]:
    """Open a program, type in its middle, and ask what editors ask."""
    rules = QUICK if options.quick else RULES
    text, workspace = program_text(rules), Workspace()
    document, opening = timed(lambda: workspace.open("file:///nowhere/typed.dl", text))
    diagnostics_of(document)
    line = rules // 2
    spent: dict[str, list[Duration]] = {name: [] for name in ("keystroke", "complete", "hover", "colour a screen")}
    screen = lsp.Range(lsp.Position(line - 30, 0), lsp.Position(line + 30, 0))
    for _ in range(KEYS):
        here = lsp.Position(line, COLUMN)

        def keystroke(here: lsp.Position = here) -> None:
            document.edit(lsp.Range(here, here), "x")
            diagnostics_of(document)

        offset = document.positions.offset(here)
        spent["keystroke"].append(timed(keystroke)[1])
        spent["complete"].append(timed(lambda offset=offset: complete(workspace, document, offset))[1])
        spent["hover"].append(timed(lambda: hover(workspace, document, document.positions.offset(screen.start), {}))[1])
        spent["colour a screen"].append(timed(lambda: semantic_tokens(document, screen))[1])
    whole = timed(lambda: check_text(document.text, document.path))[1]
    values = [value for name, times in spent.items() for value in clocked(name, times, "ms", target=TARGET)]
    values += [*clocked("open", [opening]), *clocked("check the whole", [whole])]
    yield Record("typing", "a large program", tuple(values), {"rules": rules, "characters": len(text), "keys": KEYS})


GROUP = Group({"typing": Case("a keystroke in 10,000 rules, and what follows it", typing)})
