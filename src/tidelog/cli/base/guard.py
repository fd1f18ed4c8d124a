"""How a command ends: errors rendered with code and hint, an interrupt as a line, a closed pipe in silence.

Law: whatever a user does, a command never answers a user's mistake with a traceback. The exit code is 1 with the
diagnostic, 130 after Ctrl-C, and 0 if the reader of the output has closed it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from tidelog.cli.base.cli_failures import OUT_OF_MEMORY
from tidelog.cli.base.show import console, show_diagnostics, show_error
from tidelog.errors import ProgramError, TidelogError, TidelogWarning


@contextmanager
def guarded() -> Iterator[None]:
    """Run a command's work and turn its errors into exit codes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TidelogWarning)  # programs are checked, and the check reports these
            yield
        sys.stdout.flush()
    except ProgramError as error:
        show_diagnostics(error.diagnostics, console(stderr=True))
        raise typer.Exit(1) from None
    except TidelogError as error:
        show_error(error, console(stderr=True))
        raise typer.Exit(1) from None
    except MemoryError:
        show_error(OUT_OF_MEMORY.error(), console(stderr=True))
        raise typer.Exit(1) from None
    except BrokenPipeError:
        _silence()
        raise typer.Exit(0) from None
    except KeyboardInterrupt as interrupt:
        console(stderr=True).print(f"interrupted; no further changes were made{interrupt}")
        raise typer.Exit(130) from None


def _silence() -> None:
    """Discard the rest of the output, so that the interpreter does not complain when it flushes at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
