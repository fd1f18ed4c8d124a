"""What runs changed on a partition that was lost is read from the state folder, or reported as lost, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog.errors import EngineError
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.program.functions.table import FUNCTIONS
from tidelog.runtime.many.local import LocalNodes
from tidelog.runtime.node.run_changes import RunChanges
from tidelog.store.base.temporary_state import temporary_store


def changes() -> RunChanges:
    """Those of a node that was restarted: it carried out no run."""
    (service,) = LocalNodes(FUNCTIONS, 1, Dictionary()).services
    return service.changed


def test_preview_that_was_lost_is_told() -> None:
    with pytest.raises(EngineError, match="lost with a partition: repeat the preview") as raised:
        changes().read(1, "p")
    assert raised.value.code == "TL4402"


def test_changes_that_are_not_kept_are_told(tmp_path: Path) -> None:
    lost = changes()
    lost.open(temporary_store(str(tmp_path)), {1: 7})
    with pytest.raises(EngineError, match="the changes of epoch 7 are no longer available: ") as raised:
        lost.read(1, "p")
    assert raised.value.code == "TL4403"
