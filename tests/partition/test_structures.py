"""Records and variants as cells: equal values have equal cells, each part is kept once, depth costs no stack."""

from __future__ import annotations

import numpy as np
import pytest

from tidelog.errors import DataError
from tidelog.partition.code.call import structure_cell
from tidelog.partition.texts.dictionary import Dictionary, ScratchDictionary
from tidelog.partition.texts.packed_cells import PackedStructure
from tidelog.partition.texts.shared_dictionary import SharedDictionary
from tidelog.partition.texts.structures import NIL_CELL
from tidelog.partition.texts.texts import from_bytes, to_bytes
from tidelog.program import Column, Constructor, TypeDeclaration, Variant
from tidelog.program.values.shape import Shape, make_shapes
from tidelog.store.image.entries import decode_entries, encode_columns, encode_entries


def shapes(*constructors: str) -> dict[str, Shape]:
    cell = TypeDeclaration(
        "P", (), False, constructors=(Constructor("", (Column("x", "number"), Column("next", "P"))),)
    )
    made = {"A": (Column("x", "float"), Column("s", "symbol")), "B": (), "C": (Column("p", "P"), Column("t", "T"))}
    variant = TypeDeclaration(
        "T", (), False, constructors=tuple(Constructor(name, made[name]) for name in constructors or made)
    )
    return make_shapes([cell, variant], {})


def test_values_come_back_as_they_went_in() -> None:
    dictionary, types = Dictionary(), shapes()
    for value, type_ in (
        (None, "P"),
        ((1, (2, None)), "P"),
        (Variant("A", 1.5, "text"), "T"),
        (Variant("B"), "T"),
        (Variant("C", (1, None), Variant("C", None, Variant("B"))), "T"),
    ):
        cell = dictionary.encode(value, types[type_])
        assert dictionary.decode(cell, types[type_]) == value
        assert dictionary.encode(value, types[type_]) == cell
    assert dictionary.encode(None, types["P"]) == NIL_CELL


def test_fields_are_read_by_name() -> None:
    dictionary, types = Dictionary(), shapes()
    record = dictionary.decode(dictionary.encode((1, None), types["P"]), types["P"])
    assert (record.x, record.next) == (1, None)  # type: ignore[union-attr]  # a named tuple
    variant = dictionary.decode(dictionary.encode(Variant("A", 0.5, "a"), types["T"]), types["T"])
    assert (variant.x, variant.s) == (0.5, "a")  # type: ignore[union-attr]  # a variant
    match variant:
        case Variant(constructor="A", parts=(x, s)):
            assert (x, s) == (0.5, "a")
        case _:
            raise AssertionError


def test_two_dictionaries_give_one_value_one_cell() -> None:
    types, value = shapes(), Variant("C", (3, (4, None)), Variant("A", 2.0, "ab"))
    assert Dictionary().encode(value, types["T"]) == Dictionary().encode(value, shapes()["T"])


def test_a_record_and_a_list_of_the_same_parts_are_different_cells() -> None:
    dictionary = Dictionary()
    assert dictionary.encode((1, 0), "list") != dictionary.pack((1, 0))


def test_an_entry_holds_cells_and_inner_records_are_kept_once() -> None:
    dictionary, types = Dictionary(), shapes()
    long, longer = (2, (1, None)), (3, (2, (1, None)))
    dictionary.encode(long, types["P"])
    before = len(dictionary)
    cell = dictionary.encode(longer, types["P"])
    assert len(dictionary) == before + 1
    assert dictionary.parts(cell) == (3, dictionary.encode(long, types["P"]))


def test_a_list_of_a_hundred_thousand_cells_is_made_and_read() -> None:
    dictionary, shape = Dictionary(), shapes()["P"]
    cell = NIL_CELL
    for n in range(100_000):
        cell = structure_cell("[ P number P", (n, cell), dictionary)
    value, count = dictionary.decode(cell, shape), 0
    while value is not None:
        value, count = value[1], count + 1  # type: ignore[index]  # a record
    assert count == 100_000


