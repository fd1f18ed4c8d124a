"""A server in a separate process, and what it serves: the closure of some chains.

Law: it is started as users start it, with a state folder, and called over loopback.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.outcome import Disagreement

PROGRAM = "reach(X, Y) :- edge(X, Y).\nreach(X, Z) :- edge(X, Y), reach(Y, Z).\n"
CHAINS, LENGTH = 100, 40  # of the graph: its closure has CHAINS * LENGTH * (LENGTH + 1) / 2 rows


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs."""

    host: str
    port: int
    token: str
    process: int = 0

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://{self.host}:{self.port}"

    def processor_seconds(self) -> float:
        """The processor time that the server has used, with that of its threads."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def connection(self) -> http.client.HTTPConnection:
        """A connection that stays."""
        return http.client.HTTPConnection(self.host, self.port, timeout=120)

    def headers(self, **more: str) -> dict[str, str]:
        """Those of every request."""
        return {"Authorization": f"Bearer {self.token}", **more}

    def ask(self, connection: http.client.HTTPConnection, path: str, body: Any = None) -> Any:
        """The values of an answer."""
        method, content = ("GET", None) if body is None else ("POST", json.dumps(body))
        connection.request(method, f"/v1{path}", content, self.headers(**{"Content-Type": "application/json"}))
        response = connection.getresponse()
        answer = json.loads(response.read())
        if response.status != 200:
            raise Disagreement(str(answer))
        return answer


@contextmanager
def server() -> Iterator[Served]:
    """A server with a separate state folder."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "reach.dl").write_text(PROGRAM)
        state = Path(folder) / "state"
        words = ["serve", f"{folder}/reach.dl", "--state", str(state), "-F", folder, "--port", "0", "-j", "1"]
        path = os.pathsep.join(each for each in sys.path if each)
        command = [sys.executable, "-m", "tidelog.cli", *words]
        with subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}
        ) as process:
            assert process.stderr is not None
            try:
                said = ""
                while "tokens:" not in said:
                    line = process.stderr.readline()
                    if not line:
                        raise Disagreement(f"the server did not start: {said}")
                    said += line
                found = re.search(r"http://([\d.]+):(\d+)", said)
                assert found is not None
                token = (state / "tokens" / "write").read_text().strip()
                yield Served(found[1], int(found[2]), token, process.pid)
            finally:
                process.send_signal(signal.SIGTERM)
                process.stderr.read()


def chains(count: int) -> list[list[int]]:
    """The edges of this many independent chains."""
    return [list(pair) for c in range(count) for pair in pairwise(range(c * 1000, c * 1000 + LENGTH + 1))]
