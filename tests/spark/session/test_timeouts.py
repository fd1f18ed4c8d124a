"""Time-outs are settings of the session."""

from __future__ import annotations

from typing import Any

import pytest

from tidelog.spark import PreflightError
from tidelog.spark.session.timeouts import DRIVER, HEARTBEAT, START, Timeouts, read_timeouts


class Session:
    """A session with settings and nothing else."""

    def __init__(self, **settings: str) -> None:
        self.settings = {f"spark.tidelog.{name}": value for name, value in settings.items()}

    @property
    def conf(self) -> Session:
        return self

    def get(self, name: str, default: str) -> str:
        return self.settings.get(name, default)


def read(partitions: int = 1, **settings: str) -> Timeouts:
    session: Any = Session(**settings)
    return read_timeouts(session, partitions)


def test_time_outs_have_defaults_and_are_set_in_seconds() -> None:
    assert read() == Timeouts(120.0, 30.0, 10.0)
    assert read(100).start == 400.0
    assert read(startTimeout="900", heartbeatTimeout=" 60s ", driverTimeout="2.5") == Timeouts(900.0, 60.0, 2.5)


@pytest.mark.parametrize("name", [START, HEARTBEAT, DRIVER])
@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "soon", "5 min"])
def test_invalid_time_out_is_refused(name: str, value: str) -> None:
    with pytest.raises(PreflightError, match=f"`{name}` is '{value}': it must be a number of seconds") as refused:
        read(**{name.rpartition(".")[2]: value})
    assert refused.value.code == "TL6076"
