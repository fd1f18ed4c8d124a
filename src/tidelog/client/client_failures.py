"""Errors that prevent a client from using its server, by code: TL804x.

Law: an error from the server keeps its code.
"""

from __future__ import annotations

from tidelog.errors import ServerError
from tidelog.errors.entry import FailureEntry

UNREACHABLE = FailureEntry(
    "TL8040",
    ServerError,
    "cannot reach the server",
    "cannot reach {url}: {error}",
    "If the connection broke before the response, it is unknown whether a change was applied.",
    "Try again. An epoch with a source and an offset is applied only once, even if it is sent repeatedly.",
    test="tests/client/test_client.py::test_a_server_that_cannot_be_reached",
)
STRANGE = FailureEntry(
    "TL8041",
    ServerError,
    "unexpected response from the server",
    "{url} returned {status} with a response that is not from a Tidelog server: {found}",
    "A Tidelog server returns all errors in the same format.",
    "Correct the address, and check for a proxy in between.",
    test="tests/client/test_client.py::test_an_answer_that_is_not_a_servers",
)
NO_TOKEN_FILE = FailureEntry(
    "TL8042",
    ServerError,
    "cannot read the token file",
    "cannot read {path}: {error}",
    "A client sends one of the tokens that the server stores in files.",
    "Pass `token`, or pass the path of a file in the server's token folder as `token_file`.",
    test="tests/client/test_client.py::test_a_token_comes_from_a_file",
)
EPOCH_IS_OVER = FailureEntry(
    "TL8043",
    ServerError,
    "epoch already ended",
    "this epoch has already ended; start a new one with `epoch()`",
    "An epoch ends with its `with` block: it is committed, or discarded after an error.",
    "",
    test="tests/client/test_client.py::test_an_epoch_that_fails_is_over",
)

ENTRIES = (UNREACHABLE, STRANGE, NO_TOKEN_FILE, EPOCH_IS_OVER)
