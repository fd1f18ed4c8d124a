"""Raise Tidelog errors that ended a Spark task again in the driver.

Law: `error_of_task(error)` is the error that was raised inside `carried()`, with its code, note and hint. Spark returns
only the text of the traceback of a failed task to the driver, so the error is transported in that text, as a note.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from contextlib import contextmanager

from tidelog.errors import TidelogError
from tidelog.spark.resident.resident_failures import NOT_READABLE
from tidelog.spark.resident.wire import decode, encode_error

MARK = "tidelog-error:"
CARRIED = re.compile(rf"{MARK}([A-Za-z0-9+/=]+)")


@contextmanager
def carried() -> Iterator[None]:
    """Make Tidelog errors raised inside the block available to the driver."""
    try:
        yield
    except TidelogError as error:
        error.add_note(MARK + base64.b64encode(encode_error(error, traced=False)).decode("ascii"))
        raise


def error_of_task(error: Exception) -> TidelogError | None:
    """The error of a task that Spark reports inside its own error, if it was a Tidelog error.

    >>> import traceback
    >>> from tidelog.errors import DataError
    >>> try:
    ...     with carried():
    ...         raise DataError("out/t.nt: 'x' is not a term")
    ... except DataError:
    ...     error_of_task(RuntimeError(traceback.format_exc()))
    DataError("out/t.nt: 'x' is not a term")
    """
    found = CARRIED.search(str(error))
    return None if found is None else _unpacked(found[1])


def _unpacked(text: str) -> TidelogError | None:
    """The error; None if `carried` did not write the text, since an error of Spark may contain any text."""
    try:
        decode(base64.b64decode(text))
    except TidelogError as error:
        return None if error.code == NOT_READABLE.code else error
    except Exception:  # invalid base64, or not a Tidelog error
        return None
    return None
