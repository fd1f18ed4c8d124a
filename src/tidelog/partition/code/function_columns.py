"""Functions over columns: computed once per distinct text, by Arrow if it has the same function.

Law: a column has the results of the function row by row (`call`), or marks them as unknown: for the whole column
(None), or for single rows, where the function fails. Texts are read in place, without a Python object for each, and
results are entered together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tidelog.errors import TidelogError
from tidelog.kernel.cells import Cells
from tidelog.partition.code.call import structure_column
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.plan.steps import Apply
from tidelog.program.functions.patterns import STEPS, compiled, translated
from tidelog.program.functions.table import Function, resolve
from tidelog.program.functions.text import LONGEST, WHITE_SPACE
from tidelog.program.values.shape import Shape
from tidelog.program.values.structure import is_structural
from tidelog.program.values.term import FLOAT, NUMBER, RECORD, SYMBOL, UNSIGNED, Value

ByColumn = Callable[["Sequence[Column]", Sequence[str], Dictionary], "Results | None"]
Column = Cells | int  # a cell for each row, or one for all of them
PLAIN = (NUMBER, UNSIGNED, FLOAT, SYMBOL, RECORD)  # types of results that are encoded one by one
FAILED = object()
ENDLESS = 1 << 40
MANY = 512  # rows from which on Arrow is used: importing it takes as long as thousands of calls


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a function, the number of arguments it was computed for, and which rows have one.

    ``known`` is None if all have one.
    """

    cells: Column
    computed: int
    known: npt.NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class TextValues:
    """A column of texts: an Arrow array, and which of them each row has; without places, one text for all rows."""

    array: Any
    places: Cells | None

    def spread(self) -> Any:
        """A text for each row."""
        import pyarrow as pa

        return self.array if self.places is None else self.array.take(pa.array(self.places))


def result_column(
    step: Apply,
    args: Sequence[Column],
    count: int,
    functions: Mapping[str, tuple[Function, ...]],
    dictionary: Dictionary,
) -> Results | None:
    """The results of a function for columns of arguments; None if they must be computed one by one."""
    if all(isinstance(column, int) for column in args):
        return None
    if is_structural(step.function):
        return _structures(step, args, count, dictionary)
    function = _function(step, functions)
    if function is None:
        return None
    by_column = _BY_COLUMN.get((step.function, step.types[0]))
    if by_column is not None and count >= MANY:
        found = by_column(args, step.types, dictionary)
        if found is not None:
            return found
    return _for_distinct(step, args, count, function, dictionary)


def has_columns(step: Apply, functions: Mapping[str, tuple[Function, ...]]) -> bool:
    """Whether results of a function may be computed by column: not those of a user's function that takes values."""
    return is_structural(step.function) or _function(step, functions) is not None


def _function(step: Apply, functions: Mapping[str, tuple[Function, ...]]) -> Function | None:
    function = resolve(step.function, step.types, functions)
    if function is None or function.generator or (function.python is not None and function.evaluate_all is None):
        return None
    return function


def _distinct(args: Sequence[Column], count: int) -> tuple[list[tuple[int, ...]], Cells]:
    """The distinct rows of some columns, and which of them each row is."""
    found: dict[tuple[int, ...], int] = {}
    lists = [[column] * count if isinstance(column, int) else column.tolist() for column in args]
    places = np.array([found.setdefault(row, len(found)) for row in zip(*lists, strict=True)], np.int64)
    return list(found), places


def _structures(step: Apply, args: Sequence[Column], count: int, dictionary: Dictionary) -> Results:
    """Make, read or test records and variants, which never fails."""
    rows: Cells = np.empty((count, len(args)), np.int64)
    for place, column in enumerate(args):
        rows[:, place] = column
    return Results(structure_column(step.function, rows, dictionary), count)


def _for_distinct(
    step: Apply, args: Sequence[Column], count: int, function: Function, dictionary: Dictionary
) -> Results | None:
    """Compute the results for distinct arguments; those that fail are left out."""
    if function.result not in PLAIN or not set(step.types) <= set(PLAIN):
        return None
    types, result = function.structures or (step.types, step.result)
    distinct, places = _distinct(args, count)
    columns = zip(zip(*distinct, strict=True), types, strict=True)
    given = [_decoded(column, type_, dictionary) for column, type_ in columns]
    values = _one_by_one(function, given) if function.evaluate_all is None else _together(function, given)
    cells = np.array([0 if value is FAILED else dictionary.encode(value, result) for value in values], np.int64)
    known = np.array([value is not FAILED for value in values], np.bool_)
    if known.all():
        return Results(cells[places], len(values))
    return Results(cells[places], len(values), known[places])


