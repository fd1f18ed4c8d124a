"""The coordinator of several partitions, when one of them is lost."""

from __future__ import annotations

import pytest

from tidelog.errors import EngineError
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.program.functions.table import FUNCTIONS
from tidelog.runtime.base.request import NodeLost
from tidelog.runtime.many.coordinator import Coordinator
from tidelog.runtime.many.local import LocalNodes


def test_loss_without_a_state_folder_is_told() -> None:
    dictionary = Dictionary()
    coordinator = Coordinator(FUNCTIONS, LocalNodes(FUNCTIONS, 2, dictionary), dictionary)

    def ask() -> None:
        raise NodeLost(1, "gone")

    with pytest.raises(EngineError, match="cannot be restored, because the engine has no state folder") as raised:
        coordinator.repeat(ask)
    assert raised.value.code == "TL4401"