def test_reading_and_testing_never_fail() -> None:
    dictionary, types = Dictionary(), shapes()
    made = dictionary.encode(Variant("A", 1.5, "a"), types["T"])
    assert structure_cell("? $A T float symbol", [made], dictionary) == 1
    assert structure_cell("? $B T", [made], dictionary) == 0
    assert dictionary.decode(structure_cell("#1 $A T float symbol", [made], dictionary), "symbol") == "a"
    empty = dictionary.encode(Variant("B"), types["T"])
    assert dictionary.decode(structure_cell("#1 $A T float symbol", [empty], dictionary), "symbol") == ""
    assert structure_cell("#1 [ P number P", [NIL_CELL], dictionary) == NIL_CELL


def test_a_value_of_a_lost_constructor_is_told() -> None:
    dictionary = Dictionary()
    cell = dictionary.encode(Variant("A", 1.5, "a"), shapes()["T"])
    with pytest.raises(DataError, match="a stored value of type T has a constructor") as told:
        dictionary.decode(cell, shapes("B")["T"])
    assert told.value.code == "TL1120"


def test_entries_keep_their_kind_in_files_and_messages() -> None:
    packed = PackedStructure((1, -5))
    raw, kind = to_bytes(packed)
    assert isinstance(from_bytes(raw, bool(kind)), PackedStructure)
    own = Dictionary().pack(packed)
    ((cell, value),) = decode_entries(memoryview(encode_entries([(own, packed)])))
    assert (cell, value, type(value)) == (own, packed, PackedStructure)


def test_a_partition_asks_the_owner_for_parts() -> None:
    owner, shape = Dictionary(), shapes()["P"]
    cell = owner.encode((1, (2, None)), shape)
    asked: list[list[int]] = []

    def ask(_: int, cells: list[int]) -> dict[int, object]:
        asked.append(cells)
        return owner.known(cells)  # type: ignore[return-value]  # values

    other = SharedDictionary(1, None, ask, lambda *_: None)  # type: ignore[arg-type]  # values
    assert other.decode(cell, shape) == (1, (2, None))
    assert len(asked) == 2


def test_structures_made_by_rows_are_those_made_one_by_one() -> None:
    rows = np.random.default_rng(3).integers(-5, 5, (3000, 3))
    together, single = Dictionary(), Dictionary()
    cells = together.pack_rows(rows)
    assert cells.tolist() == [single.pack(row) for row in rows.tolist()]
    assert (
        together.parts_of(cells.tolist())
        == single.parts_of(cells.tolist())
        == [PackedStructure(row) for row in rows.tolist()]
    )
    assert len(together) == len(single) == len(np.unique(rows, axis=0))
    columns = together.entries.columns_since(0)
    stored = decode_entries(memoryview(encode_columns(columns)))
    assert dict(stored) == dict(single.entries.since(0))


def test_structure_with_the_id_of_a_text_is_refused() -> None:
    dictionary = Dictionary()
    cell = Dictionary().pack((1, 2))
    dictionary.enter([(cell, "taken")])
    with pytest.raises(DataError, match="taken"):
        dictionary.pack_rows(np.array([[1, 2]]))
    with pytest.raises(DataError, match="taken"):
        dictionary.pack((1, 2))


def test_question_does_not_find_what_a_running_epoch_has_made() -> None:
    dictionary = Dictionary()
    dictionary.pack_rows(np.array([[1, 2], [3, 4]]))
    dictionary.begin()
    dictionary.pack_rows(np.array([[5, 6]]))
    assert dictionary.entries.known_records.size == 3
    assert ScratchDictionary(dictionary).entries.known_records.size == 2
    dictionary.end()
    assert ScratchDictionary(dictionary).entries.known_records.size == 3
