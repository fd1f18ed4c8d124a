"""The language server over its protocol, in a separate process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editor.client import Client
from tidelog.cli.input.report import check_file

pytest.importorskip("pygls", reason="the language server is an extra: pip install 'tidelog[editor]'")

GRAPH = """\
.decl edge(x: number, y: number)
.decl reach(x: number, y: number)
.output reach

// Who reaches whom.
base: reach(x, y) :- edge(x, y).
step: reach(x, z) :-
    edge(x, y),
    reach(y, z).
edge(1, 2). edge(2, 3).
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("texts")


@pytest.fixture(scope="module")
def client(root: Path) -> Iterator[Client]:
    client = Client(root)
    yield client
    client.stop()


@pytest.fixture(scope="module")
def graph(client: Client, root: Path) -> str:
    uri = client.open(root / "graph.dl", GRAPH)
    assert client.findings(uri, lambda found: True) == []
    assert client.findings(uri, lambda found: True) == []  # those of the whole text come second
    return uri


def lines(locations: list[dict]) -> list[int]:
    return sorted(each["range"]["start"]["line"] for each in locations)


def test_what_it_can_do_is_announced(client):
    assert {
        "hoverProvider", "completionProvider", "definitionProvider", "referencesProvider", "renameProvider",
        "documentSymbolProvider", "foldingRangeProvider", "semanticTokensProvider", "signatureHelpProvider",
        "documentFormattingProvider", "codeLensProvider", "codeActionProvider",
    } <= client.capabilities.keys()  # fmt: skip


def test_findings_are_those_of_the_check(client, root):
    text = ".decl p(x: number)\np(y) :- q(x), r(x, z).\np(1, 2).\n.decl r(x: number, y: symbol)\n"
    path = root / "wrong.dl"
    uri = client.open(path, text)
    report = check_file(str(path))
    found = client.findings(uri, lambda some: len(some) >= len(report.findings))
    assert [each["code"] for each in found] == [finding.code for finding in report.findings]
    for each, finding in zip(found, report.findings, strict=True):
        assert each["message"].startswith(finding.message)
        assert finding.note in each["message"]
        assert finding.hint in each["message"]
        assert (each["severity"] == 1) == (finding.severity == "error")
        assert finding.span is not None
        assert each["range"]["start"] == {"line": finding.span.line - 1, "character": finding.span.column - 1}


def test_a_mistake_shows_and_goes_as_one_types(client, root):
    uri = client.open(root / "typed.dl", "p(X) :- q(X).\nr(X) :- q(X).\n")
    client.edit(uri, 0, 12, 13, "")
    assert client.findings(uri, bool)[0]["code"] == "TL101"
    client.edit(uri, 0, 12, 12, ", s(Y).")
    assert [each["code"] for each in client.findings(uri, lambda f: f and f[0]["code"] == "TL702")] == ["TL702"]
    client.edit(uri, 0, 16, 17, "X")
    assert client.findings(uri, lambda found: not found) == []


def test_hover_tells_types_stratum_and_rules(client, graph):
    text = client.about("hover", graph, 7, 5)["contents"]["value"]
    assert "edge(x: number, y: number)" in text
    text = client.about("hover", graph, 8, 6)["contents"]["value"]
    assert "reach(x: number, y: number)" in text
    assert "derived by 2 rules; recursive" in text
    assert "stratum 1" in text
    assert "base: reach(x, y) :- edge(x, y)." in text
    assert "variable `y`, 2 times" in client.about("hover", graph, 7, 12)["contents"]["value"]
    assert "Declares a relation" in client.about("hover", graph, 0, 3)["contents"]["value"]


def test_hover_tells_where_a_relation_lives(client, root):
    uri = client.open(root / "network.dl", "r1: hop(@X, Y) :- link(@X, Y).\n")
    assert "stored at the node in column `c1`" in client.about("hover", uri, 0, 20)["contents"]["value"]


def test_definition_and_references(client, graph):
    assert lines(client.about("definition", graph, 8, 6)) == [1]
    context = {"context": {"includeDeclaration": True}}
    assert lines(client.about("references", graph, 8, 6, **context)) == [1, 2, 5, 6, 8]
    assert lines(client.about("references", graph, 6, 12, **context)) == [6, 7]


