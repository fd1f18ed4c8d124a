"""Types for text columns that neither a declaration nor a rule determines.

Law: a column of whole numbers has the type number, one with decimal numbers float, any other symbol;
columns that rules join are one column in this respect, so that a symbol in one of them makes all of them symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa

from tidelog.io.columns import ARROW_TYPES, arrow_column_type
from tidelog.io.delimited import DECIMAL, WHOLE, Data
from tidelog.io.late import compute as pc
from tidelog.io.texts import read_text
from tidelog.io.unread import UnreadRows

Types = Sequence[str | None]
Bound = dict[tuple[str, int], str]


def settle_types(
    inputs: Sequence[tuple[str, Data | UnreadRows]],
    schema: Mapping[str, Types],
    check: Callable[[Bound], Mapping[str, Types]],
) -> list[tuple[str, Data | UnreadRows]]:
    """The data with every column typed; ``check`` returns the schema that follows from the types of some columns.

    >>> columns = pa.table({"x": ["1", "2"], "y": ["1", "b"]})
    >>> def check(bound):
    ...     return {"edge": (None, "symbol")}
    >>> settle_types([("edge", columns)], {"edge": (None, None)}, check)[0][1].to_pydict()
    {'x': [1, 2], 'y': ['1', 'b']}
    """
    guesses = _guesses(inputs, schema)
    bound: Bound = {}
    for kind in sorted(set(guesses.values()), key=_strength):
        bound.update({place: kind for place, guess in guesses.items() if guess == kind and _is_open(place, schema)})
        schema = check(bound)
    return [(name, _apply_types(data, schema.get(name, ()), name, bound)) for name, data in inputs]


def _strength(kind: str) -> int:
    """The order of types: those of typed files first, then symbols, which can hold any text, then floats."""
    order = ("symbol", "float", "number")
    return order.index(kind) + 1 if kind in order else 0


def _is_open(place: tuple[str, int], schema: Mapping[str, Types]) -> bool:
    return schema[place[0]][place[1]] is None


def _guesses(inputs: Sequence[tuple[str, Data | UnreadRows]], schema: Mapping[str, Types]) -> Bound:
    """The type that each open column would have by default; with several files, the widest."""
    guesses: Bound = {}
    for name, data in inputs:
        if not isinstance(data, pa.Table):
            continue
        for place, column in enumerate(data.columns):
            if _is_open((name, place), schema) and len(column):
                guess = _guess(column)
                previous = guesses.get((name, place), guess)
                guesses[name, place] = min(guess, previous, key=_strength)
    return guesses


def _guess(column: pa.ChunkedArray) -> str:
    if not pa.types.is_string(column.type):
        return arrow_column_type(column.type, "column")
    if pc.all(pc.match_substring_regex(column, WHOLE)).as_py():
        return "number"
    return "float" if pc.all(pc.match_substring_regex(column, DECIMAL)).as_py() else "symbol"


def _apply_types(data: Data | UnreadRows, types: Types, name: str, bound: Bound) -> Data | UnreadRows:
    if not isinstance(data, pa.Table):
        return data
    for place, column in enumerate(data.columns):
        type_ = bound.get((name, place)) or types[place]
        if pa.types.is_string(column.type) and type_ not in (None, "symbol", "list", "record"):
            data = data.set_column(place, data.column_names[place], _convert(column, type_ or "symbol"))
    return data


def _convert(column: pa.ChunkedArray, type_: str) -> pa.ChunkedArray:
    try:
        return column.cast(ARROW_TYPES[type_])
    except pa.ArrowException:
        return pa.chunked_array(
            [
                pa.array(
                    [None if text is None else read_text(text, type_) for text in column.to_pylist()],
                    ARROW_TYPES[type_],
                )
            ]
        )
