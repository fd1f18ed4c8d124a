"""Columns are read by name, by position, or not at all (D36), the same in every reader.

The judge reads the decision word by word and knows nothing of the code: random tables (names permuted, misspelt, with
other case and blanks, some left out, some more; with a header line or without) come through every reader. Spark has
the same law in `tests/spark/rows/test_names.py`. What it cannot notice: what becomes of values, since they are texts.
"""

from __future__ import annotations

import csv
import io
import json
import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from tidelog import DataError, Engine, TidelogWarning
from tidelog.io.files import InputFile, read_input
from tidelog.io.match_names import match_names, other_names
from tidelog.io.parameters import CSV, TEXT, Layout

NAMES = ["id", "name", "mgr", "Dept", "c1", "c2", "x", "y"]
REFUSED = "refused"
Read = tuple[list[int], list[str]] | str | None  # places and other names, refused, or by position


def judge(names: list[str], found: list[str]) -> Read:
    """D36, as it is written: compared without case and blanks, unless two columns differ only so."""

    def plain(name: str) -> str:
        return name.strip().lower()

    def differ_only_so(some: list[str]) -> bool:
        return any(a != b and plain(a) == plain(b) for a in some for b in some)

    same = plain if not differ_only_so(names) and not differ_only_so(found) else str
    there = [[i for i, other in enumerate(found) if same(other) == same(name)] for name in names]
    if not any(there):
        return None  # shares none
    if any(len(places) != 1 for places in there):
        return REFUSED  # shares some, or one of them twice
    used = {places[0] for places in there}
    return [places[0] for places in there], [name for i, name in enumerate(found) if i not in used]


def random_case(rng: random.Random) -> tuple[list[str], list[str]]:
    """The names of a relation, and those of a table that resembles it."""
    names = rng.sample(NAMES, rng.randint(1, 4))
    found = list(names)
    for _ in range(rng.randint(0, 3)):
        place = rng.randrange(len(found)) if found else 0
        match rng.randrange(9):
            case 0:
                rng.shuffle(found)
            case 1 if found:
                found[place] = found[place].upper() if rng.random() < 0.5 else found[place].capitalize()
            case 2 if found:
                found[place] = f" {found[place]} "
            case 3 if found:
                found[place] = found[place][1:] + "z"
            case 4 if len(found) > 1:
                del found[place]
            case 5:
                found.insert(place, rng.choice(["note", "extra", "when", "ID"]))
            case 6:
                found = [f"other{i}" for i in range(len(found))]
            case 7 if found:
                found.append(found[place])
            case 8 if found:
                found.append(found[place].swapcase())
    return names, found


def expected(names: list[str], found: list[str], *, positions: bool = True) -> Read:
    """What becomes of a table; by position it has to have as many columns."""
    output = judge(names, found)
    if output is None and (not positions or len(found) != len(names)):
        return REFUSED
    return (list(range(len(names))), []) if output is None else output


def outcome(names: list[str], found: list[str], read: Any) -> Read:
    """Which cells of the row `v0, v1, ...` a reader took for the columns, and what it reported as ignored."""
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        try:
            row = read()
        except DataError:
            return REFUSED
    output = [str(w.message) for w in met if issubclass(w.category, TidelogWarning)]
    assert all(text.startswith("TL1017") for text in output)
    ignored = [
        name
        for name in found
        if any(f"`{name}`" in text.partition("ignored")[2].partition(": `")[0] for text in output)
    ]
    return [int(cell[1:]) for cell in row], ignored


def declared(names: list[str]) -> str:
    return f".decl emp({', '.join(f'{name}: symbol' for name in names)})"


def inserted(names: list[str], rows: Any) -> Any:
    """The one fact that an engine has after an insertion."""
    with Engine(declared(names)) as db:
        try:
            with db.epoch() as e:
                e.insert("emp", rows)
        except Exception as error:
            if getattr(error, "code", "") in ("TL1201", "TL1016", "TL1012"):
                raise DataError(str(error)) from None
            raise
        (fact,) = db["emp"]
        return fact


