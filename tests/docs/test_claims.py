"""What pages say about numbers and names in the code is so: limits, defaults, formats, lists of what there is."""

from __future__ import annotations

import inspect
import re

import pytest

from tests.docs.pages import DOCS, ROOT, read
from tidelog.cli.diagnostics_page import all_entries
from tidelog.cli.repl.commands import COMMANDS as REPL
from tidelog.cli.repl.commands import SYNONYMS
from tidelog.engine.engine import Engine
from tidelog.lab.semantics.schedule import SCHEDULES
from tidelog.lab.semantics.traffic import ALGORITHMS
from tidelog.partition.memory.records import rank_depth
from tidelog.program.functions.hashes import _ORD_SEED
from tidelog.rewrite.expand_disjunctions import MOST_CHOICES
from tidelog.rewrite.expand_paths import INLINED
from tidelog.rewrite.paths.automaton import MOST_STEPS
from tidelog.rewrite.pipeline import PASSES
from tidelog.rewrite.place import sites as sites
from tidelog.runtime.node.node import RANK_LIMIT
from tidelog.runtime.protocol.recovery import ATTEMPTS
from tidelog.spark.session import timeouts
from tidelog.spark.session.java import OLDEST
from tidelog.store.base.frame import END, EPOCH, FORMAT, HEAD, MAGIC, SNAPSHOT
from tidelog.store.folder.durable import HISTORY
from tidelog.store.log.snapshot import FALLBACK
from tidelog.syntax.cursor import MAX_DEPTH
from tidelog.syntax.depth import MAX_HEIGHT
from tidelog.syntax.reader import MAX_ERRORS

WORDS = {2: "two", 3: "three", 4: "four", 8: "eight", 10: "ten"}
MAKEFILE = read(ROOT / "Makefile")
LIMITS = {name: each.default for name, each in inspect.signature(Engine.why).parameters.items()}
PATIENCE = int(timeouts.PATIENCE)
PYTHON = re.findall(r'requires-python = ">=([\d.]+)"', read(ROOT / "pyproject.toml"))[0]
CASES = {name: int(value) for name, value in re.findall(r"^CASES_(\w+) := (\d+)$", MAKEFILE, re.MULTILINE)}
CLAIMS = [
    ("README.md", f"on Spark with Java {OLDEST} or later"),
    ("README.md", f"Python {PYTHON} or later"),
    ("Makefile", f"needs Python {PYTHON} or later, Java {OLDEST} or later"),
    ("docs/tutorial/spark.md", f"Java {OLDEST} or later"),
    ("docs/tutorial/why.md", f"`depth` (levels, {LIMITS['depth']}), `width` (rows of a group, {LIMITS['width']})"),
    ("docs/tutorial/why.md", f"`nodes` (facts that are followed, {LIMITS['nodes']})"),
    ("docs/reference/command-line-run.md", f"Java {OLDEST} or later"),
    ("docs/reference/language.md", f"Brackets nest {MAX_DEPTH} levels deep and operators {MAX_HEIGHT}"),
    ("docs/reference/language.md", f"After {MAX_ERRORS} errors reading stops"),
    ("docs/reference/language-paths.md", f"up to {MOST_STEPS} steps (TL642)"),
    ("docs/reference/functions.md", f"64-bit xxHash with seed {_ORD_SEED}"),
    ("docs/reference/state-format.md", f"this is format {FORMAT}."),
    ("docs/reference/state-format.md", f"| head | 4 | `{MAGIC.decode()}` |"),
    ("docs/reference/state-format.md", f"kind: {EPOCH} epoch, {SNAPSHOT} snapshot"),
    ("docs/reference/state-format.md", f"checksum of the {HEAD.size} bytes above"),
    ("docs/reference/state-format.md", f"| | 8 | `{END.decode()}` |"),
    ("docs/reference/state-format.md", f"({HISTORY:,} by default; None: all)"),
    ("docs/reference/state-format.md", f"the {WORDS[FALLBACK]} newest snapshots"),
    ("docs/design/durability.md", f"That is why {WORDS[FALLBACK]} are kept"),
    ("docs/design/paths.md", f"a chain of at most {WORDS[INLINED]} steps"),
    ("docs/design/rewrites.md", f"more than {MOST_CHOICES:,} ways to choose its branches"),
    ("docs/design/rewrites.md", f"a path of more than {MOST_STEPS} steps"),
    ("docs/design/spark.md", f"{WORDS[ATTEMPTS]} attempts in all"),
    ("docs/design/spark.md", f"not heard from it for {WORDS[PATIENCE]} seconds"),
    ("docs/design/spark.md", f"after 2^{rank_depth(RANK_LIMIT).bit_length() - 1} depths"),
    ("docs/design/placement.md", f"| a copy by a column | {sites.COPY} |"),
    ("docs/design/placement.md", f"| a copy on partition 0 | {sites.COPY_TO_ONE} |"),
    ("docs/design/placement.md", f"{sites.COPY_TO_ALL}; of a relation without columns {sites.COPY_OF_NULLARY}"),
    ("docs/design/placement.md", f"| any copy of a mirrored relation | {sites.COPY_OF_MIRROR}: nothing is sent |"),
    ("docs/design/placement.md", f"| {sites.SEND}; to every partition {sites.SEND_TO_ALL} |"),
    ("docs/design/placement.md", f"| a join done by every partition as a whole | {sites.UNDIVIDED} |"),
    ("docs/design/placement.md", f"cost {WORDS[sites.IN_RECURSION]} times as much"),
]  # fmt: skip


