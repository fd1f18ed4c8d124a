"""`tidelog lsp` without the packages that it needs."""

import sys

from tests.runner import CliRunner
from tidelog.cli import app


def test_what_is_missing_is_reported(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("tidelog.editor")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pygls", None)
    done = CliRunner().invoke(app, ["lsp"])
    assert done.exit_code == 1
    assert "error[TL4723]" in done.stderr
    assert "tidelog[editor]" in done.stderr
