"""`tidelog serve` as it is typed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.runner import CliRunner
from tests.serve.running import REACH
from tidelog.cli import app
from tidelog.client import connect
from tidelog.serve import extra

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


@dataclass
class Typed:
    """A server in a separate process."""

    url: str
    said: list[str]
    process: subprocess.Popen[str]
    rest: str = ""  # what it said afterwards


@contextmanager
def typed(*words: str) -> Iterator[Typed]:
    """The command, until it was asked to stop; it must end normally."""
    command = [sys.executable, "-m", "tidelog.cli", "serve", *words, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stderr is not None
        said: list[str] = []
        try:
            while not (said and said[-1].startswith("tokens:")):
                line = process.stderr.readline()
                assert line, said
                said.append(line.strip())
            found = re.search(r"https?://\S+", "\n".join(said))
            assert found is not None
            server = Typed(found[0], said, process)
            yield server
        finally:
            process.send_signal(signal.SIGTERM)
            rest = process.stderr.read()
        server.rest = rest
    assert process.returncode == 0, rest
    assert "Traceback" not in rest


def program(folder: Path) -> str:
    (folder / "reach.dl").write_text(REACH)
    (folder / "edge.facts").write_text("1\t2\n2\t3\n")
    return str(folder / "reach.dl")


def test_a_program_is_served_and_goes_on_after_a_restart(tmp_path: Path) -> None:
    file, state = program(tmp_path), tmp_path / "state"
    with typed(file, "--state", str(state), "-F", str(tmp_path)) as server:
        assert server.url.startswith("http://127.0.0.1:")
        assert (state / "tokens" / "write").stat().st_mode & 0o777 == 0o600
        token = (state / "tokens" / "write").read_text().strip()
        assert token not in "\n".join(server.said)
        with connect(server.url, token) as db:
            assert sorted(db["reach"]) == [(1, 2), (1, 3), (2, 3)]
            with db.epoch() as e:
                e.insert("edge", [(3, 4)])
                e.add_rule("back(Y, X) :- reach(X, Y).")
    with typed(file, "--state", str(state)) as server, connect(server.url, token) as db:
        assert " differ from " in "\n".join(server.said)
        assert (db.epoch_number, len(db["back"])) == (2, 6)
        assert len(db.changes("reach", 0)) == 6


def test_a_server_speaks_tls(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(certificate),
            "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]  # fmt: skip
    subprocess.run(made, check=True, capture_output=True)
    tls = ["--tls-cert", str(certificate), "--tls-key", str(key)]
    with typed(program(tmp_path), "--state", str(tmp_path / "state"), *tls) as server:
        token = (tmp_path / "state" / "tokens" / "read").read_text().strip()
        assert server.url.startswith("https://127.0.0.1:")
        with connect(server.url, token, verify=str(certificate)) as db:
            assert db.epoch_number == 1
        with pytest.raises(httpx.ConnectError, match="certificate"):
            httpx.get(server.url)


def refused(words: list[str]) -> str:
    result = CliRunner().invoke(app, ["serve", *words])
    assert result.exit_code == 1, result.output
    assert isinstance(result.stderr, str)
    return result.stderr


def test_what_keeps_a_server_from_starting(tmp_path: Path) -> None:
    file, state = program(tmp_path), str(tmp_path / "state")
    assert "error[TL8033]" in refused(["--state", state])
    assert "error[TL8031]" in refused([file, "--state", state, "--tls-cert", "none.pem"])
    assert "error[TL8031]" in refused([file, "--state", state, "--tls-cert", file, "--tls-key", file])
    assert "error[TL8032]" in refused([file, "--state", state, "--host", "192.0.2.1"])
    assert "error[TL8030]" in refused([file, "--state", "s3://bucket/state"])
    assert CliRunner().invoke(app, ["serve", file]).exit_code == 2


def test_a_sandbox_keeps_a_program_to_its_folders(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside.facts").write_text("1\t2\n")
    (tmp_path / "outside.dl").write_text("p(X) :- edge(X, _).\n")
    for text, code in (
        ('.input edge(filename="../outside.facts")', "TL4880"),
        (f'.input edge(filename="{tmp_path}/outside.facts")', "TL4880"),
        ('#include "../outside.dl"', "TL180"),
    ):
        file = tmp_path / "inside" / "program.dl"
        file.write_text(f".decl edge(a: number, b: number)\n.decl p(a: number)\n{text}\n")
        words = [str(file), "--state", str(tmp_path / "state"), "-F", str(file.parent)]
        assert f"error[{code}]" in refused(words)


def test_a_server_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "PACKAGES", ("starlette", "no_such_package"))
    assert "error[TL8035]: the server needs no_such_package" in refused([program(tmp_path), "--state", str(tmp_path)])