def from_file(names: list[str], path: Path, layout: Layout) -> Any:
    data = read_input(InputFile("emp", path, layout), names, ["symbol"] * len(names))
    rows = data if isinstance(data, list) else list(zip(*(c.to_pylist() for c in data.columns), strict=True))
    (row,) = rows
    return row


def arrow(found: list[str]) -> pa.Table:
    return pa.table([pa.array([f"v{i}"]) for i in range(len(found))], names=found)


def parquet(names: list[str], found: list[str], tmp_path: Path) -> Any:
    path = tmp_path / "emp.parquet"
    pyarrow.parquet.write_table(arrow(found), path)
    return from_file(names, path, Layout())


def header(names: list[str], found: list[str], tmp_path: Path) -> Any:
    text = io.StringIO()
    csv.writer(text).writerows([found, [f"v{i}" for i in range(len(found))]])
    path = tmp_path / "emp.csv"
    path.write_text(text.getvalue())
    return from_file(names, path, Layout(CSV, headers=True, named_kind=True))


def tabs(names: list[str], found: list[str], tmp_path: Path) -> Any:
    path = tmp_path / "emp.facts"
    path.write_text("\t".join(found) + "\n" + "\t".join(f"v{i}" for i in range(len(found))) + "\n")
    return from_file(names, path, Layout(TEXT, headers=True))


def json_object(names: list[str], found: list[str], tmp_path: Path) -> Any:
    path = tmp_path / "emp.json"
    path.write_text(json.dumps({name: f"v{i}" for i, name in enumerate(found)}))
    return from_file(names, path, Layout())


def record(names: list[str], found: list[str], tmp_path: Path) -> Any:
    array = np.zeros(1, [(name, "U9") for name in found])
    for i, name in enumerate(found):
        array[name] = f"v{i}"
    return inserted(names, array)


def data_frame(names: list[str], found: list[str], tmp_path: Path) -> Any:
    return inserted(names, pd.DataFrame([[f"v{i}" for i in range(len(found))]], columns=found))


TABLES = {
    "Arrow": lambda names, found, _: inserted(names, arrow(found)),
    "batch": lambda names, found, _: inserted(names, arrow(found).to_batches()[0]),
    "pandas": data_frame,
    "Parquet": parquet,
    "CSV": header,
    "tabs": tabs,
}
DISTINCT = {"numpy": record}  # names of its columns are never the same
OBJECTS = {
    "dict": lambda names, found, _: inserted(names, [{name: f"v{i}" for i, name in enumerate(found)}]),
    "JSON": json_object,
}


@pytest.mark.parametrize("seed", range(150))
def test_a_table_is_read_by_name_or_by_position_or_refused_in_every_reader(seed: int, tmp_path: Path) -> None:
    names, found = random_case(random.Random(seed))
    wanted = judge(names, found)
    if wanted == REFUSED:
        with pytest.raises(DataError) as refused:
            match_names("emp", names, found)
        assert refused.value.code == "TL1016"
    else:
        places = match_names("emp", names, found)
        assert wanted == (None if places is None else ([*places], [*other_names(names, found)]))
    distinct = len(set(found)) == len(found)
    readers = {**TABLES, **(DISTINCT if distinct else {})}
    for reader in (name for i, name in enumerate(readers) if (seed + i) % 3 == 0 or seed < 30):
        output = outcome(names, found, lambda reader=reader: readers[reader](names, found, tmp_path))
        assert output == expected(names, found), (reader, names, found)
    for reader in OBJECTS if distinct else ():
        output = outcome(names, found, lambda reader=reader: OBJECTS[reader](names, found, tmp_path))
        assert output == expected(names, found, positions=False), (reader, names, found)


# Header lines of CSV files that are not declared


