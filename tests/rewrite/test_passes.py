"""Every pass does what the cases of its ``.dl`` file say, and its rules remember where they come from."""

from __future__ import annotations

from importlib import import_module

import pytest

from tidelog.errors import ProgramError
from tidelog.program import Rule
from tidelog.rewrite import label_rules, to_core, to_delta_rules
from tidelog.rewrite.expand_paths import expand_paths
from tidelog.rewrite.name_paths import name_paths
from tidelog.syntax import parse_program, print_rule

from .cases import cases


def rewritten(name: str, text: str) -> list[Rule]:
    rules = parse_program(text).rules
    match name:
        case "label_rules":
            return list(label_rules(rules))
        case "pipeline":
            return list(to_core(rules))
        case "expand_paths":
            return [after for rule in label_rules(rules) for named in name_paths(rule) for after in expand_paths(named)]
        case "to_delta_rules":
            return [delta.as_rule() for rule in label_rules(rules) for delta in to_delta_rules(rule)]
    rewrite = getattr(import_module(f"tidelog.rewrite.{name}"), name)
    return [after for rule in label_rules(rules) for after in rewrite(rule)]


def printed(name: str, text: str) -> str:
    try:
        return "\n".join(print_rule(rule) for rule in rewritten(name, text))
    except ProgramError as error:
        return "\n".join(f"error {finding.code}: {finding.message}" for finding in error.diagnostics)


@pytest.mark.parametrize(("name", "before", "after"), [pytest.param(n, b, a, id=f"{n}: {t}") for n, t, b, a in cases()])
def test_pass_gives_the_program_written_after_it(name: str, before: str, after: str) -> None:
    assert printed(name, before) == after


@pytest.mark.parametrize(("name", "before"), [pytest.param(n, b, id=f"{n}: {t}") for n, t, b, _ in cases()])
def test_rewritten_rules_remember_their_origin(name: str, before: str) -> None:
    given = parse_program(before).rules
    try:
        made = rewritten(name, before)
    except ProgramError:
        return
    assert all(rule.root in given and rule.span is not None for rule in made)
