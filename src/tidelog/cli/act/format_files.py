"""What `tidelog format` does with files, folders and the standard input.

Law: a file is either left as it is or replaced as a whole by its layout. A file that cannot be formatted never keeps
the others from being formatted.
"""

from __future__ import annotations

import difflib
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tidelog.cli.base.cli_failures import LAYOUT_NOT_KEPT, NOT_FORMATTED, NOTHING_TO_FORMAT
from tidelog.cli.base.show import console, show_diagnostics, show_error
from tidelog.cli.input.report import STANDARD_INPUT
from tidelog.errors import ProgramError, TidelogError
from tidelog.syntax import read_file
from tidelog.syntax.layout import lay_out

ENDING = ".dl"


@dataclass(frozen=True, slots=True)
class FormatOptions:
    """Options: whether only to check, whether to show the differences, and how texts are read."""

    check: bool = False
    diff: bool = False
    convention: str | None = None


def format_all(paths: Sequence[str], options: FormatOptions) -> bool:
    """Format everything; whether all files could be formatted and, with ``check``, already were."""
    good, changed, unchanged = True, 0, 0
    for file in _files(paths):
        try:
            differs = _format_file(file, options)
        except ProgramError as error:
            show_diagnostics(error.diagnostics, console(stderr=True))
            console(stderr=True).print(f"{file}: does not parse; left unchanged")
            good = False
        except TidelogError as error:
            show_error(error, console(stderr=True))
            good = False
        else:
            changed, unchanged = changed + differs, unchanged + (not differs)
    if list(paths) != [STANDARD_INPUT]:
        console(stderr=True).print(_summary(changed, unchanged, options))
    return good and not (options.check and changed)


def _files(paths: Sequence[str]) -> Iterator[str]:
    """The files in the order given; a folder contributes the programs below it, ordered by name."""
    for path in paths:
        if path == STANDARD_INPUT or not os.path.isdir(path):
            yield path
            continue
        found = sorted(str(file) for file in Path(path).rglob(f"*{ENDING}") if file.is_file())
        if not found:
            raise NOTHING_TO_FORMAT.error(folder=path)
        yield from found


def _format_file(file: str, options: FormatOptions) -> bool:
    """Format one file, unless it is only checked; returns whether its layout differs from it."""
    is_input = file == STANDARD_INPUT
    before = sys.stdin.buffer.read() if is_input else _bytes_of(file)
    name, folder = ("<stdin>", Path(".")) if is_input else (file, Path(file).parent)
    layout = lay_out(before, name, convention=options.convention, include=folder)
    if layout.errors:
        raise ProgramError(layout.errors)
    if layout.text is None:
        raise LAYOUT_NOT_KEPT.error(file=name)
    after = layout.text.encode("utf-8")
    if options.diff:
        _show_difference(before.decode("utf-8"), layout.text, name)
    elif is_input and not options.check:
        sys.stdout.write(layout.text)
    elif before != after and options.check:
        console().print(f"would format {name}")
    elif before != after:
        _replace(file, after)
        console().print(f"formatted {name}")
    return before != after


def _bytes_of(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except (OSError, ValueError):
        raise ProgramError(read_file(file)[1]) from None


def _show_difference(before: str, after: str, name: str) -> None:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), name, f"{name} (formatted)", lineterm="")
    for line in lines:
        console().print(line)


def _replace(file: str, data: bytes) -> None:
    """Replace the contents of a file atomically; a link keeps pointing to it."""
    target = os.path.realpath(file)
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".tidelog-")
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, os.stat(target).st_mode)
        os.replace(temporary, target)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True) if temporary else None
        raise NOT_FORMATTED.error(file=file, reason=error.strerror or str(error)) from None


def _summary(changed: int, unchanged: int, options: FormatOptions) -> str:
    """A summary in one line."""
    word = "would change" if options.check or options.diff else "changed"
    return f"{changed} {word}, {unchanged} unchanged"
