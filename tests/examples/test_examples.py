"""Every example runs, is short, and prints what it promises."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PROMISED = {
    "01_permissions": [
        "57 rights follow from 31 rows",
        "ALERT   priya.nair requests and approves payments: payouts",
        "cleared priya.nair requests and approves payments: payouts",
        "refused: 3 people would violate `four_eyes`",
    ],
    "02_cloud_network": [
        "exposed: bastion:22, lb-1:443, lb-2:443",
        "cut the archive off: risks removed: 2",
        "at risk: nothing",
    ],
    "03_code_base": ["pairs of modules in which one needs the other", "an edit of tidelog", "without the import in"],
    "04_identity_graph": ["669 records belong to 300 people", "share: 299 people", "erased on request: 300 people"],
    "05_knowledge_graph": [
        "the Last Supper is: Artwork, Fresco, Mural, Painting",
        "'Netherlands': 4",
        "Fabritius, without any painting, is: Painter, Person",
    ],
    "06_reachability": [
        "from oslo you reach bergen, malta, oslo, paris, rome",
        "rome reaches ['malta']",
        "4 changes:",
    ],
    "07_shortest_routes": [
        "harbour - station - market - castle - airport: 20 minutes",
        "harbour - airport: 11 minutes",
    ],
    "08_points_to": ["cursor may hold Node@node, Node@other", "last->List@list"],
}


@pytest.fixture(autouse=True)
def without_spark(monkeypatch):
    """Examples for Spark run in this process, too; `tests/spark/test_run_spark.py` runs them on Spark."""
    monkeypatch.setenv("TIDELOG_RUNTIME", "embedded")
    monkeypatch.setattr(sys, "argv", ["example"])


@pytest.mark.parametrize("name", sorted(PROMISED))
def test_example_prints_what_it_promises(name, capsys):
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    for words in PROMISED[name]:
        assert words in printed


def test_examples_are_short_and_in_reading_order():
    files = sorted(EXAMPLES.glob("[0-9]*.py"))
    assert [path.stem for path in files] == sorted(PROMISED)
    assert [int(path.name[:2]) for path in files] == list(range(1, len(files) + 1))
    assert all(f"({path.name})" in (EXAMPLES / "README.md").read_text("utf-8") for path in files)
    assert all(len(path.read_text("utf-8").splitlines()) < 80 for path in files)


@pytest.fixture
def demo(monkeypatch):
    """The demo on a tenth of its data, in this process; `tests/spark/test_run_spark.py` has it on Spark."""
    monkeypatch.setenv("TIDELOG_RUNTIME", "embedded")
    monkeypatch.syspath_prepend(str(EXAMPLES / "data"))
    import organisation

    for name, size in (("PEOPLE", 2_000), ("GROUPS", 300), ("FOLDERS", 400), ("DOCUMENTS", 2_000)):
        monkeypatch.setattr(organisation, name, size)
    yield runpy.run_path(str(EXAMPLES / "demo.py"))
    sys.modules.pop("organisation", None)


def test_demo_runs_and_agrees_with_recomputing(demo, capsys):
    demo["main"]()
    printed = capsys.readouterr().out
    assert "500 people change their group" in printed
    assert "the rule is removed" in printed
    assert printed.count("evaluating everything again takes") == 5
    assert "blame reads" in printed


def test_data_of_the_demo_is_the_same_everywhere(tmp_path):
    found = runpy.run_path(str(EXAMPLES / "data" / "organisation.py"))
    facts = found["organisation"]()
    assert sum(map(len, facts.values())) > 100_000
    assert facts["secret"][:2] == found["organisation"]()["secret"][:2]
    assert sum(path.stat().st_size for path in EXAMPLES.rglob("*") if path.is_file()) < 2_000_000


def test_live_demo_serves_what_changes_in_a_database():
    from examples.data.postgresql import why_not

    if why := why_not():
        pytest.skip(why)
    environment = {**os.environ, "SECONDS": "3", "PAUSE": "0.2", "PYTHONPATH": f"{ROOT / 'src'}"}
    command = [sys.executable, str(EXAMPLES / "live.py")]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300).stdout
    assert re.search(r"^console: http://127\.0\.0\.1:\d+$", printed, re.MULTILINE)
    assert re.search(r"^in PostgreSQL now: can_open [\d,]+ rows, stranded \d+ rows$", printed, re.MULTILINE)
    assert "moves to team" in printed
