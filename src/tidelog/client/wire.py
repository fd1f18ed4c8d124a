"""HTTP requests and responses.

Law: an error response is raised as the class that it names, with its code, note and hint. The token is sent in one
header and appears nowhere else.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tidelog import errors
from tidelog.client import client_failures as failures
from tidelog.client.violations import read_violations
from tidelog.errors import ConstraintError, Diagnostic, ProgramError, ServerError, TidelogError

ARROW, EVENTS = "application/vnd.apache.arrow.stream", "text/event-stream"
BAD = 400
SHOWN = 80


class Wire:
    """A connection to one server."""

    def __init__(self, url: str, token: str, timeout: float, verify: bool | str) -> None:
        self.url = url.rstrip("/")
        self._http = httpx.Client(
            base_url=self.url,
            headers={"Authorization": f"Bearer {token}"},
            timeout=httpx.Timeout(timeout),
            verify=_context(self.url, verify),
        )

    def get(self, path: str, **query: Any) -> Any:
        """The content of the response to a GET; parameters that are None are left out."""
        return self.send("GET", path, query=query).json()

    def post(self, path: str, body: Any, **query: Any) -> Any:
        """The content of the response to a POST of JSON."""
        return self.send("POST", path, query=query, json=body).json()

    def send(self, method: str, path: str, query: dict[str, Any] | None = None, **more: Any) -> httpx.Response:
        """Send a request and return its response; raises if the response is an error."""
        parameters = {name: value for name, value in (query or {}).items() if value is not None}
        try:
            response = self._http.request(method, f"/v1{path}", params=parameters, **more)
        except httpx.HTTPError as error:
            raise failures.UNREACHABLE.error(url=self.url, error=error) from error
        if response.status_code >= BAD or not _is_ours(response):
            raise self.error_of(response)
        return response

    @contextmanager
    def stream(self, path: str, headers: dict[str, str], wait: float, **query: Any) -> Iterator[Iterator[str]]:
        """The lines of a response as they arrive; the server sends something at least every ``wait`` seconds."""
        parameters = {name: value for name, value in query.items() if value is not None}
        timeout = httpx.Timeout(wait)
        try:
            with self._http.stream(
                "GET", f"/v1{path}", params=parameters, headers=headers, timeout=timeout
            ) as response:
                if response.status_code >= BAD:
                    response.read()
                    raise self.error_of(response)
                yield response.iter_lines()
        except httpx.HTTPError as error:
            raise failures.UNREACHABLE.error(url=self.url, error=error) from error

    def error_of(self, response: httpx.Response) -> TidelogError:
        """The error in a response."""
        try:
            content = response.json()["error"]
            return _error(content)
        except (ValueError, KeyError, TypeError):
            found = response.text[:SHOWN]
            return failures.STRANGE.error(url=self.url, status=response.status_code, found=repr(found))

    def close(self) -> None:
        """Close the connection."""
        self._http.close()


def _context(url: str, verify: bool | str) -> Any:
    """How the server's certificate is checked; a file of certificates is loaded here, as httpx requires."""
    if verify is True and url.startswith("http://"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nothing; loading the trusted certificates takes 25 ms
    if isinstance(verify, bool):
        return verify
    try:
        return ssl.create_default_context(cafile=verify)
    except OSError as error:
        raise failures.NO_TOKEN_FILE.error(path=verify, error=error) from error


def _is_ours(response: httpx.Response) -> bool:
    kind = response.headers.get("content-type", "")
    return not response.content or kind.startswith(("application/json", ARROW))


def _error(content: dict[str, Any]) -> TidelogError:
    """An error of the class that the server names, or of the nearest class that this package knows."""
    kind = getattr(errors, content["kind"], None)
    if kind is ProgramError:
        findings = [_diagnostic(found) for found in content["diagnostics"]]
        return kind(findings)  # which copies code, note and hint of the first
    known = kind if isinstance(kind, type) and issubclass(kind, TidelogError) else _nearest(content["kind"])
    error: TidelogError = known(content["message"])
    error.code, error.hint = content["code"], content["hint"]
    error.note = " ".join(content["notes"])
    if isinstance(error, ConstraintError):
        error.violations, error.causes = read_violations(content["violations"]), tuple(content["causes"])
    return error


def _nearest(name: str) -> type[TidelogError]:
    return errors.EngineError if name == "NotTrueError" else ServerError


def _diagnostic(content: dict[str, Any]) -> Diagnostic:
    found = content["where"]
    where = f"line {found['line']}, column {found['column']}: " if found else ""
    note = " ".join(content["notes"])
    return Diagnostic(
        content["code"], f"{where}{content['message']}", None, note, content["hint"], (), content["severity"]
    )


def read_token(path: str | Path) -> str:
    """The token in a file."""
    try:
        return Path(path).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise failures.NO_TOKEN_FILE.error(path=path, error=error) from error
