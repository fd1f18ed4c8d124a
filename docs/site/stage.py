"""Put the pages of the site together: `python docs/site/stage.py FOLDER`, then `mkdocs build --strict` in it.

Law: the repository's pages are the site's, in the same places, so that every link between them holds; what a page links
to that is not a page (a source, a program, a notebook, a folder) becomes one. The front page is the README with the
doors of `docs/README.md` at its beginning. The Python reference is made from docstrings, and the navigation from the
lists of `docs/README.md`.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"^(?:```.*?^```|~~~.*?^~~~)$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**/*.md", "proofs/*.md", "benchmarks/results/*.md")
IMAGES = ("benchmarks/results/*.png", "benchmarks/results/*.svg", "docs/images/*.png", "docs/images/*.svg")
REFERENCE = "docs/reference/api.md"
WORKER = "iframe-worker.js"
INDENTED = re.compile(r"(?<=\n\n)(?:    .*\n(?:\n+(?=    ))?)+")
SESSIONS = {">>> ": "pycon", "$ ": "console"}  # by how an indented block begins
MORE = ("tidelog.spark.session.session.open_session", "tidelog.spark.session.session.local_session")
LANGUAGES = {".py": "python", ".dl": "tidelog", ".java": "java", ".v": "coq"}


def stage(folder: Path) -> None:
    """Write the pages and the settings of the site into a folder."""
    pages = folder / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    for path in (path for pattern in PAGES for path in sorted(ROOT.glob(pattern))):
        _write(pages / path.relative_to(ROOT), linked(path, path.read_text("utf-8"), pages))
    for path in (path for pattern in IMAGES for path in ROOT.glob(pattern)):
        (pages / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, pages / path.relative_to(ROOT))
    _write(pages / "README.md", front((pages / "README.md").read_text("utf-8")))
    _write(pages / REFERENCE, reference())
    here = Path(__file__).parent
    shutil.copyfile(here / WORKER, pages / WORKER)
    settings = (here / "mkdocs.yml").read_text("utf-8").replace("SOURCES", str(ROOT / "src"))
    settings = settings.replace("SITE/", f"{here}/")
    _write(folder / "mkdocs.yml", f"{settings}nav: {json.dumps(navigation(), ensure_ascii=False)}\n")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def linked(path: Path, text: str, pages: Path) -> str:
    """A page whose links lead to pages of the site; what is no page is made one."""
    code: list[str] = []

    def aside(match: re.Match[str]) -> str:
        code.append(re.sub(r"^```(\w+) .*", r"```\1", match[0]))  # tests read more than the language there
        return f"\x00{len(code) - 1}\x00"

    def lead(match: re.Match[str]) -> str:
        words, link, anchor = match[1], match[2], match[3] or ""
        target = (path.parent / link).resolve()
        if re.match(r"[a-z]+:", link) or target.suffix in (".md", ".png", ".svg"):
            return match[0]
        made = _page_of(target, pages)
        return f"[{words}]({link.rstrip('/')}{made}{anchor})"

    rest = INDENTED.sub(coloured, LINK.sub(lead, FENCE.sub(aside, text)))
    return re.sub("\x00(\\d+)\x00", lambda m: code[int(m[1])], rest)


def coloured(block: re.Match[str]) -> str:
    """An indented block as a fenced one if it is a session, so that it has colours."""
    text = re.sub(r"^    ", "", block[0], flags=re.MULTILINE)
    language = next((language for start, language in SESSIONS.items() if text.startswith(start)), None)
    return block[0] if language is None else f"```{language}\n{text.rstrip()}\n```\n"


def _page_of(target: Path, pages: Path) -> str:
    """Make a page of a file or a folder; gives what its link has more than the name."""
    place = pages / target.relative_to(ROOT)
    title = target.relative_to(ROOT)
    if target.is_dir():
        files = sorted(p.relative_to(ROOT) for p in target.rglob("*") if p.suffix in (".dl", ".py", ".ipynb"))
        _write(place / "index.md", f"# {title}\n\n" + "".join(f"- `{file}`\n" for file in files))
        return "/index.md"
    if target.suffix == ".ipynb":
        _write(place.with_name(f"{place.name}.md"), notebook(json.loads(target.read_text("utf-8"))))
        return ".md"
    language = LANGUAGES.get(target.suffix, "text")
    _write(place.with_name(f"{place.name}.md"), f"# {title}\n\n{fenced(target.read_text('utf-8'), language)}")
    return ".md"


def front(readme: str) -> str:
    """The front page: the README, with the doors of the documentation after its first sentence."""
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    doors = re.findall(r"^## Start here\n.*?^(?=- )(.*?)\n\n", index, re.MULTILINE | re.DOTALL)[0]
    title, sentence, rest = readme.split("\n\n", 2)
    return "\n\n".join((title, sentence, doors.replace("](", "](docs/"), rest))


def fenced(text: str, language: str) -> str:
    """A text as a block of code."""
    return f"~~~~ {language}\n{text.rstrip()}\n~~~~\n"


def notebook(book: dict[str, Any]) -> str:
    """A notebook as a page, with what it shows."""
    parts = []
    for cell in book["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        ours = source.startswith("%%tidelog")
        first, _, rest = source.partition("\n")
        parts.append(fenced(rest if ours else source, "tidelog" if ours else "python"))
        if ours and first != "%%tidelog":
            parts.insert(-1, f"`{first}`")
        parts += (_shown(output) for output in cell["outputs"])
    return "\n\n".join(parts) + "\n"


def _shown(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    if "text/html" in data:
        page = "".join(data["text/html"])
        return f'<div class="output">{page.replace(chr(10), "&#10;")}</div>'  # one line: an empty one would end it
    return fenced("".join(output.get("text", data.get("text/plain", ""))), "text")


def reference() -> str:
    """The page of docstrings: every public name, at home."""
    package = import_module("tidelog")
    homes = [f"{value.__module__}.{name}" for name in package.__all__ for value in (getattr(package, name),)]
    parts = [f"::: {home}\n" for home in sorted(homes, key=lambda home: home.rsplit(".", 1)[1])]
    shown = ("write.epoch.Epoch", "read.view.View", "read.view.Rows", "read.view.ChangeSet")
    shown += ("write.subscribers.Feed", "write.subscribers.Subscription")
    views = [f"::: tidelog.engine.{name}\n" for name in shown]
    head = "# Python, from docstrings\n\n[The Python interface](python.md) tells how these belong together.\n\n"
    spark = [f"::: {name}\n" for name in MORE]
    return "\n".join([f"{head}## tidelog\n", *parts, "## What engines give\n", *views, "## On Spark\n", *spark])


def navigation() -> list[dict[str, Any]]:
    """Tabs by the headings of `docs/README.md`, with the pages that it lists."""
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    tabs: list[dict[str, Any]] = [{"Tidelog": ["README.md", {"All pages": "docs/README.md"}]}]
    for heading, text in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", index, re.MULTILINE | re.DOTALL):
        listed = re.findall(r"^- \[([^\]]+)\]\(([^)]+\.md)\)", text, re.MULTILINE)
        tabs.append({heading: [{title: f"docs/{page}"} for title, page in listed]})
        if heading == "Tutorial":
            books = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
            tabs.append({"Notebooks": [f"examples/notebooks/{book.name}.md" for book in books]})
        if heading == "Reference":
            tabs[-1][heading].append({"Python, from docstrings": REFERENCE})
    results = sorted((ROOT / "benchmarks" / "results").glob("*.md"))
    tabs.append({"Benchmarks": [f"benchmarks/results/{page.name}" for page in results]})
    tabs.append({"Changes": ["CHANGELOG.md", "CONTRIBUTING.md"]})
    return tabs


if __name__ == "__main__":
    stage(Path(sys.argv[1]))
