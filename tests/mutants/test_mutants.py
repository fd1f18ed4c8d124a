"""The catalogue of mutants fits the code; that tests notice them is tried by `make mutants`."""

from __future__ import annotations

import pytest

from tests.mutants.__main__ import table
from tests.mutants.catalogue import MUTANTS, ROOT, Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_mutant_replaces_a_text_that_occurs_once(mutant: Mutant) -> None:
    text = (ROOT / mutant.path).read_text("utf-8")
    assert text.count(mutant.before) == 1
    compile(mutant.applied_to(text), str(mutant.path), "exec")
    assert all((ROOT / test).is_file() for test in mutant.tests)


def test_page_of_the_laws_has_every_mutant() -> None:
    page = (ROOT / "docs" / "design" / "laws.md").read_text("utf-8")
    missing = [mutant.name for mutant in MUTANTS if f"| {mutant.name} |" not in page]
    assert not missing, table((mutant, "?") for mutant in MUTANTS)
