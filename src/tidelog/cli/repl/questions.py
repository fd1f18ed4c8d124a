"""Commands that only read: proofs, explanations, profiles and the graph.

Law: these commands change nothing; a drawing in a file is the same as in a notebook.
"""

from __future__ import annotations

import time

from tidelog.cli.base.write_file import write_file
from tidelog.cli.repl.commands import HELP
from tidelog.cli.repl.reports import Answers, Display
from tidelog.cli.repl.session import ReplState, require_argument
from tidelog.engine.engine import Engine, core_of
from tidelog.engine.read.members import undefined_counts
from tidelog.errors.counts import counted
from tidelog.explain.graph import ProgramGraph, program_graph
from tidelog.why import NotTrueError, Proof


def why(session: ReplState, words: str) -> None:
    """Show the proof of a fact, or draw it into a file."""
    fact, file = split_file(words)
    proof = proof_of(session, fact)
    if not file:
        session.report(Display(proof))
        return
    write_file(file, proof.svg())
    session.line(f"{file}: the proof of {proof.root.text}")


def split_file(words: str) -> tuple[str, str]:
    """Split an argument from the name of a drawing that may follow it.

    >>> split_file("reach(1, 3) p.svg"), split_file('says("a.svg")'), split_file("reach p.svg")
    (('reach(1, 3)', 'p.svg'), ('says("a.svg")', ''), ('reach', 'p.svg'))
    """
    before, _, last = words.rpartition(" ")
    return (before.strip(), last) if before and last.endswith(".svg") else (words, "")


def proof_of(session: ReplState, fact: str) -> Proof:
    """The proof of a fact; if the fact is not true, the error names the command to use."""
    try:
        return session.db.why(require_argument(fact, "why", "reach(1, 3)"))
    except NotTrueError as error:
        raise error.reworded(str(error).replace("`why_not`", "`:whynot`")) from None


def whynot(session: ReplState, fact: str) -> None:
    """Explain why a fact is not true."""
    session.report(Display(session.db.why_not(require_argument(fact, "whynot", "reach(1, 3)"))))


def sparql(session: ReplState, query: str) -> None:
    """Answer a SPARQL query."""
    answers = session.ask_sparql(require_argument(query, "sparql", "SELECT ?x { ?x ?p ?y }"))
    session.note_undefined(undefined_counts(core_of(session.db), ("triple",)))
    session.report(answers)


def undefined(session: ReplState, name: str) -> None:
    """List the facts of a relation that are neither true nor false."""
    began = time.perf_counter()
    rows = session.db.undefined(require_argument(name, "undefined", "win"))
    session.report(Answers(rows, time.perf_counter() - began))


def explain(session: ReplState, how: str) -> None:
    """Show strata, join orders and indexes."""
    session.report(Display(session.db.explain(core=how == "core")))


def profile(session: ReplState, switch: str) -> None:
    """Show time and supports, or switch the sampling of rules on or off."""
    if switch in ("on", "off"):
        session.db.profiling = switch == "on"
        session.line(f"sampling of rules is {switch}")
    else:
        session.report(Display(session.db.profile()))


def graph(session: ReplState, file: str) -> None:
    """Show the program as a graph, or draw it into a file."""
    drawing = graph_of(session.db)
    if not file:
        session.report(Display(drawing))
        return
    write_file(file, drawing.svg())
    session.line(f"{file}: {counted(len(drawing.nodes), 'relation')}, {counted(len(drawing.edges), 'arrow')}")


def plot(session: ReplState, words: str) -> None:
    """Show how a view changed, epoch by epoch, or draw it into a file."""
    view, file = split_file(require_argument(words, "plot", "reach"))
    history = session.db[view].plot()
    if not file:
        session.report(Display(history))
        return
    write_file(file, history.svg())
    session.line(f"{file}: {view}, {counted(len(history.steps), 'epoch')}")


def graph_of(db: Engine) -> ProgramGraph:
    """The graph of an engine's rules, with the sizes of its relations."""
    return program_graph(db.program, {name: len(db[name]) for name in db.relations})


def rules(session: ReplState, _: str) -> None:
    """List all rules."""
    session.line("\n".join(session.db.rules.values()) or "no rules")


def relations(session: ReplState, _: str) -> None:
    """List all relations, with columns and sizes."""
    undefined = undefined_counts(core_of(session.db))
    for name in session.db.relations:
        view = session.db[name]
        columns = ", ".join(f"{c}: {t or '?'}" for c, t in zip(view.columns, view.types, strict=True))
        also = f", {undefined[name]:,} undefined" if name in undefined else ""
        session.line(f"{name}({columns})  {counted(len(view), 'fact')}{also}")
    if not session.db.relations:
        session.line("no relations")


def help_text(session: ReplState, _: str) -> None:
    """Print the commands and the other inputs."""
    session.line(HELP)


def leave(session: ReplState, _: str) -> None:
    """End the session."""
    session.over = True


HANDLERS = {
    "explain": explain,
    "graph": graph,
    "help": help_text,
    "plot": plot,
    "profile": profile,
    "quit": leave,
    "relations": relations,
    "rules": rules,
    "sparql": sparql,
    "undefined": undefined,
    "why": why,
    "whynot": whynot,
}
