"""A small client of the language server: it starts one, sends messages and waits for what comes back."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Empty, Queue
from typing import Any

PATIENCE = 60


class Client:
    """One server in a separate process, called over its standard input and output."""

    def __init__(self, root: Path, *options: str) -> None:
        command = [sys.executable, "-m", "tidelog.cli", "lsp", *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.versions: dict[str, int] = {}
        self.answers: Queue[dict[str, Any]] = Queue()
        self.told: Queue[dict[str, Any]] = Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        root_uri = root.as_uri()
        folders = [{"uri": root_uri, "name": "root"}]
        params = {"processId": None, "rootUri": root_uri, "capabilities": {}, "workspaceFolders": folders}
        self.capabilities = self.ask("initialize", params)["capabilities"]
        self.tell("initialized", {})

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while line := stream.readline():
            length = int(line.split(b":")[1])
            while stream.readline().strip():
                pass
            message = json.loads(stream.read(length))
            (self.answers if "id" in message and "method" not in message else self.told).put(message)

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        self.number += 1
        self._send({"id": self.number, "method": method, "params": params})
        answer = self.answers.get(timeout=PATIENCE)
        assert answer["id"] == self.number
        if "error" in answer:
            raise ValueError(answer["error"]["message"])
        return answer["result"]

    def open(self, path: Path, text: str) -> str:
        path.write_text(text, "utf-8")
        uri = path.as_uri()
        self.versions[uri] = 1
        document = {"uri": uri, "languageId": "tidelog", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return uri

    def edit(self, uri: str, line: int, start: int, end: int, text: str) -> None:
        self.versions[uri] += 1
        place = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
        self.tell(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": self.versions[uri]},
                "contentChanges": [{"range": place, "text": text}],
            },
        )

    def about(self, method: str, uri: str, line: int = 0, character: int = 0, **more: Any) -> Any:
        position = {"line": line, "character": character}
        params = {"textDocument": {"uri": uri}, "position": position, **more}
        return self.ask(f"textDocument/{method}", params)

    def findings(self, uri: str, wanted: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
        """The findings about a document as soon as they are what is wanted."""
        last: list[dict[str, Any]] | None = None
        while True:
            try:
                message = self.told.get(timeout=PATIENCE)
            except Empty:
                raise AssertionError(f"the last findings were {last}") from None
            if message["method"] == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                last = message["params"]["diagnostics"]
                if wanted(last):
                    return last

    def stop(self) -> None:
        self.ask("shutdown", None)
        self.tell("exit", None)
        assert self.process.wait(timeout=PATIENCE) == 0
        self.reader.join(timeout=PATIENCE)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()
