"""The design page of circuits names every file of the package."""

from __future__ import annotations

from tests.docs.pages import DOCS, PACKAGE, read


def test_every_file_of_the_package_is_told() -> None:
    files = {path.name for path in (PACKAGE / "lab" / "dbsp").glob("*.py")}
    files -= {"__init__.py", "dbsp_catalogue.py", "dbsp_failures.py"}
    assert not {name for name in files if f"`{name}`" not in read(DOCS / "design" / "circuits.md")}
