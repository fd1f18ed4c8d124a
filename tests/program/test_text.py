"""Functions on texts that the table of functions does not show."""

from __future__ import annotations

import pytest

from tidelog import EvaluationError
from tidelog.program.functions import text


def test_a_text_that_is_too_long_is_refused_before_it_is_made() -> None:
    half = "x" * (text.LONGEST // 2)
    with pytest.raises(EvaluationError, match="would create a text of 268,435,457 characters") as told:
        text.concatenate(half, half, "y")
    assert told.value.code == "TL2030"
