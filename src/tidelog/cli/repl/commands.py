"""The commands of prompt and notebook, and their help.

Law: a command is a name after a colon, or an unambiguous prefix of one; what follows it is its argument. The same names
follow ``%`` in a notebook.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Command(NamedTuple):
    """The argument after the name, and what the command does."""

    argument: str
    text: str


COMMANDS: Mapping[str, Command] = {
    "apply": Command("FILE", "make the program that of an edited file, after printing the difference"),
    "at": Command("[EPOCH]", "show the epoch of the state folder, or switch to another; -1 is the last"),
    "delete": Command("FACT", "retract a fact, like -FACT."),
    "dry": Command("CHANGE", "show what a fact, a rule or a retraction would change"),
    "explain": Command("[core]", "show strata, join orders and indexes"),
    "graph": Command("[FILE.svg]", "show which relations depend on which, or draw them to a file"),
    "help": Command("", "show this help"),
    "load": Command("FILE", "add the rules and facts of a program file"),
    "open": Command("STATE [write]", "switch to a state folder, read-only or to change it"),
    "plot": Command("VIEW [FILE.svg]", "show how a view changed over the epochs, or draw it to a file"),
    "profile": Command("[on|off]", "show time and supports per stratum and rule; `on` starts sampling"),
    "quit": Command("", "exit (also Ctrl-D)"),
    "relations": Command("", "list relations with their columns and sizes"),
    "rules": Command("", "list rules with their labels"),
    "save": Command("FILE", "write declarations, rules and base facts as a program"),
    "sparql": Command("QUERY", "answer a SPARQL query over the relation `triple`"),
    "time": Command("INPUT", "measure a query repeatedly, or profile a change"),
    "undefined": Command("VIEW", "list the facts of a view that are neither true nor false"),
    "undo": Command("[EPOCH]", "undo the last epoch, or another one of the state folder"),
    "why": Command("FACT [FILE.svg]", "show the proof of a fact, or draw it to a file"),
    "whynot": Command("FACT", "explain why a fact is not true"),
}

SYNONYMS = {"exit": "quit", "halt": "quit", "q": "quit"}
BARE = ("exit", "halt", "quit", "help")  # understood without a colon, as other prompts have them

_TYPED = {
    "edge(1, 2).": "assert a fact",
    "-edge(1, 2).": "retract it",
    "reach(X, Y) :- edge(X, Y).": "add a rule; its label is printed",
    "r3: reach(X, Y) :- edge(Y, X).": "add a rule with label r3, or replace it",
    "- r3.": "remove the rule with label r3",
    "?reach(1, X)": "query, with one column per variable",
    ".decl edge(a: number, b: number)": "declare a relation",
}

_NOTE = "Rules and facts end with a period and may span several lines. Every change is an epoch."

_LINES = {**_TYPED, **{f":{name} {command.argument}".strip(): command.text for name, command in COMMANDS.items()}}
HELP = "\n".join([*(f"{typed:<34}{text}" for typed, text in _LINES.items()), "", _NOTE])
