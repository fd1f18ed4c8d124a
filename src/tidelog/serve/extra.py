"""The packages that the server needs in addition to Tidelog.

Law: if a package is missing, the message says what to install, before anything is created.
"""

from __future__ import annotations

from importlib.util import find_spec

from tidelog.serve import serve_failures as failures

PACKAGES = ("starlette", "uvicorn", "httptools", "httpx")


def check_extra() -> None:
    """Raise if the packages of the extra `serve` are missing."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise failures.NEEDS_EXTRA.error(missing=" and ".join(missing))
