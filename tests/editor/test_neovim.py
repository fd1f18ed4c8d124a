"""The language server in a real editor: Neovim, without a display."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="the language server is an extra: pip install 'tidelog[editor]'")

PROGRAM = (
    "reach(X, Y) :- edge(X, Y).\nreach(X, Z) :- edge(X, Y), reach(Y, Z).\n"
    "lonely(X) :- edge(X, Y).\nold( X ):-reach(X,X).\n"
)
SCRIPT = """
local answers = {}
local buffer = vim.api.nvim_get_current_buf()
local command = vim.fn.json_decode(vim.env.TIDELOG_LSP)
local client = vim.lsp.start_client({name = "tidelog", cmd = command, root_dir = vim.fn.getcwd()})
vim.lsp.buf_attach_client(buffer, client)
local function findings() return vim.diagnostic.get(buffer) end
answers.checked = vim.wait(60000, function() return #findings() > 0 end, 50)
for _, each in ipairs(findings()) do answers.code = each.code; answers.line = each.lnum end
local function ask(method, more)
  local params = vim.tbl_extend("force", {textDocument = vim.lsp.util.make_text_document_params(buffer)}, more)
  local found = vim.lsp.buf_request_sync(buffer, method, params, 60000)
  return found[client].result
end
local hover = ask("textDocument/hover", {position = {line = 1, character = 1}})
answers.hover = hover.contents.value
local definition = ask("textDocument/definition", {position = {line = 3, character = 12}})
answers.definition = definition[1].range.start.line
local edits = ask("textDocument/rename", {position = {line = 0, character = 0}, newName = "path"})
vim.lsp.util.apply_workspace_edit(edits, "utf-16")
local layout = ask("textDocument/formatting", {options = {tabSize = 4, insertSpaces = true}})
vim.lsp.util.apply_text_edits(layout, buffer, "utf-16")
answers.text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\\n")
local file = io.open(vim.env.TIDELOG_ANSWERS, "w")
file:write(vim.fn.json_encode(answers))
file:close()
vim.lsp.stop_client(client)
vim.cmd("qall!")
"""


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed (Debian's package neovim)")
def test_neovim_shows_findings_renames_and_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "reach.dl").write_text(PROGRAM)
    (tmp_path / "drive.lua").write_text(SCRIPT)
    monkeypatch.setenv("TIDELOG_LSP", json.dumps([sys.executable, "-m", "tidelog.cli", "lsp"]))
    monkeypatch.setenv("TIDELOG_ANSWERS", str(tmp_path / "answers.json"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    command = ["nvim", "--headless", "--clean", "-i", "NONE", "reach.dl", "-c", "luafile drive.lua"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=180, check=False)
    assert (tmp_path / "answers.json").exists(), done.stderr
    answers = json.loads((tmp_path / "answers.json").read_text())
    assert answers["checked"]
    assert (answers["code"], answers["line"]) == ("TL702", 2)
    assert "derived by 2 rules" in answers["hover"]
    assert answers["definition"] == 0
    assert answers["text"].splitlines()[1] == "path(X, Z) :- edge(X, Y), path(Y, Z)."
    assert answers["text"].splitlines()[3] == "old(X) :- path(X, X)."
