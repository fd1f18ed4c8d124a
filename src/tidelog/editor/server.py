"""The language server: the requests of editors, and the functions that answer them.

Law: an answer refers to the text at the time of the request. Findings are sent after every edit, and again when the
check of the whole text, which runs in another process, is done; results for an older text are discarded.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from lsprotocol import types as lsp
from pygls import uris
from pygls.lsp.server import LanguageServer

from tidelog import __version__
from tidelog.editor.check import accept, check_whole, snapshot_of
from tidelog.editor.checker import Checker
from tidelog.editor.colours import LEGEND, difference, semantic_tokens
from tidelog.editor.complete import complete
from tidelog.editor.document import Document
from tidelog.editor.fixes import fixes
from tidelog.editor.hover import hover, signature_help
from tidelog.editor.rename import own_range, place_to_rename, rename
from tidelog.editor.report import diagnostics_of
from tidelog.editor.sizes import StateSizes
from tidelog.editor.structure import code_lenses, document_symbols, folding_ranges
from tidelog.editor.workspace import Workspace
from tidelog.syntax.layout import lay_out

REST = 0.2
"""Seconds without an edit after which a whole text is checked."""

Answer = TypeVar("Answer")


class TidelogServer(LanguageServer):
    """A language server with its documents; ``state`` is a folder whose sizes are shown."""

    def __init__(self, state: str | None = None, rest: float = REST) -> None:
        super().__init__("tidelog", __version__)
        self.texts = Workspace()
        self.sizes = StateSizes(state)
        self.rest = rest
        self.checker = Checker()
        self.coloured: dict[str, tuple[str, list[int]]] = {}
        self._waiting: dict[str, asyncio.Task[None]] = {}

    def shutdown(self) -> None:
        """End the process that checks texts, too."""
        self.checker.stop()
        super().shutdown()  # type: ignore[no-untyped-call]  # pygls has no type for it

    def answer_for(self, uri: str, answer: Callable[[Document], Answer]) -> Answer | None:
        """Call a function on a document, if it is open."""
        document = self.texts.get(uri)
        return None if document is None else answer(document)

    def show(self, document: Document) -> None:
        """Send the current findings about a document."""
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(document.uri, diagnostics_of(document)))

    def changed(self, document: Document) -> None:
        """After an edit: send findings at once, and check the whole text when typing pauses."""
        self.show(document)
        waiting = self._waiting.pop(document.path, None)
        if waiting is not None:
            waiting.cancel()
        self._waiting[document.path] = asyncio.ensure_future(self._check(document))

    async def _check(self, document: Document) -> None:
        await asyncio.sleep(self.rest)
        snapshot = snapshot_of(document)
        loop = asyncio.get_running_loop()
        verdict = await loop.run_in_executor(None, check_whole, snapshot, self.checker)
        if self.texts.documents.get(document.path) is document:
            accept(verdict, document)
            self.texts.checked[document.path] = verdict.outcome
            self.show(document)


def make_server(state: str | None = None, rest: float = REST) -> TidelogServer:
    """A server with handlers for all supported requests."""
    server = TidelogServer(state, rest)
    for register in (_texts, _about_names, _moves, _shapes, _colours, _edits):
        register(server)
    return server


def _texts(server: TidelogServer) -> None:
    @server.feature(lsp.INITIALIZED)
    def initialized(_: lsp.InitializedParams) -> None:
        folders = server.workspace.folders.values()
        server.texts.roots = [Path(path) for each in folders if (path := uris.to_fs_path(each.uri)) is not None]

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        document = server.texts.open(params.text_document.uri, params.text_document.text)
        gc.freeze()  # a scan for cycles in a large text would take longer than a keystroke may, and there are none
        server.changed(document)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        document = server.texts.get(params.text_document.uri)
        if document is None:
            return
        for change in params.content_changes:
            if isinstance(change, lsp.TextDocumentContentChangePartial):
                document.edit(change.range, change.text)
            else:
                document.open(change.text)
        server.changed(document)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        server.texts.close(params.text_document.uri)
        server.coloured.pop(params.text_document.uri, None)


def _about_names(server: TidelogServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hovered(params: lsp.HoverParams) -> lsp.Hover | None:
        return server.answer_for(
            params.text_document.uri,
            lambda text: hover(server.texts, text, text.positions.offset(params.position), server.sizes.now()),
        )

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=[".", "$", ":", "@"]))
    def completed(params: lsp.CompletionParams) -> lsp.CompletionList | None:
        return server.answer_for(
            params.text_document.uri,
            lambda text: complete(server.texts, text, text.positions.offset(params.position)),
        )

    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(trigger_characters=["(", ","]))
    def signed(params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        return server.answer_for(
            params.text_document.uri,
            lambda text: signature_help(server.texts, text, text.positions.offset(params.position)),
        )


def _moves(server: TidelogServer) -> None:
    def locations(uri: str, position: lsp.Position, definitions: bool) -> list[lsp.Location]:
        def answer(text: Document) -> list[lsp.Location]:
            place = text.symbol_at(text.positions.offset(position))
            if place is None:
                return _included(text, position)
            found = server.texts.definitions(place) if definitions else server.texts.references(place)
            return [each.location for each in found]

        return server.answer_for(uri, answer) or []

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def defined(params: lsp.DefinitionParams) -> list[lsp.Location]:
        return locations(params.text_document.uri, params.position, True)

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def referred(params: lsp.ReferenceParams) -> list[lsp.Location]:
        return locations(params.text_document.uri, params.position, False)

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepared(params: lsp.PrepareRenameParams) -> lsp.Range | None:
        return server.answer_for(
            params.text_document.uri,
            lambda text: own_range(place_to_rename(text, text.positions.offset(params.position))),
        )

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def renamed(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        return server.answer_for(
            params.text_document.uri,
            lambda text: rename(server.texts, text, text.positions.offset(params.position), params.new_name),
        )


def _included(text: Document, position: lsp.Position) -> list[lsp.Location]:
    """The file that the directive on a line includes."""
    offset = text.positions.offset(position)
    piece = text.pieces[text.places.at_offset(offset)] if text.pieces else None
    start = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    found = []
    for include_name in piece.includes if piece is not None else ():
        try:
            path = str(Path(text.include(include_name, text.path)[0]).resolve())
        except OSError:
            continue
        found.append(lsp.Location(uris.from_fs_path(path) or path, start))
    return found


def _shapes(server: TidelogServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol] | None:
        return server.answer_for(params.text_document.uri, document_symbols)

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    def folded(params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange] | None:
        return server.answer_for(params.text_document.uri, folding_ranges)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens] | None:
        return server.answer_for(params.text_document.uri, lambda text: code_lenses(server.texts, text))


def _colours(server: TidelogServer) -> None:
    def remembered(uri: str, numbers: list[int]) -> str:
        document = server.texts.get(uri)
        result = str(document.version if document is not None else 0)
        server.coloured[uri] = (result, numbers)
        return result

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, LEGEND)
    def full(params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        uri = params.text_document.uri
        numbers = server.answer_for(uri, semantic_tokens) or []
        return lsp.SemanticTokens(numbers, remembered(uri, numbers))

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, LEGEND)
    def delta(params: lsp.SemanticTokensDeltaParams) -> lsp.SemanticTokens | lsp.SemanticTokensDelta:
        uri = params.text_document.uri
        result, before = server.coloured.get(uri, ("", []))
        numbers = server.answer_for(uri, semantic_tokens) or []
        if result != params.previous_result_id:
            return lsp.SemanticTokens(numbers, remembered(uri, numbers))
        return lsp.SemanticTokensDelta(difference(before, numbers), remembered(uri, numbers))

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, LEGEND)
    def partly(params: lsp.SemanticTokensRangeParams) -> lsp.SemanticTokens:
        numbers = server.answer_for(params.text_document.uri, lambda text: semantic_tokens(text, params.range))
        return lsp.SemanticTokens(numbers or [])


def _edits(server: TidelogServer) -> None:
    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])
    )
    def fixed(params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
        return server.answer_for(params.text_document.uri, lambda text: fixes(text, params.range))

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatted(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        return server.answer_for(params.text_document.uri, formatting)


def formatting(document: Document) -> list[lsp.TextEdit]:
    """The edit that formats a text: all lines from the first to the last that changes. Empty if it does not parse."""
    before = document.text
    after = lay_out(before, document.path, include=document.include).text
    if after is None or after == before:
        return []
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    most = min(len(old), len(new))
    start = next((at for at in range(most) if old[at] != new[at]), most)
    rest = most - start
    end = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    first, last = len("".join(old[:start])), len("".join(old[: len(old) - end]))
    return [lsp.TextEdit(document.positions.range(first, last), "".join(new[start : len(new) - end]))]