def _decoded(column: Sequence[int], type_: str, dictionary: Dictionary) -> Sequence[Value]:
    if isinstance(type_, Shape):
        return dictionary.structures(column, type_)
    return [dictionary.decode(cell, type_) for cell in column]


def _one_by_one(function: Function, given: Sequence[Sequence[Value]]) -> list[Any]:
    """The result for each row; `FAILED` where the function fails."""
    values: list[Any] = []
    for row in zip(*given, strict=True):
        try:
            values.append(function.evaluate(*row))
        except TidelogError:
            values.append(FAILED)
    return values


def _together(function: Function, given: Sequence[Sequence[Value]]) -> Sequence[Any]:
    """The same of a function that takes columns: if it fails, halves are tried, down to the rows for which it does."""
    assert function.evaluate_all is not None
    rows = len(given[0])
    try:
        return function.evaluate_all(given, rows)
    except Exception:  # of the user's code: it is raised again, and reported, where the result is needed
        if rows == 1:
            return [FAILED]
    middle = rows // 2
    halves = [column[:middle] for column in given], [column[middle:] for column in given]
    return [value for half in halves for value in _together(function, half)]


# Texts in and out


def _texts(column: Column, dictionary: Dictionary) -> TextValues | None:
    """The texts behind a column; None if one of them is not UTF-8."""
    import pyarrow as pa

    cells = np.array([column], np.int64) if isinstance(column, int) else np.ascontiguousarray(column)
    found = dictionary.text_column(cells)
    if found is None or found.offsets[-1] > LONGEST:
        return None
    buffers = pa.py_buffer(np.ascontiguousarray(found.offsets, np.int64)), pa.py_buffer(found.data)
    array = pa.LargeStringArray.from_buffers(len(found.offsets) - 1, *buffers)
    return TextValues(array, None if isinstance(column, int) else found.places)


def _cells(array: Any, places: Cells | None, dictionary: Dictionary) -> Results:
    """The cells of new texts."""
    import pyarrow as pa

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    _, ends, texts = array.buffers()
    offsets = np.frombuffer(ends, np.int64)[array.offset : array.offset + len(array) + 1]
    found = dictionary.symbol_column(texts.address if texts is not None else 0, np.ascontiguousarray(offsets))
    return Results(found if places is None else found[places], len(array))


def _numbers(array: Any, places: Cells | None) -> Results:
    """Numbers or truth values of Arrow as cells."""
    found: Cells = np.asarray(array.to_numpy(zero_copy_only=False)).astype(np.int64)
    return Results(found if places is None else found[places], len(array))


# Functions


def _length(args: Sequence[Column], _types: Sequence[str], dictionary: Dictionary) -> Results | None:
    import pyarrow.compute as pc

    texts = _texts(args[0], dictionary)
    return None if texts is None else _numbers(pc.utf8_length(texts.array), texts.places)


def _joined(args: Sequence[Column], _types: Sequence[str], dictionary: Dictionary) -> Results | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = [_texts(column, dictionary) for column in args]
    known = [column for column in columns if column is not None]
    if len(known) < len(columns):
        return None
    various = [column for column in known if column.places is not None]
    one = various[0] if len(various) == 1 else None  # then distinct texts have distinct results
    parts = [_part(column, one) for column in known]
    rows = len(various[0].array) if one is not None else len(various[0].spread())
    if sum(rows * len(part.as_py()) if isinstance(part, pa.Scalar) else part.nbytes for part in parts) > LONGEST:
        return None
    made = pc.binary_join_element_wise(*parts, pa.scalar("", pa.large_string()))
    return _cells(made, None if one is None else one.places, dictionary)


def _part(column: TextValues, one: TextValues | None) -> Any:
    if column.places is None:
        return column.array[0]
    return column.array if column is one else column.spread()


def _cut(args: Sequence[Column], _types: Sequence[str], dictionary: Dictionary) -> Results | None:
    import pyarrow.compute as pc

    column, start, length = args
    if not isinstance(start, int) or not isinstance(length, int) or not 0 <= start < ENDLESS or length <= 0:
        return None
    texts = _texts(column, dictionary)
    if texts is None:
        return None
    made = pc.utf8_slice_codeunits(texts.array, start, start + min(length, ENDLESS))
    return _cells(made, texts.places, dictionary)