def header_judge(names: list[str], lines: list[list[str]]) -> str:
    """D36 for columns of text: whether the first line is a header, a row, or has to be declared."""
    first = lines[0]
    if sorted(first) == sorted(names):
        return "header"
    if sorted(c.strip().lower() for c in first) == sorted(c.lower() for c in names):
        return REFUSED
    words = all(c.strip().isidentifier() for c in first)
    recurs = any(first[i] == line[i] for i in range(len(first)) for line in lines[1:])
    return REFUSED if words and not recurs else "row"


@pytest.mark.parametrize("seed", range(120))
@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_a_first_line_of_a_csv_file_is_a_header_or_a_row_or_has_to_be_declared(
    seed: int, delimiter: str, tmp_path: Path
) -> None:
    rng = random.Random(seed)
    names = rng.sample(["src", "dst", "kind"], rng.randint(1, 3))
    pool = ["a", "b", "New York", "x-1", "7", "hub", "née", ""]
    lines = [[rng.choice(pool) or "-" for _ in names] for _ in range(rng.randint(1, 4))]
    match rng.randrange(5):
        case 0:
            lines.insert(0, rng.sample(names, len(names)))
        case 1:
            lines.insert(0, [name.upper() for name in names])
        case 2:
            lines.insert(0, [f" {name.capitalize()}" for name in names])
        case 3:
            lines.insert(0, ["from", "to", "why"][: len(names)])
    if delimiter == "\t" and len(names) == 1:
        return  # without a tab it is undecidable
    path = tmp_path / "emp.csv"
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(lines)
    path.write_text(text.getvalue())
    wanted = header_judge(names, lines)
    file = InputFile("emp", path, Layout())
    if wanted == REFUSED:
        with pytest.raises(DataError) as refused:
            read_input(file, names, ["symbol"] * len(names))
        assert refused.value.code == "TL1018"
        assert "headers=true" in refused.value.hint
    else:
        found = read_input(file, names, ["symbol"] * len(names)).to_pylist()
        order = lines[0] if wanted == "header" else names
        rows = lines[1:] if wanted == "header" else lines
        assert found == [dict(zip(order, row, strict=True)) for row in rows]
    for headers in (True, False):
        output = read_input(InputFile("emp", path, Layout(headers=headers)), names, ["symbol"] * len(names))
        assert output.num_rows == len(lines) - headers
    path.rename(tmp_path / "emp.facts")
    facts = InputFile("emp", tmp_path / "emp.facts", Layout(delimiter=delimiter, quoted=True))
    assert read_input(facts, names, ["symbol"] * len(names)).num_rows == len(lines)  # never a header


def read_csv(tmp_path: Path, text: str | bytes, names: str, types: list[str | None]) -> list[Any]:
    path = tmp_path / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    data = read_input(InputFile("t", path, Layout()), names.split(), types)
    return list(zip(*(column.to_pylist() for column in data.columns), strict=True))


EXPORTS = {
    "quoted header": '"from","to"\n"a","b"\n"b","c"\n',
    "byte order mark": b"\xef\xbb\xbffrom,to\r\na,b\r\n",
    "blanks around names": "from, to\na,b\n",
    "numbers below a name with a blank": "First Name,Zip Code\nann,8001\nbob,3011\n",
    "one line": "from,to\n",
    "ids that look like names": "ann,zurich\nbob,bern\n",
    "unicode names": "prénom,größe\nann,b\n",
}


@pytest.mark.parametrize("name", EXPORTS)
def test_a_header_of_an_export_is_not_a_fact(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="may be a header") as refused:
        read_csv(tmp_path, EXPORTS[name], "c1 c2", [None, None])
    assert refused.value.code == "TL1018"


ROWS = {
    "a value that recurs": "a,b\na,c\n",
    "values that are no identifiers": "New York,Los Angeles\nRome,Paris\n",
    "numbers": "2019,2020\n1,2\n",
    "numbers below an empty cell": ",1\n2,3\n",
}


