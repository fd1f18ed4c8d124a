"""Connections of clients that are silent, slow or gone."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from urllib.parse import urlsplit

from tests.serve.running import READS, Running, running
from tidelog.serve.limits import ServerLimits

QUICK = ServerLimits(header_seconds=0.4, idle_seconds=1.0, body_seconds=0.4)
TOKEN = f"Authorization: {READS['Authorization']}\r\n".encode()
GET = b"GET /v1 HTTP/1.1\r\nHost: localhost\r\n" + TOKEN + b"\r\n"
POST = b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + TOKEN


def connected(server: Running) -> socket.socket:
    return socket.create_connection(("127.0.0.1", urlsplit(server.url).port), timeout=20)


def is_closed(plain: socket.socket) -> bool:
    """Whether the server closes the connection; waits for it."""
    try:
        return plain.recv(1) == b""
    except ConnectionResetError:
        return True


def answer(plain: socket.socket) -> bytes:
    """The status of an answer whose rest is read, too."""
    found = b""
    while b"\r\n\r\n" not in found or b"}" not in found:
        part = plain.recv(1 << 16)
        assert part, found
        found += part
    return found.split()[1]


def test_silent_and_half_open_connections_are_closed_after_a_time() -> None:
    with running(limits=QUICK) as server, ExitStack() as stack:
        begun = [b"", b"G", b"GET /v1 HTTP/1.1\r\nHost: loc", GET + b"GET /v1 HT", POST + b"Content-Length: 9\r\n\r\n{"]
        for part in begun:
            plain = stack.enter_context(closing(connected(server)))
            plain.sendall(part)
            if part.startswith(GET):
                assert answer(plain) == b"200"
            assert is_closed(plain)


def test_a_header_sent_byte_by_byte_gets_no_more_time() -> None:
    with running(limits=QUICK) as server, closing(connected(server)) as plain:
        began = time.monotonic()
        try:
            while time.monotonic() - began < 20:
                plain.sendall(b"G")
                time.sleep(0.05)
        except OSError:
            pass
        assert time.monotonic() - began < 15


def test_a_connection_is_kept_for_further_requests_and_closed_when_none_come() -> None:
    with running(limits=QUICK) as server, closing(connected(server)) as plain:
        for _ in range(3):
            plain.sendall(GET)
            assert answer(plain) == b"200"
            time.sleep(0.1)
        assert is_closed(plain)


def test_feeds_stay_open_beyond_the_time_of_a_silent_connection() -> None:
    with running(limits=QUICK) as server:
        feed = {"Accept": "text/event-stream"}
        with server.http.stream("GET", "/v1/changes/reach", headers=feed) as events:
            time.sleep(2)
            server.insert("edge", (1, 2))
            assert any(line.startswith("data:") and "[[1,2]]" in line.replace(" ", "") for line in events.iter_lines())


def test_silent_connections_keep_nobody_out() -> None:
    with running(limits=replace(QUICK, connections=20, header_seconds=60.0)) as server, ExitStack() as stack:
        silent = [stack.enter_context(closing(connected(server))) for _ in range(30)]
        for plain in silent[:15]:
            plain.sendall(b"GET /v1 HTTP/1.1\r\n")
        for _ in range(5):
            assert server.reader.get("/v1").status_code == 200
        assert len(server.server.server_state.connections) <= 21
        assert is_closed(silent[0])


def test_requests_under_way_are_not_closed_for_new_connections() -> None:
    with running(limits=replace(QUICK, connections=3)) as server:
        feed = {"Accept": "text/event-stream"}
        with server.http.stream("GET", "/v1/changes/reach", headers=feed) as events, ExitStack() as stack:
            for _ in range(10):
                stack.enter_context(closing(connected(server)))
            assert server.reader.get("/v1").status_code in (200, 503)
            with server.service.engine.epoch() as e:
                e.insert("edge", [(1, 2)])
            assert any(line.startswith("data:") for line in events.iter_lines())


def test_a_client_that_does_not_read_is_closed_after_a_time() -> None:
    with running("big(X) :- edge(X, _).", limits=QUICK) as server, closing(connected(server)) as plain:
        with server.service.engine.epoch() as e:
            e.insert("edge", [(i, i + 1) for i in range(300_000)])
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.sendall(GET.replace(b"/v1 ", b"/v1/views/edge?limit=300000 "))
        began = time.monotonic()
        while server.server.server_state.connections and time.monotonic() - began < 20:
            time.sleep(0.1)
        assert not server.server.server_state.connections
        assert server.reader.get("/v1").status_code == 200


def test_head_is_get_without_its_answer() -> None:
    with running() as server:
        for path in ("/v1", "/v1/program", "/v1/views/edge", "/metrics"):
            found = server.http.head(path)
            assert (found.status_code, found.content) == (200, b"")
        assert server.http.head("/v1/changes").status_code == 405
        assert server.http.head("/v1/query").status_code == 405


def test_a_header_or_a_trailer_without_end_is_refused() -> None:
    chunked = POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: "
    with running() as server:
        for begun, status in (
            (b"GET /v1 HTTP/1.1\r\nX: ", b"400"),
            (GET[:-2] + b"A: b\r\nX: ", b"400"),
            (chunked, b""),
        ):
            with closing(connected(server)) as plain:
                plain.sendall(begun)
                found = b""
                with suppress(ConnectionError):
                    for _ in range(64):
                        plain.sendall(b"x" * 4096)
                with suppress(ConnectionError):
                    while part := plain.recv(1 << 16):  # until it is closed
                        found += part
                assert not found or found.split()[1] == status
        assert server.reader.get("/v1").status_code == 200


def test_a_request_without_host_is_refused_unless_it_is_of_http_1_0() -> None:
    with running() as server:
        for version, status in ((b"1.1", b"421"), (b"1.0", b"200")):
            with closing(connected(server)) as plain:
                plain.sendall(b"GET /v1 HTTP/" + version + b"\r\n" + TOKEN + b"\r\n")
                assert answer(plain) == status


def test_requests_that_arrive_together_are_answered_in_order() -> None:
    with running() as server, closing(connected(server)) as plain:
        paths = [b"/v1/views/edge", b"/v1", b"/v1/views/nothing", b"/v1"] * 5
        plain.sendall(b"".join(GET.replace(b"/v1 ", path + b" ") for path in paths))
        found = b""
        while found.count(b"HTTP/1.1 ") < len(paths) or not found.endswith(b"}"):
            found += plain.recv(1 << 16)
        statuses = [part.split()[0] for part in found.split(b"HTTP/1.1 ")[1:]]
        assert statuses == [b"404" if path.endswith(b"nothing") else b"200" for path in paths]
