"""The proofs, built once for all tests of a run."""

from __future__ import annotations

import pytest

from tests.proofs.build import Built


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if base.name.startswith("popen-") else base) / "proofs"
    proofs = Built(folder)
    proofs.make()
    return proofs
