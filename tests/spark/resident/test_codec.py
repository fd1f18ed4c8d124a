"""Values as bytes: what calls carry comes back as it was, and nothing else is made of any bytes."""

from __future__ import annotations

import importlib
import inspect
import math
import pickle
import pkgutil
import typing
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tidelog
from tidelog.errors import DataError, Source, Span, TidelogError
from tidelog.partition.base.net_changes import NetChange
from tidelog.partition.texts.packed_cells import PackedStructure
from tidelog.plan.work import EpochWork, RuleForm, StrataChange
from tidelog.program import Atom, Var
from tidelog.program.values.variant import Variant
from tidelog.rewrite.pipeline import to_core
from tidelog.runtime.base.call import MARK
from tidelog.runtime.base.outcome import RowChanges
from tidelog.runtime.base.request import NodeLost, Request
from tidelog.runtime.protocol.service import Service
from tidelog.spark import carried
from tidelog.spark.errors import PartitionLost, ResidentError
from tidelog.spark.resident.kinds import OF_CLASS
from tidelog.spark.resident.pack import pack
from tidelog.spark.resident.unpack import unpack
from tidelog.spark.resident.wire import decode, encode, encode_error, encode_short_error
from tidelog.spark.rows.task_errors import MARK as TASK_MARK
from tidelog.spark.rows.task_errors import error_of_task
from tidelog.store.base.files import FileStore
from tidelog.store.base.objects import ObjectStore
from tidelog.store.base.store import Store
from tidelog.store.base.temporary_state import TemporaryDisk, temporary_store
from tidelog.syntax import parse_program

PLAIN = [
    None,
    True,
    -(2**63),
    2**63,
    -(2**200),
    0.1,
    -math.inf,
    "",
    "ä\ud800😀",
    b"\0\xff",
    (),
    [],
    {},
    frozenset(),
    {1, 2},
    {"a": {1: [(2,)]}, (1, 2): None},
    list(range(100)),
    [2**70, *range(100)],
    [0.5] * 100,
    [f"text {i} ä\ud800" for i in range(100)],
    [(i, f"t{i}") for i in range(100)],
    tuple((i, (i, "x") if i % 2 else "y") for i in range(100)),
    {i: str(i) for i in range(100)},
    [PackedStructure((i, -i)) for i in range(100)],
    Variant("Add", 1, Variant("Zero")),
    [(1, PackedStructure((1, 2)))],
    [()] * 100,
    [True] * 100,
]


@pytest.mark.parametrize("value", PLAIN, ids=range(len(PLAIN)))
def test_plain_values_come_back_as_they_were(value: object) -> None:
    again = unpack(pack(value))
    assert again == value
    assert type(again) is type(value)


def test_random_values_come_back_as_they_were() -> None:
    rng = Random(7)

    def value(depth: int) -> Any:
        leaves: list[Any] = [rng.randrange(-(2**70), 2**70), rng.random(), str(rng.random()), None, rng.random() < 0.5]
        if depth == 0 or rng.random() < 0.3:
            return rng.choice(leaves)
        items = [value(depth - 1) for _ in range(rng.choice((0, 1, 2, 40)))]
        return rng.choice((items, tuple(items), dict(enumerate(items)), (items, [*leaves] * 20)))

    for _ in range(200):
        given = value(3)
        assert unpack(pack(given)) == given


def test_arrays_come_back_as_arrays_that_may_be_written_to() -> None:
    for array in (np.arange(6).reshape(2, 3), np.zeros((0, 2)), np.zeros((3, 0), np.int32), np.ones(3, bool).T):
        again = unpack(pack({"a": array}))["a"]
        assert again.flags.writeable
        assert again.dtype == array.dtype
        assert again.shape == array.shape
        assert (again == array).all()
    assert unpack(pack(np.int64(7))) == 7
    table = pa.table({"x": [1, 2]})
    assert unpack(pack(table)).equals(table)


def test_work_of_an_epoch_comes_back_and_its_text_is_sent_once() -> None:
    text = "reach(X, Y) :- edge(X, Y).\nreach(X, Z) :- reach(X, Y), edge(Y, Z), Z != min W : { edge(W, _) }.\n" * 20
    rules = to_core(parse_program(text).rules)
    forms = tuple(RuleForm(rule, {"edge": ("number", "number")}) for rule in rules)
    source = Source("a.dl", "x" * 10_000)
    spans = tuple(Var(f"V{i}", Span(source, i, i + 1)) for i in range(100))
    work = EpochWork({"p": 1}, {"p": np.arange(3).reshape(3, 1)}, added=forms, strata=StrataChange((frozenset({"p"}),)))
    again, seen = unpack(pack((work, spans)))
    assert again.added == work.added
    assert again.strata == work.strata
    assert (again.inserts["p"] == work.inserts["p"]).all()
    assert seen == spans
    assert seen[3].span.text == "x"
    assert len(pack(spans)) < 30_000


def test_stores_come_back_as_the_same_folder(tmp_path: Any) -> None:
    kept, passing = unpack(pack((FileStore(tmp_path), temporary_store(str(tmp_path)))))
    assert kept.root == passing.root == tmp_path
    assert isinstance(passing.disk, TemporaryDisk)
    objects = ObjectStore.from_uri(f"file://{tmp_path}")
    objects.write("a", [b"1"])
    assert unpack(pack(objects)).read("a") == b"1"


def test_changed_rows_and_requests_come_back() -> None:
    changes = RowChanges({"p": lambda: NetChange(np.ones((1, 1)), np.zeros((0, 1)))})
    again = unpack(pack(changes))
    assert list(again) == ["p"]
    assert again["p"].inserted.tolist() == [[1.0]]
    request = Request("union", frozenset({"p"}), 3, stratum=("p", "q"))
    assert unpack(pack([request] * 50)) == [request] * 50