def test_definition_across_includes(client, root):
    (root / "edges.dl").write_text(".decl edge(x: number)\nedge(1).\n")
    uri = client.open(root / "main.dl", '#include "edges.dl"\n.decl p(x: number)\np(x) :- edge(x).\n')
    found = client.about("definition", uri, 2, 9)
    assert found[0]["uri"] == (root / "edges.dl").as_uri()
    assert lines(found) == [0]
    assert client.about("definition", uri, 0, 12)[0]["uri"] == (root / "edges.dl").as_uri()
    changes = client.about("rename", uri, 2, 9, newName="arc")["changes"]
    assert {Path(each).name: len(edits) for each, edits in changes.items()} == {"edges.dl": 2, "main.dl": 1}


COMPONENTS = """\
.comp Base<T> {
    .decl edge(x: T, y: T)
    edge(x, y) :- edge(y, x).
}
.comp Graph<T> : Base<T> {
    .decl reach(x: T, y: T)
    reach(x, y) :- edge(x, y).
}
.init g = Graph<number>
.decl edge(x: number)
.decl out(x: number)
out(x) :- g.edge(x, _), g.reach(x, _), edge(x).
"""


def test_definition_and_rename_across_components(client, root):
    uri = client.open(root / "components.dl", COMPONENTS)
    assert lines(client.about("definition", uri, 11, 13)) == [1]
    assert lines(client.about("definition", uri, 6, 20)) == [1]
    assert lines(client.about("definition", uri, 11, 40)) == [9]
    edits = client.about("rename", uri, 1, 12, newName="arc")["changes"][uri]
    found = sorted((each["range"]["start"]["line"], each["range"]["start"]["character"]) for each in edits)
    assert found == [(1, 10), (2, 4), (2, 18), (6, 19), (11, 12)]
    assert [i["label"] for i in client.about("completion", uri, 11, 12)["items"]] == ["edge", "reach"]


def test_rename_refuses_what_would_change_the_meaning(client, graph):
    with pytest.raises(ValueError, match="already"):
        client.about("rename", graph, 6, 12, newName="z")
    with pytest.raises(ValueError, match="already"):
        client.about("rename", graph, 1, 8, newName="edge")
    with pytest.raises(ValueError, match="not an identifier"):
        client.about("rename", graph, 1, 8, newName="a b")
    edits = client.about("rename", graph, 6, 12, newName="from")["changes"][graph]
    assert lines(edits) == [6, 7]


def labels(answer: dict) -> set[str]:
    return {item["label"] for item in answer["items"]}


def test_completion_by_what_stands_before(client, root):
    text = ".decl edge(x: number, y: number)\n.type Node <: symbol\n.decl p(x: \n.out\n.output \np(x) :- ed\n"
    uri = client.open(root / "complete.dl", text)
    assert {"number", "symbol", "Node"} <= labels(client.about("completion", uri, 2, 11))
    assert {"output", "decl", "plan"} <= labels(client.about("completion", uri, 3, 4))
    assert "edge" in labels(client.about("completion", uri, 4, 8))
    items = client.about("completion", uri, 5, 10)["items"]
    edge = next(item for item in items if item["label"] == "edge")
    assert edge["insertText"] == "edge(${1:x}, ${2:y})"
    assert edge["detail"] == "edge(x: number, y: number)"
    assert {"x", "strlen", "count"} <= labels({"items": items})


def test_an_empty_file_is_completed(client, root):
    uri = client.open(root / "empty.dl", "")
    assert "items" in client.about("completion", uri, 0, 0)


def test_signature_help_counts_arguments(client, root):
    uri = client.open(root / "signature.dl", ".decl edge(x: number, y: symbol)\np(x) :- edge(x, cat(y, \n")
    inner = client.about("signatureHelp", uri, 1, 23)
    assert inner["signatures"][0]["label"].startswith("cat(")
    assert inner["activeParameter"] == 1
    outer = client.about("signatureHelp", uri, 1, 16)
    assert outer["signatures"][0]["label"] == "edge(x: number, y: symbol)"
    assert outer["activeParameter"] == 1


def test_document_symbols_and_folding(client, graph, root):
    names = [each["name"] for each in client.about("documentSymbol", graph)]
    assert names == ["edge", "reach", "base", "step", "edge", "edge"]
    assert {(f["startLine"], f["endLine"]) for f in client.about("foldingRange", graph)} == {(6, 8)}
    uri = client.open(root / "folded.dl", COMPONENTS)
    tree = client.about("documentSymbol", uri)
    assert [child["name"] for child in tree[0]["children"]] == ["edge", "edge"]
    assert {(f["startLine"], f["endLine"]) for f in client.about("foldingRange", uri)} == {(0, 3), (4, 7)}


def test_code_lenses_tell_how_relations_come_about(client, graph):
    text_reported = {
        lens["range"]["start"]["line"]: lens["command"]["title"] for lens in client.about("codeLens", graph)
    }
    assert text_reported == {0: "2 facts in this text", 1: "derived by 2 rules; recursive"}


