"""Secrets of a run: made for it, never shown."""

from __future__ import annotations

import sys

import pytest

from tidelog.spark import PreflightError
from tidelog.spark.resident.credentials import new_credentials


def test_secrets_of_two_runs_differ_and_do_not_show() -> None:
    (first, others), (second, _) = new_credentials(tls=True), new_credentials(tls=True)
    assert first.token == others.token != second.token
    assert first.certificates is not None
    assert others.certificates is not None
    assert first.certificates.authority == others.certificates.authority
    assert first.certificates.key != others.certificates.key
    assert repr(first) == "Credentials(limit=2147483647)"
    assert repr(first.certificates) == "Certificates()"


def test_missing_library_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric", None)
    with pytest.raises(PreflightError, match="cryptography") as caught:
        new_credentials(tls=True)
    assert caught.value.code == "TL6178"
    assert "tls=False" in caught.value.hint
    new_credentials(tls=False)