def _contained(args: Sequence[Column], _types: Sequence[str], dictionary: Dictionary) -> Results | None:
    import pyarrow.compute as pc

    part, whole = (_texts(column, dictionary) for column in args)
    if part is None or whole is None or part.places is not None:
        return None
    return _numbers(pc.match_substring(whole.array, part.array[0].as_py()), whole.places)


def _tested(name: str) -> ByColumn:
    """Whether texts begin or end with a given text."""

    def test(args: Sequence[Column], _types: Sequence[str], dictionary: Dictionary) -> Results | None:
        import pyarrow.compute as pc

        whole, part = (_texts(column, dictionary) for column in args)
        if part is None or whole is None or part.places is not None:
            return None
        return _numbers(getattr(pc, name)(whole.array, part.array[0].as_py()), whole.places)

    return test


def _in_case(name: str) -> ByColumn:
    """Convert letters to another case; those outside ASCII are left to Python, where texts may change their length."""

    def change(args: Sequence[Column], _types: Sequence[str], dictionary: Dictionary) -> Results | None:
        import pyarrow.compute as pc

        texts = _texts(args[0], dictionary)
        if texts is None or not pc.all(pc.string_is_ascii(texts.array)).as_py():
            return None
        return _cells(getattr(pc, name)(texts.array), texts.places, dictionary)

    return change


def _trimmed(args: Sequence[Column], _types: Sequence[str], dictionary: Dictionary) -> Results | None:
    import pyarrow.compute as pc

    texts = _texts(args[0], dictionary)
    return None if texts is None else _cells(pc.utf8_trim(texts.array, WHITE_SPACE), texts.places, dictionary)


def _replaced(args: Sequence[Column], _types: Sequence[str], dictionary: Dictionary) -> Results | None:
    import pyarrow.compute as pc

    texts, old, new = (_texts(column, dictionary) for column in args)
    if texts is None or old is None or new is None or old.places is not None or new.places is not None:
        return None
    before, after = old.array[0].as_py(), new.array[0].as_py()
    if not before or texts.array.nbytes * max(len(after.encode()) // len(before.encode()) + 1, 1) > LONGEST:
        return None
    return _cells(pc.replace_substring(texts.array, before, after), texts.places, dictionary)


def _matched(args: Sequence[Column], _types: Sequence[str], dictionary: Dictionary) -> Results | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    given, texts = (_texts(column, dictionary) for column in args)
    if given is None or texts is None or given.places is not None:
        return None
    try:
        pattern = compiled(given.array[0].as_py())
        longest = pc.max(pc.binary_length(texts.array)).as_py() or 0
        if longest * pattern.size > STEPS:
            return None
        found = pc.match_substring_regex(texts.array, rf"\A(?:{translated(pattern.text)})\z")
    except (TidelogError, pa.ArrowInvalid):
        return None  # reported when a result is needed
    return _numbers(found, texts.places)


def _shown(args: Sequence[Column], types: Sequence[str], dictionary: Dictionary) -> Results | None:
    import pyarrow as pa

    column = args[0]
    assert not isinstance(column, int), "some argument is a column"
    cells = np.ascontiguousarray(column)
    numbers = pa.array(cells.view(np.uint64) if types[0] == UNSIGNED else cells)
    return _cells(numbers.cast(pa.large_string()), None, dictionary)


_BY_COLUMN: Mapping[tuple[str, str], ByColumn] = {
    ("strlen", SYMBOL): _length,
    ("cat", SYMBOL): _joined,
    ("+", SYMBOL): _joined,
    ("substr", SYMBOL): _cut,
    ("contains", SYMBOL): _contained,
    ("match", SYMBOL): _matched,
    ("starts_with", SYMBOL): _tested("starts_with"),
    ("ends_with", SYMBOL): _tested("ends_with"),
    ("lower", SYMBOL): _in_case("ascii_lower"),
    ("upper", SYMBOL): _in_case("ascii_upper"),
    ("trim", SYMBOL): _trimmed,
    ("replace", SYMBOL): _replaced,
    ("to_string", NUMBER): _shown,
    ("to_string", UNSIGNED): _shown,
}
