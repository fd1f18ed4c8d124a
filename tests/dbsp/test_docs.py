"""The tutorial runs as it is printed; the design page and ``__all__`` name what exists."""

import doctest
import re
from pathlib import Path

import tidelog.dbsp

ROOT = Path(__file__).parents[2]
TUTORIAL, DESIGN = ROOT / "docs" / "tutorial" / "circuits.md", ROOT / "docs" / "design" / "circuits.md"


def test_the_tutorial_runs():
    result = doctest.testfile(str(TUTORIAL), module_relative=False)
    assert result.attempted > 20
    assert result.failed == 0


def test_the_design_page_names_tests_and_files_that_exist():
    text = DESIGN.read_text(encoding="utf-8")
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "dbsp").glob("test_*.py"))
    named = set(re.findall(r"`(test_\w+)`", text))
    assert len(named) >= 5
    assert not {name for name in named if f"def {name}(" not in tests}
    package = {path.name for path in (ROOT / "src" / "tidelog" / "dbsp").glob("*.py")} - {"__init__.py", "catalogue.py"}
    assert not {name for name in package if f"`{name}`" not in text}


def test_exported_names_exist_and_are_sorted():
    names = tidelog.dbsp.__all__
    assert all(hasattr(tidelog.dbsp, name) for name in names)
    assert names == sorted(names, key=lambda name: (not name.isupper(), name[0].islower(), name))
