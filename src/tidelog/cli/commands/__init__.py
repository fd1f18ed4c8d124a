"""The commands, one module each.

Law: a command registers itself with `application.app` when its module is imported; to add one, write the module and add
its name and the first line of its help below. `tidelog --help` lists them in this order, the two that everyone begins
with first. A command that is run, asked for help or completed is the only one imported; its module names its options,
and imports what it works with when it runs. No command imports another: what two of them need lies beside this package.
Other packages add commands through an entry point (`base/extensions`).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from tidelog.cli.base.application import app
from tidelog.cli.base.extensions import added_commands, import_command

SUMMARIES = {
    "check": "Check programs and report every mistake, without running anything.",
    "run": "Evaluate a program over files of facts, and keep its views true under a script of changes.",
    "apply": "Compare a program, or a folder of facts, with a running state and apply the difference as one epoch.",
    "blame": "Show why a fact or a view changed in an epoch of a state: the changes that caused it, and how.",
    "changes": "Print every fact that came to or went from a view: epoch, + or -, fact; each epoch exactly once.",
    "explain": "Show how a program is evaluated: its strata, the join order of every rule from every trigger, and the "
    "indexes.",
    "export": "Write the rules and base facts of a state as plain files from which `tidelog run` makes the same state.",
    "format": "Lay out programs in the one form that all have: spaces, line breaks and indentation, nothing else.",
    "log": "List the epochs of a state: when, how long, which rules and base facts changed, and what that did to "
    "views.",
    "lsp": "Serve editors: findings while one types, completion, definitions, renaming, layout and more.",
    "query": "Answer a question about a program with its facts, or about a state folder at any epoch.",
    "repl": "Type rules, facts and questions; `:help` lists what can be typed.",
    "scrub": "Read and check every file of a state folder, also those that opening it does not need.",
    "serve": "Serve a program over HTTP: read and change facts and rules, follow what changes, in the browser too.",
    "snapshot": "Write a snapshot of a state now and remove files that nothing needs any more.",
    "test": "Run the cases of a folder: given facts, when facts and rules change, then what views contain.",
    "verify": "Certify that a state is exactly what its rules derive from its base facts, with a checker of its own.",
    "what-if": "Try change scripts out on a state, side by side, and tell what each would change and cost.",
    "why": "Show why a fact is true: a tree of rules and facts down to what was asserted.",
}


def register_all() -> None:
    """Every command with its options."""
    for name in summaries():
        _register(name)


def summaries() -> dict[str, str]:
    """All commands with the first lines of their help, in the order of `tidelog --help`."""
    first, others = list(SUMMARIES.items())[:2], [*list(SUMMARIES.items())[2:], *added_commands().items()]
    return dict([*first, *sorted(others)])


def register_for(words: Sequence[str]) -> None:
    """What these words of a command line need: the command that they name, or else all by name alone."""
    name = next((word for word in words if not word.startswith("-")), "")
    if name in SUMMARIES:
        _register(name)
        return
    if name in added_commands():
        _register(name)
        return
    for each, summary in summaries().items():
        app.command(each, help=summary, short_help=summary)(_nothing)


def _register(name: str) -> None:
    if name in SUMMARIES:
        import_module(f"tidelog.cli.commands.{name.replace('-', '_')}")
    else:
        import_command(name)


def _nothing() -> None:
    """Stands for a command that is listed and not run."""
