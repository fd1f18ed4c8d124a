"""The commands, one module each.

Law: a command registers itself with `application.app` when its module is imported here; to add one, write the module
and add its name below. `tidelog --help` lists them in this order, the two that everyone begins with first. No command
imports another: what two of them need lies beside this package.
"""

from tidelog.cli.commands import check, run

# isort: split
from tidelog.cli.commands import apply, changes, explain, export, log, repl, simulate, snapshot, verify, why

__all__ = [
    "apply",
    "changes",
    "check",
    "explain",
    "export",
    "log",
    "repl",
    "run",
    "simulate",
    "snapshot",
    "verify",
    "why",
]
