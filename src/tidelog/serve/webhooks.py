"""Webhooks: the changes of a view, sent to a URL as they are committed.

Law: every epoch that changes the view is one request, in order. A request that is not answered with a status of 2xx is
repeated, with increasing delays, before the next one is sent: delivery is at least once, and the number of the epoch
identifies repetitions. The last acknowledged epoch is recorded in the state folder, and a restart resumes after it from
the history. Epochs that the history no longer has are one request with a `gap`. Epochs never wait for a receiver.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

import httpx

from tidelog.engine.base.feed_change import FeedChange, Gap
from tidelog.engine.engine import Engine, core_of
from tidelog.engine.write.durable import changes_in_turn, state_folder
from tidelog.errors import StateError, TidelogError
from tidelog.follow.patience import Patience
from tidelog.serve import serve_failures as failures
from tidelog.serve.changes import EpochChange
from tidelog.serve.values import to_json
from tidelog.store.base.notes import read_note, write_note

if TYPE_CHECKING:
    from tidelog.engine.write.epoch import Epoch

LOG = logging.getLogger("tidelog.serve")
TIMEOUT = 5.0  # seconds for a receiver to answer
FOLDER = "webhooks"  # in the state folder
STOP = 1.0  # seconds to wait for a running request when the server stops
OK, NOT_OK = 200, 300
RUNNING, WAITING, STOPPED, STARTING = "running", "waiting", "stopped", "starting"


def make_webhooks(options: Iterable[str], secret_file: Path | None) -> tuple[Webhook, ...]:
    """The webhooks of `VIEW=URL` options, with the secret in a file."""
    secret = None if secret_file is None else _read_secret(secret_file)
    found = [_split(option) for option in options]
    for option in found:
        if found.count(option) > 1:
            raise failures.BAD_WEBHOOK.error(given="=".join(option), reason="it is given twice")
    return tuple(Webhook(view, url, secret) for view, url in found)


def _split(option: str) -> tuple[str, str]:
    view, _, url = (part.strip() for part in option.partition("="))
    with suppress(ValueError):
        parts = urlsplit(url)
        if view and parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return view, url
    raise failures.BAD_WEBHOOK.error(given=option.partition("?")[0], reason="it is not VIEW=URL, with http or https")


def _read_secret(path: Path) -> bytes:
    try:
        found = path.read_bytes().strip()
    except OSError as error:
        raise failures.BAD_WEBHOOK.error(given=path, reason=error.strerror or error) from error
    if not found:
        raise failures.BAD_WEBHOOK.error(given=path, reason="the secret is empty")
    return found


def signature(secret: bytes, moment: int, body: bytes) -> str:
    """The value of `Tidelog-Signature`: a time, and the HMAC-SHA256 of the time, a period and the body.

    >>> signature(b"secret", 1700000000, b"{}")[:22]
    't=1700000000,v1=b8569b'
    """
    return f"t={moment},v1={hmac.new(secret, b'%d.' % moment + body, hashlib.sha256).hexdigest()}"


@dataclass(slots=True)
class Delivery:
    """The deliveries of a webhook, for its health."""

    acknowledged: int = 0  # the last epoch
    sent: int = 0
    retries: int = 0
    trouble: str = ""


@dataclass(slots=True)
class Webhook:
    """One view and one URL, as a source of a server."""

    view: str
    url: str
    secret: bytes | None = None
    patience: Patience = field(default_factory=lambda: Patience(0.5, 60.0))
    _done: Delivery = field(default_factory=Delivery)
    _changed: int = 0  # the last epoch that is known to have changed the view
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _feed: Any = None
    _engine: Engine | None = None

    @property
    def name(self) -> str:
        """The view and the URL, without parts that may be secret."""
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        port = "" if parts.port is None else f":{parts.port}"
        return f"webhook {self.view} {parts.scheme}://{host}{port}{parts.path}"

    def check(self, engine: Engine) -> None:
        """Raise for a view that does not exist, or an engine without history."""
        _ = engine[self.view]
        state_folder(core_of(engine), "a webhook")

    def start(self, engine: Engine) -> None:
        """Send changes on a thread, after the last acknowledged epoch, or from now on."""
        core = core_of(engine)
        self._engine = engine
        noted = read_note(state_folder(core, "a webhook").store, self._note)
        self._done.acknowledged = core.number if noted is None else int(noted["epoch"])
        if noted is None:
            self._acknowledge(core.number)
        core.listeners.append(self._on_commit)
        self._thread = threading.Thread(target=self._run, args=(engine,), name="tidelog webhook", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop; a request in progress that is not answered soon is sent again after the next start."""
        self._stop.set()
        if self._engine is None or self._thread is None:
            return
        if self._feed is not None:
            self._feed.close()
        self._thread.join(STOP)
        core = core_of(self._engine)
        with suppress(ValueError):
            core.listeners.remove(self._on_commit)
        if not self._thread.is_alive() and self._changed <= self._done.acknowledged < core.number:
            self._acknowledge(core.number)  # the epochs since then do not change the view

    def health(self) -> dict[str, Any]:
        """`state`, `detail`, and the last `acknowledged` epoch."""
        if self._thread is None:
            return {"state": STARTING, "detail": ""}
        done = self._done
        state = STOPPED if self._stop.is_set() else WAITING if done.trouble else RUNNING
        numbers = {"acknowledged": done.acknowledged, "sent": done.sent, "retries": done.retries}
        return {"state": state, "detail": done.trouble, **numbers}

    def quarantine(self) -> list[dict[str, Any]]:
        """None: it writes no facts."""
        return []

    # The thread

    def _on_commit(self, epoch: Epoch) -> None:
        if epoch.number is not None and self.view in epoch.changes and epoch.changes[self.view]:
            self._changed = epoch.number

    def _run(self, engine: Engine) -> None:
        while not self._stop.is_set():
            try:
                with httpx.Client(timeout=TIMEOUT) as http:
                    self._send_all(engine, http)
            except Exception:
                LOG.exception("unexpected exception in %s", self.name)
                self._stop.wait(self.patience.next())

    def _send_all(self, engine: Engine, http: httpx.Client) -> None:
        """Send what has not been acknowledged, then new commits, until the feed is closed or has a gap."""
        since, now = self._done.acknowledged, engine.epoch_number
        if since > now:  # an older copy of the state was restored
            self._deliver(engine, http, Gap(0, now))
            since = now
        try:
            past = changes_in_turn(core_of(engine), self.view, since) if since < now else ()
            self._changed = max(self._changed, max((change.epoch for change in past), default=since))
            self._feed = engine.feed(self.view, since=since)
        except StateError:
            self._deliver(engine, http, Gap(since + 1, now))
            return
        if self._stop.is_set():
            self._feed.close()
        for change in self._feed:
            if isinstance(change, Gap):  # the queue overflowed; the history has the missing epochs, or refuses
                return
            if not self._deliver(engine, http, change):
                return

    def _deliver(self, engine: Engine, http: httpx.Client, change: FeedChange | Gap) -> bool:
        """Send a change until it is acknowledged; returns False if the server stopped before that."""
        last = change.last if isinstance(change, Gap) else change.epoch
        body = to_json(self._content(engine, change))
        while not self._stop.is_set():
            trouble = self._post(http, last, body)
            if self._stop.is_set() and trouble:
                return False
            if not trouble:
                self._done.sent += 1
                self._done.trouble = ""
                self.patience.reset()
                self._acknowledge(last)
                return True
            if trouble != self._done.trouble:
                LOG.warning("%s: epoch %d was not accepted: %s", self.name, last, trouble)
            self._done.trouble = trouble
            self._done.retries += 1
            self._stop.wait(self.patience.next())
        return False

    def _post(self, http: httpx.Client, epoch: int, body: bytes) -> str:
        """Send a request; returns the problem with the response, if any."""
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": f"{quote(self.view)}-{epoch}",
            "Tidelog-View": quote(self.view),
            "Tidelog-Epoch": str(epoch),
        }
        if self.secret is not None:
            headers["Tidelog-Signature"] = signature(self.secret, int(time.time()), body)
        try:
            response = http.post(self.url, content=body, headers=headers)
        except httpx.HTTPError as error:
            return f"{type(error).__name__}"
        return "" if OK <= response.status_code < NOT_OK else f"status {response.status_code}"

    def _content(self, engine: Engine, change: FeedChange | Gap) -> dict[str, Any]:
        core = core_of(engine)
        types = core.schema.get(self.view, ())
        if isinstance(change, Gap):
            return {"view": self.view, "epoch": change.last, "gap": {"first": change.first, "last": change.last}}
        signed = [*((1, row) for row in change.inserted), *((-1, row) for row in change.deleted)]
        rows = EpochChange.of_facts(change.epoch, signed, types).to_json()
        about = {"author": change.author, "note": change.note}
        return {"view": self.view, "columns": list(core.columns(self.view)), **rows, **about}

    @property
    def _note(self) -> str:
        key = hashlib.sha256(f"{self.view}={self.url}".encode()).hexdigest()[:16]
        return f"{FOLDER}/{key}.json"

    def _acknowledge(self, epoch: int) -> None:
        """Record an epoch in the state folder."""
        self._done.acknowledged = epoch
        assert self._engine is not None
        try:
            store = state_folder(core_of(self._engine), "a webhook").store
            write_note(store, self._note, {"view": self.view, "epoch": epoch})
        except (OSError, TidelogError) as error:  # it will be sent again after a restart
            LOG.warning("%s: epoch %d was acknowledged, but not noted: %s", self.name, epoch, error)
