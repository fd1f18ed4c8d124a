"""The names under which a server answers."""

from __future__ import annotations

import socket
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from tests.serve.running import refused, running
from tidelog.serve.hosts import Hosts


def test_a_request_for_another_host_is_refused() -> None:
    with running() as server:
        for host in (
            "evil.example",
            "evil.example:8117",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "10.0.0.1",
        ):
            assert (
                host.partition(":")[0]
                in refused(server.http.get("/v1", headers={"Host": host}), 421, "TL8029")["message"]
            )
        refused(server.http.get("/v1/openapi.json", headers={"Host": ""}), 421, "TL8029")
        for host in ("localhost", "LOCALHOST:1", "127.0.0.1:8117", "127.1.2.3", "[::1]:8117", "tide.localhost"):
            assert server.http.get("/v1", headers={"Host": host}).status_code == 200


def test_two_hosts_are_refused() -> None:
    with running() as server, closing(socket.create_connection(("127.0.0.1", urlsplit(server.url).port))) as plain:
        plain.sendall(b"GET /v1 HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")
        assert plain.recv(100).split()[1] in (b"400", b"421")


@pytest.mark.parametrize(
    ("host", "names", "answered", "others"),
    [
        ("0.0.0.0", [], ["10.1.2.3", "192.168.0.9:80", "[fe80::1]"], ["tide.example"]),
        ("192.168.0.9", [], ["192.168.0.9:8117", "127.0.0.1"], ["192.168.0.10"]),
        ("127.0.0.1", ["Tide.example"], ["tide.example", "tide.example.:443"], ["www.tide.example"]),
        ("127.0.0.1", ["*"], ["anything"], [""]),
    ],
)
def test_a_server_answers_to_its_address_and_to_names_that_it_is_given(
    host: str, names: list[str], answered: list[str], others: list[str]
) -> None:
    hosts = Hosts(host, names)
    assert all(map(hosts.answers, answered))
    assert not any(map(hosts.answers, others))
