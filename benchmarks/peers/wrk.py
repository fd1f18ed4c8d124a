"""wrk, a load generator: Debian's package `wrk`. It keeps connections open and sends as fast as it is answered."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3}
SCRIPT = """
local bodies = {bodies}
local sent = 0
request = function()
  sent = sent + 1
  return wrk.format("{method}", {path}, {headers}, {body})
end
"""


@dataclass(frozen=True, slots=True)
class Load:
    """What wrk reports: requests, those of them not answered with 2xx or 3xx, seconds, and the latency in ms."""

    requests: int
    refused: int
    seconds: float
    middle: float
    late: float  # of 99 in 100 requests


def is_installed() -> bool:
    """Whether wrk is installed."""
    return which("wrk") is not None


def run(
    url: str, token: str, method: str, targets: Sequence[str], *, clients: int, seconds: float, post_to: str = ""
) -> Load:
    """Send requests in turn: to the addresses in ``targets``, or with these bodies to ``post_to``."""
    headers = f'{{["Authorization"] = "Bearer {token}", ["Content-Type"] = "application/json"}}'
    lua = "{" + ", ".join(json.dumps(each) for each in targets) + "}"
    chosen = "bodies[sent % #bodies + 1]"
    path, body = (json.dumps(post_to), chosen) if post_to else (chosen, "nil")
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "requests.lua"
        text = SCRIPT.format(bodies=lua, method=method, path=path, headers=headers, body=body)
        script.write_text(text)
        length = f"-d{max(1, round(seconds))}s"
        words = ["wrk", "-t1", f"-c{clients}", length, "--latency", "--timeout", "30s", "-s", str(script), url]
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    requests = re.search(r"(\d+) requests in ([\d.]+)(us|ms|s|m)", said)
    assert requests is not None, said
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    failed = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", said)
    lost = 0 if failed is None else sum(map(int, failed.groups()))
    took = float(requests[2]) * {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}[requests[3]]
    middle, late = (_latency(said, part) for part in ("50%", "99%"))
    return Load(int(requests[1]), lost + (int(refused[1]) if refused else 0), took, middle, late)


def _latency(said: str, part: str) -> float:
    found = re.search(rf"{part}\s+([\d.]+)(us|ms|s)", said)
    assert found is not None, said
    return float(found[1]) * UNITS[found[2]]
