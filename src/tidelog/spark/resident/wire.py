"""What calls and their outcomes look like as bytes.

Law: `decode(encode(value)) == value`, and `decode(encode_error(error))` raises an error of the same type wherever that
type can be pickled, else a `ResidentError` with its text. Both ends hold the run's token before any byte is
unpickled: see `server`.
"""

from __future__ import annotations

import pickle
import traceback
from typing import Any

from tidelog.spark.errors import ResidentError
from tidelog.spark.resident.failures import FOREIGN

LOOPBACK = "127.0.0.1"
CALL, CONNECT, STOP = "call", "connect", "stop"
HEADER_LIMIT = 3000  # bytes of an error that fit into the headers of an answer (gRPC allows 8 KB in all)


def encode(value: object) -> bytes:
    """The bytes of a value.

    >>> decode(encode((1, "a")))
    (1, 'a')
    """
    return pickle.dumps((True, value), protocol=5)


def encode_error(error: BaseException) -> bytes:
    """The bytes of an error, with the traceback of this process as a note."""
    note = "".join(traceback.format_exception(error))
    error.add_note(f"raised in a partition:\n{note}")
    try:
        body = pickle.dumps((False, error), protocol=5)
        pickle.loads(body)
    except Exception:  # whatever the author of that error's class made of pickling
        return pickle.dumps((False, _plain(error, note)), protocol=5)
    return body


def encode_short_error(error: BaseException) -> bytes:
    """The same, cut down to what the headers of an answer hold."""
    body = encode_error(error)
    if len(body) > HEADER_LIMIT:
        error.__notes__ = []
        body = pickle.dumps((False, error), protocol=5) if _survives(error) else b""
    return body if 0 < len(body) <= HEADER_LIMIT else pickle.dumps((False, _plain(error, "")), protocol=5)


def decode(body: bytes) -> Any:
    """The value, or raises the error."""
    good, value = pickle.loads(body)
    if good:
        return value
    raise value


def _survives(error: BaseException) -> bool:
    try:
        pickle.loads(pickle.dumps(error, protocol=5))
    except Exception:  # as above
        return False
    return True


def _plain(error: BaseException, note: str) -> ResidentError:
    plain = FOREIGN.mark(ResidentError(f"{type(error).__name__}: {error}"[: HEADER_LIMIT // 2]))
    if note:
        plain.add_note(note)
    return plain
