"""What the jobs show that is neither a session of Python nor of the command line: a program that waits for alerts."""

from __future__ import annotations

import re
import threading
from pathlib import Path

from tests.docs.pages import DOCS, ROOT, read
from tests.serve.running import TOKENS, running
from tidelog import Engine

DATA = ROOT / "examples" / "data" / "permissions"


class AlertPrintedError(Exception):
    """Ends the program of the page, which waits for ever."""


def test_program_that_waits_for_alerts_prints_them(tmp_path: Path) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", read(DOCS / "jobs" / "permissions.md"), re.DOTALL)
    (tmp_path / "read").write_bytes(TOKENS.read)
    printed: list[str] = []

    def show(line: str) -> None:
        printed.append(line)
        raise AlertPrintedError

    def wait_for_alerts() -> None:
        code = block.replace("http://127.0.0.1:8117", server.url).replace("live.state/tokens/read", f"{tmp_path}/read")
        try:
            exec(code, {"print": show})
        except AlertPrintedError:
            return

    with Engine.from_file(DATA / "access.dl") as db, running(db) as server:
        server.insert("system", ["production", ""])
        server.insert("permission", ["platform", "write", "production"])
        waiting = threading.Thread(target=wait_for_alerts, daemon=True)
        waiting.start()
        for number in range(300):  # one of them comes after the program has connected
            server.insert("employee", [f"contractor{number}", "platform", "contractor"])
            waiting.join(0.1)
            if printed:
                break
    assert re.fullmatch(r"contractor\d+ writes to production as a contractor: production", printed[0])
