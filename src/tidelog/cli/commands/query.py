"""`tidelog query PROGRAM QUESTION`, `tidelog query --state DIR QUESTION`: the answers to a question.

Law: a query changes nothing; a state folder is read without its lock, at one committed epoch. The exit code is 0 for
any number of answers, including none.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import (
    AllowOption,
    AnswerFormat,
    AskedEpoch,
    AskedFacts,
    AskedProgram,
    AskedState,
    FunctionsOption,
    SandboxOption,
)


@app.command("query")
def query_command(
    program: AskedProgram = None,
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help="The query, such as 'reach(1, X), X > 2'.")
    ] = None,
    facts: AskedFacts = None,
    state: AskedState = None,
    at: AskedEpoch = None,
    functions: FunctionsOption = None,
    sandbox: SandboxOption = False,
    allow: AllowOption = None,
    sparql: Annotated[
        bool, typer.Option("--sparql", help="The query is SPARQL, over a relation of RDF triples.")
    ] = False,
    triples: Annotated[
        str, typer.Option("--triples", metavar="NAME", help="With --sparql: the relation of triples.")
    ] = "triple",
    undefined: Annotated[
        bool,
        typer.Option("--undefined", help="QUESTION is the name of a relation: list its undefined facts."),
    ] = False,
    format_: Annotated[
        AnswerFormat | None,
        typer.Option(
            "--format", help="Output format.", show_default="a table in a terminal, otherwise tab-separated text"
        ),
    ] = None,
) -> None:
    """Answer a query about a program and its facts, or about a state folder at any epoch.

    A query is the body of a rule. Each of its variables is a column of the answer; a query without variables is
    answered with yes or no. Undefined facts are in no answer; with --undefined, those of one relation are listed.
    """
    from tidelog.cli.base.functions import functions_of
    from tidelog.cli.base.sandbox import sandboxed
    from tidelog.cli.input.target import open_target, split_words
    from tidelog.cli.output.answers import write_answers
    from tidelog.cli.output.undefined import undefined_lines
    from tidelog.engine.engine import core_of
    from tidelog.engine.read.members import undefined_counts
    from tidelog.engine.read.query import undefined_behind

    file, text = split_words(program, question, state, "QUESTION")
    inside = sandboxed(sandbox, allow, file, facts or ".")
    with inside, open_target(file, facts, state, at, functions_of(functions)) as db:
        if undefined:
            write_answers(db.undefined(text), format_)
            return
        write_answers(db.sparql(text, triples=triples) if sparql else db.query(text), format_)
        counts = undefined_counts(core_of(db), (triples,)) if sparql else undefined_behind(core_of(db), text)
        for line in undefined_lines(counts, "tidelog query --undefined"):
            print(f"warning: {line}", file=sys.stderr)
