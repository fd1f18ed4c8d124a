"""The commands, one module each.

Law: a command registers itself with `application.app` when its module is imported; to add one, write the module and add
its name and the first line of its help below. `tidelog --help` lists them in this order, first the two that everyone
begins with. Only the command that is run, completed or asked for help is imported; its module defines its options, and
imports the rest when it runs. No command imports another: code that two of them need is outside of this package. Other
packages add commands through an entry point (`base/extensions`).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from tidelog.cli.base.application import app
from tidelog.cli.base.extensions import added_commands, import_command

SUMMARIES = {
    "check": "Check programs and report every mistake, without running anything.",
    "run": "Evaluate a program over files of facts, then apply a change script and update the views.",
    "apply": "Compare a program or a folder of facts with a state, and apply the difference as one epoch.",
    "backup": "Copy a state folder, also while a server writes it, and certify the copy.",
    "blame": "Show which changes to facts and rules caused a fact or a view to change in an epoch.",
    "changes": "Print every fact added to or removed from a view: the epoch, + or -, and the fact.",
    "explain": "Show how a program is evaluated: its strata, the join order of every rule, and the indexes.",
    "export": "Write the rules and base facts of a state as plain files that `tidelog run` can load.",
    "format": "Format programs. Only spaces, line breaks and indentation change.",
    "log": "List the epochs of a state: time, duration, changed rules and base facts, and changed views.",
    "lsp": "Start the language server for editors.",
    "mcp": "Offer queries, explanations and previews of a server to an agent (Model Context Protocol).",
    "query": "Answer a query about a program and its facts, or about a state folder at any epoch.",
    "repl": "Enter rules, facts and queries interactively. `:help` lists the commands.",
    "revert": "Undo an epoch, or several, by committing the inverse of their changes.",
    "scrub": "Read and check every file of a state folder, including those that opening it does not need.",
    "serve": "Serve a program over HTTP, with a console for the browser.",
    "snapshot": "Write a snapshot of a state now and remove files that are no longer needed.",
    "test": "Run the test cases in a folder. A case has facts, changes and expected views.",
    "token": "Add, list or revoke named tokens of a server.",
    "verify": "Certify that a state contains exactly what its rules derive from its base facts.",
    "what-if": "Try change scripts on a state, side by side, and report what each would change and cost.",
    "why": "Show why a fact is true: a tree of rules and facts down to base facts.",
}


def register_all() -> None:
    """Import and register every command with its options."""
    for name in summaries():
        _register(name)


def summaries() -> dict[str, str]:
    """All commands with the first lines of their help, in the order of `tidelog --help`."""
    first, others = list(SUMMARIES.items())[:2], [*list(SUMMARIES.items())[2:], *added_commands().items()]
    return dict([*first, *sorted(others)])


def register_for(words: Sequence[str]) -> None:
    """Register the command that the words of a command line name, otherwise all commands by name only."""
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
    """Placeholder for a command that is listed but not run."""
