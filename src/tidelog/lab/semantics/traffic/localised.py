"""From a program as people write it to one that a network of nodes can run.

Law: localisation adds auxiliary relations and changes no other (`rewrite.localise`); the rules that several rules
share, the mirrors of links, occur once.
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.program import Program, Rule
from tidelog.rewrite.drop_booleans import drop_booleans
from tidelog.rewrite.label_rules import label_rules
from tidelog.rewrite.localise import localise


def localised(program: Program) -> Program:
    """The program with every rule local; a rule that cannot be localised is a `ProgramError`."""
    rules: dict[str | None, Rule] = {}
    for rule in label_rules(program.rules):
        for plain in drop_booleans(rule):
            rules |= {local.label: local for local in localise(plain)}
    return replace(program, rules=tuple(rules.values()))
