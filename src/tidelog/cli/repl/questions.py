"""Commands that only ask: proofs, explanations, profiles, the graph, how long something takes.

Law: a question changes nothing; what is drawn into a file is what a notebook shows.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tidelog.cli.base import cli_failures as failures
from tidelog.cli.repl.change import needed
from tidelog.cli.repl.commands import HELP
from tidelog.cli.repl.told import Shown
from tidelog.engine.engine import Engine
from tidelog.explain.graph import ProgramGraph, program_graph
from tidelog.explain.profile import duration
from tidelog.why import NotTrueError, Proof

if TYPE_CHECKING:
    from tidelog.cli.repl.session import ReplSession

PATIENCE = 0.5  # seconds for which a question is asked again
MOST = 1000  # times


def why(session: ReplSession, fact: str) -> None:
    """The proof of a fact."""
    session.tell(Shown(proof_of(session, fact)))


def proof_of(session: ReplSession, fact: str) -> Proof:
    """The proof of a fact; for one that is not true, the message says what to use."""
    try:
        return session.db.why(needed(fact, "why", "reach(1, 3)"))
    except NotTrueError as error:
        raise error.reworded(str(error).replace("`why_not`", "`:whynot`")) from None


def whynot(session: ReplSession, fact: str) -> None:
    """Why a fact is not true."""
    session.tell(Shown(session.db.why_not(needed(fact, "whynot", "reach(1, 3)"))))


def explain(session: ReplSession, how: str) -> None:
    """Strata, join orders and indexes."""
    session.tell(Shown(session.db.explain(core=how == "core")))


def profile(session: ReplSession, switch: str) -> None:
    """Time and supports; or switch the sampling of rules."""
    if switch in ("on", "off"):
        session.db.profiling = switch == "on"
        session.line(f"sampling of rules is {switch}")
    else:
        session.tell(Shown(session.db.profile()))


def graph(session: ReplSession, file: str) -> None:
    """The program as a graph: printed, or drawn to a file."""
    made = graph_of(session.db)
    if not file:
        session.tell(Shown(made))
        return
    try:
        Path(file).write_text(made.svg(), "utf-8")
    except OSError as error:
        raise failures.NOT_WRITTEN.error(file=file, reason=error.strerror) from None
    session.line(f"{file}: {len(made.nodes):,} relations, {len(made.edges):,} arrows")


def graph_of(db: Engine) -> ProgramGraph:
    """The graph of an engine's rules, with the sizes of its relations."""
    return program_graph(db.program, {name: len(db[name]) for name in db.relations})


def time_input(session: ReplSession, text: str) -> None:
    """A question: asked again and again, the least and the middle time. A change: carried out, and its profile."""
    needed(text, "time", "?reach(1, X)")
    if not text.startswith("?"):
        session.dispatch(text)
        session.line(str(session.db.profile()).partition("\nall epochs")[0])
        return
    answered = session.ask(text)
    seconds, began = [answered.seconds], time.perf_counter()
    while time.perf_counter() - began < PATIENCE and len(seconds) < MOST:
        seconds.append(session.ask(text).seconds)
    session.tell(answered)
    least, middle = duration(min(seconds)), duration(statistics.median(seconds))
    session.line(f"ran {len(seconds):,} times: minimum {least}, median {middle}")


def rules(session: ReplSession, _: str) -> None:
    """All rules."""
    session.line("\n".join(session.db.rules.values()) or "no rules")


def relations(session: ReplSession, _: str) -> None:
    """All relations, with columns and sizes."""
    for name in session.db.relations:
        view = session.db[name]
        columns = ", ".join(f"{c}: {t or '?'}" for c, t in zip(view.columns, view.types, strict=True))
        session.line(f"{name}({columns})  {len(view):,} {'fact' if len(view) == 1 else 'facts'}")
    if not session.db.relations:
        session.line("no relations")


def help_text(session: ReplSession, _: str) -> None:
    """What can be typed."""
    session.line(HELP)


def leave(session: ReplSession, _: str) -> None:
    """The end of the session."""
    session.over = True


HANDLERS = {
    "explain": explain,
    "graph": graph,
    "help": help_text,
    "profile": profile,
    "quit": leave,
    "relations": relations,
    "rules": rules,
    "time": time_input,
    "why": why,
    "whynot": whynot,
}
