"""The command line: `tidelog COMMAND ...`.

Each command is a thin module of `commands`: it defines its options and calls the other packages here, the library that
commands share. `place` decides where a command runs, `inputs` what it reads, `guard` how it ends, and `show` what it
prints.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import os
import sys
from typing import Any, NoReturn

__all__ = ["app", "main"]


def __getattr__(name: str) -> Any:
    """The application with all its commands, created on request."""
    if name != "app":
        raise AttributeError(f"module `tidelog.cli` has no attribute `{name}`")
    from tidelog.cli.base.application import app
    from tidelog.cli.commands import register_all

    register_all()
    return app


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    gc.set_threshold(100_000)  # modules are permanent: scanning them during imports takes a tenth of the time
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "16")  # as for `tidelog.importing`
    try:
        _run()
    except SystemExit as ended:
        if ended.code is not None and not isinstance(ended.code, int):
            raise
        leave(ended.code or 0)
    leave(0)


def leave(code: int) -> NoReturn:
    """End the process: run everything registered for its end, but do not tear down the interpreter.

    Tearing it down would take longer than a small command, and frees nothing that the system does not free anyway. If
    other threads or Spark's process still have to finish, the interpreter exits normally.
    """
    if "pyspark" in sys.modules or _has_threads():
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # the reader has closed it
            stream.flush()
    os._exit(code)


def _has_threads() -> bool:
    """Whether another thread still has to finish."""
    threading = sys.modules.get("threading")
    if threading is None:
        return False
    own = threading.current_thread()
    return any(thread is not own and not thread.daemon for thread in threading.enumerate())


def _run() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character of the program gets a replacement, never a traceback.
            stream.reconfigure(errors="replace")
    words = _words()
    if words[:1] == ["check"] and words[1:] and not any(word.startswith("-") and word != "-" for word in words):
        _check_at_once(words[1:])
    from tidelog.cli.base import arrow
    from tidelog.cli.base.application import app
    from tidelog.cli.commands import register_for

    arrow.process_is_ours = True
    register_for(words)
    app(prog_name="tidelog")


def _check_at_once(files: list[str]) -> NoReturn:
    """Run `tidelog check` on files without options: there is nothing to parse, and the parser takes as long as the
    check. Output and exit code are the same as those of the parsed command; a test compares them.
    """
    from typer import Exit

    from tidelog.cli.base.guard import guarded
    from tidelog.cli.commands.check import check

    try:
        with guarded():
            check(files)
    except Exit as exit_:
        sys.exit(exit_.exit_code)
    sys.exit(0)


def _words() -> list[str]:
    """The words after the program's name: those of the command line, or those that a shell wants completed."""
    completed = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS")
    return completed.split()[1:] if "_TIDELOG_COMPLETE" in os.environ and completed else sys.argv[1:]
