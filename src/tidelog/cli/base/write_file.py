"""Write texts and drawings to a file that the user names.

Law: the file holds the whole text, or the reason why it cannot be written is reported.
"""

from __future__ import annotations

from pathlib import Path

from tidelog.cli.base.cli_failures import NOT_WRITTEN


def write_file(file: str, text: str) -> None:
    """Write a text to a file."""
    try:
        Path(file).write_text(text, "utf-8")
    except OSError as error:
        raise NOT_WRITTEN.error(file=file, reason=error.strerror) from None
