"""The service of a node: every method that is no secret is a call, and nothing else can be called from elsewhere."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from pyarrow.fs import LocalFileSystem

from tidelog.errors import EngineError, EvaluationError
from tidelog.partition.base.limits import Limits
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.plan.work import EpochWork
from tidelog.program.functions.table import FUNCTIONS
from tidelog.runtime.base.call import Arguments, Call, mark_of, received
from tidelog.runtime.many.local import LocalNodes
from tidelog.runtime.protocol.service import Service
from tidelog.spark.resident_node import ResidentNode
from tidelog.store.base.files import FileStore
from tidelog.store.base.objects import ObjectStore

PUBLIC = [name for name, member in vars(Service).items() if callable(member) and not name.startswith("_")]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_method_is_marked(name: str) -> None:
    assert mark_of(getattr(Service, name))


def test_calls_that_do_the_work_of_an_epoch_have_no_limit_and_those_that_end_it_have_one() -> None:
    assert mark_of(Service.start).limit is None
    assert mark_of(Service.resume).limit is None
    for method in (Service.commit, Service.rollback):
        assert mark_of(method).limit is not None
        assert mark_of(method).ending


@pytest.mark.parametrize("name", ["_steps", "__init__", "__reduce__", "host", "nothing"])
def test_what_is_not_marked_cannot_be_called_from_elsewhere(name: str) -> None:
    node = ResidentNode(FUNCTIONS, 0, 1)
    with pytest.raises(EngineError, match=name):
        node.call(name, ((), {}))


def test_method_without_a_mark_makes_no_call() -> None:
    with pytest.raises(EngineError, match="not marked") as raised:
        Call(Service.__init__, None)
    assert raised.value.code == "TL4405"


def test_call_that_the_service_does_not_have_is_refused() -> None:
    with pytest.raises(EngineError, match="`Service` has no method `forecast`") as raised:
        received(Service, "forecast", ((), {}))
    assert raised.value.code == "TL4406"


def test_call_travels_by_name_and_meets_the_method_of_the_object_itself() -> None:
    class Other(Service):
        def sizes(self) -> dict[str, int]:
            return {"own": 1}

    nodes = LocalNodes(FUNCTIONS, 1, Dictionary())
    call = Call(Service.sizes)
    name, given = pickle.loads(pickle.dumps((call.name, call.arguments)))
    assert received(Service, name, given).on(Other(nodes.services[0].node)) == {"own": 1}


def test_resident_node_answers_calls_and_gives_rows() -> None:
    node = ResidentNode(FUNCTIONS, 0, 1)
    for call in (Call(Service.set_limits, Limits()), Call(Service.start, 1, EpochWork({"p": 2}))):
        node.call(call.name, call.arguments)
    assert node.call("rows", (("p",), {})).shape == (0, 2)  # type: ignore[attr-defined]  # an answer is any object
    assert node.call("rows", ((), {"name": "p"})).shape == (0, 2)  # type: ignore[attr-defined]
    assert node.fetch({"relation": "p"}).num_rows == 0


def test_epoch_that_was_given_up_does_not_start_late() -> None:
    (service,) = LocalNodes(FUNCTIONS, 1, Dictionary()).services
    service.interrupt(3)
    with pytest.raises(EvaluationError, match="interrupted") as raised:
        service.start(3, EpochWork({}))
    assert raised.value.code == "TL2301"
    service.start(4, EpochWork({}))
    service.commit()


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("set_limits", ((7,), {})),
        ("rows", ((), {})),
        ("rows", (("edge", "first"), {})),
        ("start", ((1, None), {})),
        ("interrupt", ((1,), {"more": 2})),
        ("known_entries", ((3,), {})),
        ("open_piece", (("edge", {}), {})),
        ("open_piece", ((Path("/edge"), {}), {})),
        ("open_piece", ((None, {}), {})),
        ("open_piece", ((Limits(), {}), {})),
    ],
)
def test_call_with_arguments_of_other_kinds_is_refused(name: str, given: Arguments) -> None:
    """One of them would otherwise be found in the middle of a later epoch."""
    with pytest.raises(EngineError, match="invalid call of") as caught:
        received(Service, name, given)
    assert caught.value.code == "TL4475"


def test_calls_that_the_coordinator_makes_are_received() -> None:
    received(Service, "set_limits", ((Limits(),), {}))
    received(Service, "start", ((1, EpochWork(), [2]), {}))
    received(Service, "open_piece", ((FileStore(Path("/x")), {}), {}))
    received(Service, "open_piece", ((ObjectStore(LocalFileSystem(), "/x"), {}), {}))
    received(Service, "rows_with_keys", (("p", (0,), np.zeros((1, 1), np.int64)), {"is_question": True}))
