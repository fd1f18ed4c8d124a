"""The page of negation in cycles."""

from __future__ import annotations

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, Table, machine_text, number, prose, table, target_text

PEER = "SWI-Prolog computes"
HOW = """
Written by `{command}`. {machine}. Which positions of a game are won, by `win(X) :- move(X, Y), !win(Y).`; medians of
processor time. A build of SWI-Prolog is its tabled evaluation alone; reading the moves is listed beside it. A change
takes a move away or puts it back. Tidelog's is an epoch, after which its view is complete. SWI-Prolog's tables are
incremental and are updated when they are asked, so its change includes asking for all positions.
"""


def page(run: Run) -> Page:
    """Builds and changes beside SWI-Prolog."""
    how = prose(HOW.format(command=run.command, machine=machine_text(run.machine)))
    games = run.of("game")
    return Page("Negation in cycles, measured", (how, _builds(games), _changes(games), *map(_missing, games)))


def _builds(games: list[Record]) -> Table:
    lines = []
    for game in games:
        moves, won, build = f"{game.facts['moves']:,}", f"{game.facts['won']:,}", f"{game['build']:.2f}"
        beside = ("-", "-", "-", "")
        if PEER in game:
            ratio = game.value("ratio")
            verdict = f"{target_text(ratio.target)} x: {'met' if ratio.met else 'missed'}"
            beside = (f"{game[PEER]:.2f}", f"{game['SWI-Prolog reads']:.2f}", f"{ratio.value:.1f} x", verdict)
        lines.append((game.title, moves, won, build, *beside))
    return table(("build", "moves", "won", "Tidelog (s)", "SWI-Prolog (s)", "it reads (s)", "ratio", "target"), lines)


def _changes(games: list[Record]) -> Table:
    lines = []
    for game in games:
        change = game.value("change")
        target = (
            "" if change.target is None else f"{target_text(change.target)} ms: {'met' if change.met else 'missed'}"
        )
        peer = number(game["SWI-Prolog changes"]) if PEER in game else "-"
        lines.append((game.title, number(change.value), number(game["95 % below"]), peer, target))
    return table(("one move", "Tidelog (ms)", "95 % below (ms)", "SWI-Prolog (ms)", "target"), lines)


def _missing(game: Record) -> str:
    tried = f"{game.facts['changes']} changes of Tidelog"
    beside = (
        f", {game.facts['changes of SWI-Prolog']} of SWI-Prolog" if PEER in game else "; SWI-Prolog is not installed"
    )
    return prose(f"{game.title}: {tried}{beside}.")
