"""A client of `tidelog serve`, with the interface of `Engine` where it fits.

Law: an error from the server is raised as the error that the engine would have raised, with its code, note and hint.
The package imports nothing of Tidelog but the errors.

    with connect("http://127.0.0.1:8117", token_file="state/tokens/write") as db:
        with db.epoch() as e:
            e.insert("edge", [(1, 2), (2, 3)])
        sorted(db["reach"])
"""

from tidelog.client.client import Client, connect
from tidelog.client.epoch import Changed, RemoteEpoch
from tidelog.client.feed import FeedChange
from tidelog.client.views import RemoteRows, RemoteView
from tidelog.client.violations import RemoteViolated, RemoteViolation

__all__ = [
    "Changed",
    "Client",
    "FeedChange",
    "RemoteEpoch",
    "RemoteRows",
    "RemoteView",
    "RemoteViolated",
    "RemoteViolation",
    "connect",
]