def decoded(numbers: list[int]) -> list[tuple[int, int, int, int]]:
    line = column = 0
    found = []
    for at in range(0, len(numbers), 5):
        below, right, length, kind, _ = numbers[at : at + 5]
        line, column = line + below, right + (0 if below else column)
        found.append((line, column, length, kind))
    return found


def test_semantic_tokens_whole_in_part_and_as_difference(client, root):
    uri = client.open(root / "colours.dl", "p(X) :- q(X).\nr: s(Y) :- p(Y), é(Y).\n.output s\n")
    full = client.about("semanticTokens/full", uri)
    tokens = decoded(full["data"])
    assert (0, 0, 1, 0) in tokens
    assert (1, 17, 1, 0) in tokens
    assert (1, 19, 1, 1) in tokens
    assert (2, 0, 7, 8) in tokens
    place = {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 9}}
    part = client.about("semanticTokens/range", uri, range=place)
    assert set(decoded(part["data"])) <= set(tokens)
    client.edit(uri, 0, 8, 9, "other")
    delta = client.about("semanticTokens/full/delta", uri, previousResultId=full["resultId"])
    after = list(full["data"])
    for edit in delta["edits"]:
        after[edit["start"] : edit["start"] + edit["deleteCount"]] = edit.get("data", [])
    assert after == client.about("semanticTokens/full", uri)["data"]


def test_formatting_is_the_layout(client, root):
    uri = client.open(root / "ugly.dl", "p(1).\np( X ):-q(X).\nr(1).\n")
    options = {"options": {"tabSize": 4, "insertSpaces": True}}
    (edit,) = client.about("formatting", uri, **options)
    assert edit["newText"] == "p(X) :- q(X).\n"
    assert edit["range"] == {"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 0}}
    broken = client.open(root / "broken.dl", "p( X :- q.\n")
    assert client.about("formatting", broken, **options) == []


DECLARED = ".decl path(x: number, y: number)\n"
FIXES = {
    "a misspelt directive": ("path(1, 1).\n.outptu path\n", "Replace `outptu` with `output`", ".output path\n"),
    "a misspelt relation": (
        "path(x, y) :- pth(x, y).\n",
        "Replace `pth` with `path`",
        "path(x, y) :- path(x, y).\n",
    ),
    "a variable used once": (
        "path(x, x) :- path(x, z).\n",
        "Replace the variable with `_`",
        "path(x, x) :- path(x, _).\n",
    ),
    "a misspelt arrow": ("path(x, y) <- path(y, x).\n", "Write `:-`", "path(x, y) :- path(y, x).\n"),
    "an aggregate in a body": (
        "path(x, n) :- path(x, _), n = min<y>.\n",
        "Write `min y : { }`",
        "n = min y : { }.\n",
    ),
    "a missing declaration": (
        'path(1, 1) :- other(1, "a").\n',
        "Declare `other`",
        '.decl other(c1: number, c2: symbol)\npath(1, 1) :- other(1, "a").\n',
    ),
}


@pytest.mark.parametrize("name", FIXES)
def test_quick_fix_of(name, client, root):
    """A fix is what the hint says, and what it makes has the finding no more."""
    text, title, expected = FIXES[name]
    uri = client.open(root / f"{name.replace(' ', '_')}.dl", DECLARED + text)
    found = client.findings(uri, bool)
    place = found[0]["range"]
    offered = client.about("codeAction", uri, range=place, context={"diagnostics": []})
    action = next(each for each in offered if each["title"] == title)
    assert action["diagnostics"][0]["code"] == found[0]["code"]
    ((edit,),) = action["edit"]["changes"].values()
    assert apply(DECLARED + text, edit).endswith(expected)


def apply(text: str, edit: dict) -> str:
    """A text after one edit."""
    rows = text.splitlines(keepends=True)

    def offset(position: dict) -> int:
        return sum(map(len, rows[: position["line"]])) + position["character"]

    return text[: offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]) :]


def test_macros_are_understood(client, root):
    text = (
        "#define E(x) edge(x, _)\n.decl edge(x: number, y: number)\n.decl p(x: number)\np(x) :- E(x).\np(y) :- E(x).\n"
    )
    uri = client.open(root / "macros.dl", text)
    assert [each["code"] for each in client.findings(uri, bool)] == ["TL301", "TL702"]
    client.edit(uri, 4, 2, 3, "x")
    assert client.findings(uri, lambda found: not found) == []
