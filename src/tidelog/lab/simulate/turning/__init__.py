"""One HTML page that shows how an execution became another: before, after, and between them a line for every lemma.

Law: the page is self-contained and runs no script; every line is an execution that `trace.check` accepted. Values are
written as text. What a lemma moved has a frame, pairs that came or went are marked.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from importlib.resources import files

from tidelog.io.page import part
from tidelog.lab.semantics.algorithm import Algorithm
from tidelog.lab.semantics.annotation import Tree, tree_of
from tidelog.lab.semantics.executions import Execution
from tidelog.lab.semantics.fact import Update
from tidelog.lab.semantics.semantics_failures import NOT_TURNED
from tidelog.lab.semantics.trace import is_synchronous
from tidelog.lab.semantics.transform import Move, Transformation, labelled, last_burst, to_pipelined, to_semi_naive
from tidelog.lab.semantics.transform.moves import name

__all__ = ["render", "summary", "turned"]


def turned(algorithm: Algorithm) -> Transformation:
    """The last burst of a recorded execution: a synchronous one turned into single updates, others made synchronous."""
    if not isinstance(algorithm, Execution) or not algorithm.traceable:
        raise NOT_TURNED.error(name=algorithm.name)
    burst = last_burst(labelled(algorithm.trace()))
    return to_pipelined(burst) if is_synchronous(burst) else to_semi_naive(burst)


def summary(turning: Transformation) -> str:
    """How long the executions are and how often each lemma was used."""
    moves = turning.moves
    used = ", ".join(f"{lemma} ×{count}" for lemma, count in sorted(turning.counts().items()))
    sizes = f"{len(moves[0].run.iterations)} iterations became {len(moves[-1].run.iterations)}"
    return f"{sizes} in {len(moves) - 1} checked moves" + (f": {used}" if used else "")


def render(title: str, turning: Transformation) -> str:
    """The page of a transformation."""
    rows = "".join(_row(number, move, len(turning.moves)) for number, move in enumerate(turning.moves))
    parts = {
        "%TITLE%": html.escape(title),
        "%STYLE%": part("base.css") + _resource("page.css"),
        "%SUMMARY%": html.escape(summary(turning)),
        "%ROWS%": rows,
    }
    text = _resource("page.html")
    for mark, content in parts.items():
        text = text.replace(mark, content, 1)
    return text


def _row(number: int, move: Move, count: int) -> str:
    kind = "before" if number == 0 else "after" if number == count - 1 else "between"
    head = "before" if number == 0 else " + ".join(move.lemmas)
    pairs = "".join(
        f'<p class="pairs">{word} {html.escape(", ".join("±" + name(u)[1:] for u in updates))}</p>'
        for word, updates in (("works off", move.came), ("leaves out", move.went))
        if updates
    )
    about = f"<b>{html.escape(head)}</b><p>{html.escape(move.text)}</p>{pairs}"
    came = [tree_of(update) for update in move.came]
    boxes = "".join(
        _box(iteration, number > 0 and move.at <= place < move.at + move.size, came)
        for place, iteration in enumerate(move.run.iterations)
    )
    mark = "after" if kind == "after" else str(number or "")
    return f'<li class="{kind}"><i>{mark}</i><div class="about">{about}</div><div class="run">{boxes}</div></li>'


def _box(iteration: Iterable[Update], moved: bool, came: Sequence[Tree]) -> str:
    chips = "".join(_chip(u, any(tree_of(u).contains(tree) for tree in came)) for u in iteration)
    return f'<span class="iteration{" moved" if moved else ""}">{chips}</span>'


def _chip(update: Update, pair: bool) -> str:
    kind = ("plus" if update.sign > 0 else "minus") + (" pair" if pair else "")
    tree = html.escape(str(tree_of(update)), quote=True)
    return f'<span class="{kind}" title="{tree}">{html.escape(name(update))}</span>'


def _resource(file: str) -> str:
    return files(__package__).joinpath(file).read_text(encoding="utf-8")