@pytest.mark.parametrize("name", ROWS)
def test_a_first_line_that_is_no_header_is_a_row(name: str, tmp_path: Path) -> None:
    text = ROWS[name]
    assert (
        read_csv(tmp_path, text, "c1 c2", [None, None]) == [tuple(line.split(",")) for line in text.split()]
        or " " in text
    )
    assert len(read_csv(tmp_path, text, "c1 c2", [None, None])) == 2


def test_a_header_of_one_column_has_to_be_declared(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="may be a header"):
        read_csv(tmp_path, "name\nann\nbob\n", "c1", ["symbol"])


def test_a_boolean_or_a_number_is_a_value_and_no_header(tmp_path: Path) -> None:
    assert read_csv(tmp_path, "ann,true\nbob,false\n", "x y", ["symbol", "boolean"]) == [("ann", True), ("bob", False)]
    with pytest.raises(DataError, match="headers=true"):
        read_csv(tmp_path, "name,age\nann,3\n", "x y", ["symbol", "number"])


# The cases that were reported


def test_a_misspelt_column_of_a_data_frame_is_refused_and_not_swapped() -> None:
    program = (
        ".decl emp(id: number, name: symbol, mgr: symbol, dept: symbol) .decl boss(x: symbol, y: symbol) "
        "boss(m, n) :- emp(_, n, m, _)."
    )
    frame = pd.DataFrame({"id": [1], "mgr": ["ann"], "nam": ["bob"], "dept": ["x"]})
    with Engine(program) as db:
        with pytest.raises(DataError, match=r"`name` is missing; did you mean `nam`\?") as refused, db.epoch() as e:
            e.insert("emp", frame)
        assert refused.value.code == "TL1016"
        with db.epoch() as e:
            e.insert("emp", frame.rename(columns={"nam": " NAME "}))
        assert list(db["boss"]) == [("ann", "bob")]


def test_columns_that_the_relation_does_not_have_are_reported() -> None:
    with Engine(".decl p(x: number, y: number)") as db:
        with (
            pytest.warns(TidelogWarning, match="TL1017: p: ignored `note`: `p` has no such column") as met,
            db.epoch() as e,
        ):
            e.insert("p", pa.table({"y": [2], "note": ["n"], "x": [1]}))
        assert [warning.filename for warning in met] == [__file__]
        assert (list(db["p"]), e.ignored) == ([(1, 2)], {"p": ("note",)})
        with pytest.warns(TidelogWarning), db.epoch() as e:
            e.delete("p", [{"x": 1, "y": 2, "z": 3}])
        assert (list(db["p"]), e.ignored) == ([], {"p": ("z",)})


def test_fields_that_the_relation_does_not_have_are_reported_once_for_a_file(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"x": 1, "a": 0}\n{"b": 0, "X": 2}\n')
    with pytest.warns(TidelogWarning, match=r"p\.jsonl: ignored `a`, `b`") as met:
        assert read_input(InputFile("p", path, Layout()), ["x"], ["number"]) == [(1,), (2,)]
    assert len(met) == 1


@pytest.mark.parametrize(("header", "row"), [("DST,SRC", "b,a"), ("dst,src ", "b,a"), ("Src,Dst", "a,b")])
def test_a_header_is_matched_without_case_and_blanks(header: str, row: str, tmp_path: Path) -> None:
    path = tmp_path / "edge.csv"
    path.write_text(f"{header}\n{row}\n")
    file = InputFile("edge", path, Layout(headers=True))
    assert read_input(file, ["src", "dst"], ["symbol"] * 2).to_pylist() == [{"src": "a", "dst": "b"}]


def test_picked_columns_are_taken_by_position_whatever_the_header_says(tmp_path: Path) -> None:
    path = tmp_path / "edge.csv"
    path.write_text("dst,other,src\n1,2,3\n")
    file = InputFile("edge", path, Layout(headers=True, columns=(0, 2)))
    assert read_input(file, ["src", "dst"], ["number"] * 2).to_pylist() == [{"src": 1, "dst": 3}]
