"""The commands of prompt and notebook, and their help.

Law: a command is a name after a colon, or the start of one that no other shares; what follows it is its argument. The
same names stand after ``%`` in a notebook.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Command(NamedTuple):
    """What follows the name, and what the command does."""

    argument: str
    text: str


COMMANDS: Mapping[str, Command] = {
    "at": Command("[EPOCH]", "of a state folder: go to an epoch, or tell which it is; -1 is the last"),
    "delete": Command("FACT", "retract a fact, as -FACT. does"),
    "dry": Command("CHANGE", "what a fact, a rule or a retraction would change; nothing does"),
    "explain": Command("[core]", "strata, join orders and indexes"),
    "graph": Command("[FILE.svg]", "which relation is read for which; drawn, into a file"),
    "help": Command("", "this text"),
    "load": Command("FILE", "add the rules and facts of a program file"),
    "open": Command("STATE [write]", "ask a state folder from now on, or change it"),
    "plot": Command("VIEW [FILE.svg]", "how a view changed, epoch by epoch; drawn, into a file"),
    "profile": Command("[on|off]", "time and supports per stratum and rule; `on` samples the time of rules"),
    "quit": Command("", "leave; so does Ctrl-D"),
    "relations": Command("", "all relations with their columns and sizes"),
    "rules": Command("", "all rules with their labels"),
    "save": Command("FILE", "write declarations, rules and base facts as a program"),
    "time": Command("INPUT", "a question asked again and again, or a change with its profile"),
    "why": Command("FACT [FILE.svg]", "the proof of a fact; drawn, into a file"),
    "whynot": Command("FACT", "why a fact is not true"),
}

SYNONYMS = {"exit": "quit"}

_TYPED = {
    "edge(1, 2).": "assert a fact",
    "-edge(1, 2).": "retract it",
    "reach(X, Y) :- edge(X, Y).": "add a rule; its label is printed",
    "r3: reach(X, Y) :- edge(Y, X).": "replace the rule with label r3, if there is one",
    "- r3.": "remove the rule with label r3",
    "?reach(1, X)": "ask: one column per variable",
    ".decl edge(a: number, b: number)": "declare a relation",
}

_NOTE = "Rules and facts end with a period and may take several lines. Every change is an epoch."

_LINES = {**_TYPED, **{f":{name} {command.argument}".strip(): command.text for name, command in COMMANDS.items()}}
HELP = "\n".join([*(f"{typed:<34}{text}" for typed, text in _LINES.items()), "", _NOTE])
