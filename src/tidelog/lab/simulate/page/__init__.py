"""One HTML page that plays a recorded run: topology, messages, tables.

Law: the page is self-contained (style, script and run are inside it; it loads nothing from a server) and shows nothing
that is not in the recording. Everything written into it is data: the run travels as JSON that cannot end its element.
The playing itself is `page.js`.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from tidelog.io.page import inline, part
from tidelog.lab.simulate.page.layout import layout

__all__ = ["layout", "render", "write_run"]

_MARK = re.compile(r"%(TITLE|STYLE|SCRIPT|RUN)%")


def render(run: Mapping[str, Any]) -> str:
    """The page of a run (the document of `run_json`) as text."""
    parts = {
        "TITLE": html.escape(f"Tidelog: {run['title']}"),
        "STYLE": f"{part('base.css')}{_resource('page.css')}",
        "SCRIPT": inline(part("dom.js"), part("graph.js"), _resource("page.js")),
        "RUN": json.dumps(_placed(run), separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c"),
    }
    return _MARK.sub(lambda mark: parts[mark[1]], _resource("page.html"))


def write_run(run: Mapping[str, Any], trace: Path | None, page: Path | None) -> None:
    """Save a run as a document, and as a page that plays it."""
    if trace is not None:
        trace.write_text(json.dumps(run, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if page is not None:
        page.write_text(render(run), encoding="utf-8")


def _placed(run: Mapping[str, Any]) -> dict[str, Any]:
    """The run with a position for every node; the commands of the transition system stay out of the page."""
    names = [node["name"] for node in run["nodes"]]
    places = layout(names, [(a, b) for a, b in run["links"]])
    nodes = [{"name": name, "x": places[name][0], "y": places[name][1]} for name in names]
    return {**run, "nodes": nodes, "trace": None}


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