def test_everything_that_the_calls_of_a_service_name_is_carried() -> None:
    """A class in a signature that is not named would be found at the first call on Spark only."""
    named: set[type] = set()
    for method in vars(Service).values():
        if inspect.isfunction(method) and MARK in method.__dict__:
            for hint in typing.get_type_hints(method, localns=LATE).values():
                _collect(hint, named)
    own = {kind for kind in named if kind.__module__.startswith("tidelog.") and kind is not Store}
    assert own - set(OF_CLASS) == set()
    assert EpochWork in own
    assert carried.MODULES


def test_all_kinds_of_a_class_that_is_carried_are_carried() -> None:
    """Rewrites make their own kinds of atoms; one that is not named would be found when such a rule runs on Spark."""
    for module in pkgutil.walk_packages(tidelog.__path__, "tidelog."):
        if module.name.startswith(("tidelog.program", "tidelog.rewrite", "tidelog.plan", "tidelog.partition")):
            importlib.import_module(module.name)
    for kind in [kind for kind in OF_CLASS if kind.__module__.startswith("tidelog.program")]:
        below = [each for each in kind.__subclasses__() if hasattr(each, "__slots__")]
        assert [each for each in below if each not in OF_CLASS and f"{each}" not in map(str, OF_CLASS)] == []
    rules = to_core(parse_program("far(X, Y) :- e+(X, Y), !(a/^b)(X, Y).").rules)
    assert unpack(pack(rules)) == rules


LATE = {"Variant": Variant, "Literal": Atom}  # names that modules import for types only


def _collect(hint: Any, found: set[type]) -> None:
    """All classes in a hint, and in the hints of the fields of those of Tidelog."""
    kinds = [each for each in (hint, typing.get_origin(hint)) if isinstance(each, type) and each not in found]
    found.update(kinds)
    for part in typing.get_args(hint):
        _collect(part, found)
    for kind in kinds:
        if hasattr(kind, "__dataclass_fields__") and kind.__module__.startswith("tidelog."):
            for inner in typing.get_type_hints(kind, localns=LATE).values():
                _collect(inner, found)


class Foreign:
    """A class that is not named."""


def test_value_that_nobody_named_is_refused() -> None:
    with pytest.raises(ResidentError, match="cannot be sent") as caught:
        pack([Foreign()])
    assert caught.value.code == "TL6175"
    with pytest.raises(ResidentError, match="array of object"):
        pack(np.array([Foreign()]))


def test_garbage_is_refused_and_runs_nothing(tmp_path: Any) -> None:
    rng = Random(3)
    good = pack((True, ("start", ((1, EpochWork({"p": 1}, {"p": np.arange(9)})), {"a": ["b"] * 40}))))
    tried = [rng.randbytes(rng.randrange(60)) for _ in range(2000)]
    for _ in range(4000):
        broken = bytearray(good[: rng.randrange(1, len(good) + 1)])
        for _ in range(rng.randrange(4)):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        tried.append(bytes(broken))
    mark = tmp_path / "ran"
    tried.append(pickle.dumps((True, _Bomb(str(mark)))))
    refused = 0
    for body in tried:
        try:
            unpack(body)
        except ResidentError as error:
            refused += error.code == "TL6176"
    assert refused > 3000
    assert not mark.exists()
    with pytest.raises(ResidentError, match="not an outcome"):
        decode(pack(1))


class _Bomb:
    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (self.path, "w")


def test_deep_nests_of_garbage_end() -> None:
    with pytest.raises(ResidentError):
        unpack((b"t" + (1).to_bytes(8, "little")) * 100_000)
    with pytest.raises(ResidentError):
        unpack(b"l" + (2**40).to_bytes(8, "little"))


ERRORS: list[BaseException] = [
    DataError("bad row"),
    PartitionLost(3, "gone"),
    NodeLost(2, "away"),
    ValueError("x", 1),
    KeyError("k"),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
    FileNotFoundError(2, "none", "a.csv"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_of_tidelog_and_python_are_raised_as_themselves(error: BaseException) -> None:
    if isinstance(error, TidelogError):
        error.code, error.hint = "TL9999", "do this"
    with pytest.raises(type(error)) as caught:
        decode(encode_error(error))
    assert type(caught.value) is type(error)
    assert caught.value.args == error.args
    assert str(caught.value) == str(error)
    assert "raised in a partition" in caught.value.__notes__[0]
    if isinstance(error, TidelogError):
        assert (caught.value.code, caught.value.hint) == ("TL9999", "do this")


def test_foreign_and_long_errors_are_reported_by_name_and_text() -> None:
    class Own(Exception):
        pass

    for error in (Own("mine"), KeyboardInterrupt("now"), ValueError(Foreign())):
        with pytest.raises(ResidentError, match=type(error).__name__):
            decode(encode_error(error))
    with pytest.raises(ResidentError, match="DataError: !!!"):
        decode(encode_short_error(DataError("!" * 9000)))
    with pytest.raises(DataError, match="short"):
        decode(encode_short_error(DataError("short")))
    assert decode(encode(None)) is None


def test_text_of_a_spark_error_is_not_unpickled(tmp_path: Any) -> None:
    """A row of a source may hold any text, and Spark puts it into its errors."""
    import base64

    mark = tmp_path / "ran"
    forged = base64.b64encode(pickle.dumps(_Bomb(str(mark)))).decode()
    assert error_of_task(RuntimeError(f"{TASK_MARK}{forged}")) is None
    assert not mark.exists()
    harmless = base64.b64encode(pack((True, 1))).decode()
    assert error_of_task(RuntimeError(f"{TASK_MARK}{harmless}")) is None
