"""Parts that pages share: all of them are found, and modules become one script that stands alone."""

import re

from tidelog.io.page import inline, part, parts


def test_parts_are_found_by_their_file_names() -> None:
    assert set(parts()) == {"base.css", "dom.js", "graph.js"}
    assert parts()["base.css"] == part("base.css")


def test_inlined_modules_import_and_export_nothing() -> None:
    script = inline(part("dom.js"), part("graph.js"))
    assert not re.search(r"^(import|export) ", script, re.MULTILINE)
    assert script.index("function dress(") < script.index("function drawNode(")


def test_no_part_writes_markup_or_asks_a_server() -> None:
    for text in parts().values():
        assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|eval\(|fetch\(|@import|url\(http", text)
