"""What keeps a client from its server, by code: TL804x.

Law: what the server itself refuses keeps the code that it has there.
"""

from __future__ import annotations

from tidelog.errors import ServerError
from tidelog.errors.entry import FailureEntry

UNREACHABLE = FailureEntry(
    "TL8040",
    ServerError,
    "server that cannot be reached",
    "{url} cannot be reached: {error}",
    "Whether a change was made is not known if the connection broke before the answer.",
    "Try again; an epoch with a source and an offset is applied once, however often it is sent.",
    test="tests/client/test_client.py::test_a_server_that_cannot_be_reached",
)
STRANGE = FailureEntry(
    "TL8041",
    ServerError,
    "answer that is not a server's of Tidelog",
    "{url} answers {status} with something else than a Tidelog server would: {found}",
    "A server of Tidelog answers errors in one shape.",
    "Correct the address, or look at what stands between.",
    test="tests/client/test_client.py::test_an_answer_that_is_not_a_servers",
)
NO_TOKEN_FILE = FailureEntry(
    "TL8042",
    ServerError,
    "file of a token that cannot be read",
    "{path} cannot be read: {error}",
    "A client sends one of the tokens that the server keeps in files.",
    "Give `token`, or the path of a file of the server's folder of tokens as `token_file`.",
    test="tests/client/test_client.py::test_a_token_comes_from_a_file",
)
EPOCH_IS_OVER = FailureEntry(
    "TL8043",
    ServerError,
    "epoch of a client that is over",
    "this epoch is over; begin a new one with `epoch()`",
    "An epoch ends with its `with` block: committed, or given up after an error.",
    "",
    test="tests/client/test_client.py::test_an_epoch_that_fails_is_over",
)

ENTRIES = (UNREACHABLE, STRANGE, NO_TOKEN_FILE, EPOCH_IS_OVER)