def words(page: str) -> str:
    """A page in one line, so that it does not matter where lines end."""
    return " ".join(read(ROOT / page).split())


@pytest.mark.parametrize(("page", "claim"), CLAIMS)
def test_page_says_what_the_code_has(page: str, claim: str) -> None:
    assert claim in words(page)


def test_codes_that_pages_name_exist() -> None:
    codes = {entry.code for entry in all_entries()}
    for page in DOCS.rglob("*.md"):
        alone = re.sub(r"TL\d{3}(?: to |-)TL\d{3}", "", read(page))  # a range may have gaps at its ends
        assert not set(re.findall(r"\bTL\d{3}\b", alone)) - codes, page


def test_passes_are_told_in_their_order() -> None:
    told = re.findall(r"^\| `(\w+)` \|", read(DOCS / "design" / "rewrites.md"), re.MULTILINE)
    assert told[: len(PASSES) + 1] == ["label_rules", *(each.__name__ for each in PASSES)]


@pytest.mark.parametrize("page", ["tutorial/simulate.md", "design/semantics.md"])
def test_every_schedule_is_told(page: str) -> None:
    assert not [name for name in SCHEDULES if not re.search(rf"`{name}(:\w+)?`", read(DOCS / page))]


def test_commands_of_the_repl_exist() -> None:
    for page in DOCS.rglob("*.md"):
        assert set(re.findall(r"`:([a-z]+)\b", read(page))) <= {*REPL, *SYNONYMS}, page


def test_every_algorithm_is_told() -> None:
    told = read(DOCS / "tutorial" / "simulate.md") + read(DOCS / "design" / "baselines.md")
    assert not [name for name in ALGORITHMS if f"`{name}`" not in told]


def test_examples_are_told_in_reading_order() -> None:
    (told,) = re.findall(r"`examples/`, in reading order: (.*)", read(DOCS / "tutorial" / "start.md"))
    files = sorted((ROOT / "examples").glob("[0-9]*.py"))
    for name, path in zip(told.split(", "), files, strict=True):
        assert name.lower().replace(" ", "_").replace("-", "_") in path.stem


def test_theorems_and_files_of_the_proofs_exist() -> None:
    sources = {path.name: path.read_text("utf-8") for path in (ROOT / "proofs").iterdir() if path.is_file()}
    for page in (DOCS / "design" / "proofs.md", ROOT / "proofs" / "README.md"):
        for file in re.findall(r"`(\w+\.(?:v|ml))`", read(page)):
            assert file in sources
        for theorem in re.findall(r"`([a-z]+_[a-z_]+)`", read(page)):
            if theorem != "export_core":
                assert any(re.search(rf"\b{theorem}\b", text) for name, text in sources.items() if name.endswith(".v"))
