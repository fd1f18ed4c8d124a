"""How calls and their outcomes are represented as bytes.

Law: `decode(encode(value)) == value`, and `decode(encode_error(error))` raises an error of the same class, if that is
one of Tidelog's or of Python's own, else a `ResidentError` with its text. Nothing is pickled (`pack`), and both ends
have verified the run's token before any byte is read: see `server`.
"""

from __future__ import annotations

import builtins
import traceback
from collections.abc import Iterator
from typing import Any

from tidelog.spark.errors import ResidentError
from tidelog.spark.resident.pack import pack
from tidelog.spark.resident.resident_failures import FOREIGN, NOT_READABLE
from tidelog.spark.resident.unpack import unpack

LOOPBACK = "127.0.0.1"
CALL, CONNECT, STOP = "call", "connect", "stop"
HEADER_LIMIT = 3000  # bytes of an error that fit into the headers of an answer (gRPC allows 8 KB in all)
OWN = "tidelog."


def encode(value: object) -> bytes:
    """The bytes of a value.

    >>> decode(encode((1, "a")))
    (1, 'a')
    """
    return pack((True, value))


def encode_error(error: BaseException, *, traced: bool = True) -> bytes:
    """The bytes of an error, with the traceback of this process as a note.

    >>> decode(encode_error(ZeroDivisionError("by zero"), traced=False))
    Traceback (most recent call last):
    ...
    ZeroDivisionError: by zero
    """
    if traced:
        note = "".join(traceback.format_exception(error))
        error.add_note(f"raised in a partition:\n{note}")
    return pack((False, _parts(error)))


def encode_short_error(error: BaseException) -> bytes:
    """The bytes of an error, shortened to fit into the headers of an answer."""
    body = encode_error(error)
    if len(body) > HEADER_LIMIT:
        error.__notes__ = []
        body = pack((False, _parts(error)))
    return body if len(body) <= HEADER_LIMIT else pack((False, _parts(_plain(error))))


def decode(body: bytes | memoryview) -> Any:
    """The value in the bytes; raises if they are an error."""
    outcome = unpack(body)
    if not isinstance(outcome, tuple) or len(outcome) != 2:
        raise NOT_READABLE.error(what="it is not an outcome")
    good, value = outcome
    if good:
        return value
    raise _exception_of(value)


def _parts(error: BaseException) -> tuple[list[str], tuple[object, ...], dict[str, object]]:
    """An error as values: its classes, the nearest first, its arguments and its attributes."""
    names = [_name(kind) for kind in type(error).__mro__ if _is_known(kind)]
    if not names or not _is_known(type(error)) or not all(map(_is_carried, error.args)):
        plain = _plain(error)
        plain.__dict__["__notes__"] = list(getattr(error, "__notes__", ()))
        error, names = plain, [_name(ResidentError)]
    args = error.__reduce__()[1] if isinstance(error, OSError) else error.args
    return names, tuple(args), {name: value for name, value in error.__dict__.items() if _is_carried(value)}


def _exception_of(parts: Any) -> BaseException:
    """Restore an error, with the nearest class that is known here."""
    try:
        names, args, values = parts
        kind = next(kind for kind in map(_class_of, names) if kind is not None)
        if _name(kind).startswith(OWN):  # which may require other arguments than those that it stores
            error = kind.__new__(kind, *args)
            error.args = tuple(args)
        else:
            error = kind(*args)
        error.__dict__.update(values)
    except Exception as wrong:  # whatever a class raises for arguments that are not its own
        raise NOT_READABLE.error(what=f"it contains an invalid error: {wrong}"[:300]) from wrong
    return error


def _is_carried(value: object) -> bool:
    try:
        pack(value)
    except ResidentError:
        return False
    return True


def _is_known(kind: type) -> bool:
    own = f"{kind.__module__}.".startswith(OWN)
    return issubclass(kind, Exception) and (own or getattr(builtins, kind.__name__, None) is kind)


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _class_of(name: str) -> type[BaseException] | None:
    """The class of errors with this name, if it is loaded here; nothing is imported for it."""
    known = _CLASSES.get(name)
    if known is None:
        _CLASSES.update({_name(kind): kind for kind in _below(Exception) if _is_known(kind)})
        known = _CLASSES.get(name)
    return known


def _below(kind: type[BaseException]) -> Iterator[type[BaseException]]:
    yield kind
    for narrower in kind.__subclasses__():
        yield from _below(narrower)


_CLASSES: dict[str, type[BaseException]] = {}


def _plain(error: BaseException) -> ResidentError:
    return FOREIGN.mark(ResidentError(f"{type(error).__name__}: {error}"[: HEADER_LIMIT // 2]))
