"""What rows and files of facts are refused for, by code: TL10xx rows, TL1050 and up files, TL50xx feeds.

Law: every entry's example, or the test it names, ends in its code; a test runs them all. Reading is all or nothing.
"""

from __future__ import annotations

from tidelog.errors import DataError, EngineError, LimitError, StateError
from tidelog.errors.entry import FailureEntry

_EDGES = ".decl edge(x: number, y: number)\\n.input edge"


def _insert(program: str, rows: str) -> str:
    return f'db = Engine("{program}")\nwith db.epoch() as e:\n    e.insert("edge", {rows})\n'


def _run(content: str, name: str = "edge.facts", program: str = _EDGES) -> str:
    """A run that reads one file of facts; the contents are written as `printf` takes them."""
    return f"$ printf '{program}' > p.dl\n$ printf '{content}' > {name}\n$ tidelog run p.dl --runtime embedded -F .\n"


_NO_NULLS = "A value is always known: Datalog has no nulls, and an unknown fact is one that is not there."
_NULLS_HINT = (
    'Skip such rows with `nulls="skip"`, or replace the nulls of a column with `nulls="COLUMN=VALUE"`, in the '
    "`.input` directive or in the call."
)

NOT_A_VALUE = FailureEntry(
    "TL1001",
    DataError,
    "value that the column does not take",
    "{value} is not a value of type {type}",
    "Every column of a relation has one type, fixed by the program or by the first rows.",
    "Give a value of that type, or convert it before it is given.",
    'db = Engine("edge(1, 2). reach(X, Y) :- edge(X, Y).")\ndb.why(("edge", (1, "two")))\n',
)
NOT_A_VALUE_IN_ROW = FailureEntry(
    "TL1002",
    DataError,
    "row with a value that its column does not take",
    "{where}: {value} in row {row} is not a value of type {type}{advice}",
    "Every column of a relation has one type, fixed by the program or by the first rows.",
    "Convert the column before it is inserted.",
    _insert("reach(X, Y) :- edge(X, Y), X > 0.", "[(1, 2), ('one', 2)]"),
)
NULL = FailureEntry(
    "TL1003",
    DataError,
    "null",
    "{where}: row {row} is null; nulls are refused",
    _NO_NULLS,
    _NULLS_HINT,
    _insert("reach(X, Y) :- edge(X, Y).", "[(None, 2)]"),
)
ARROW_TYPE = FailureEntry(
    "TL1004",
    DataError,
    "column of an Arrow type that has no counterpart",
    "{where}: Arrow type {type} is not supported; {advice}",
    "Arrow columns of integers, floats, strings, booleans, dates, timestamps and lists have values of the language.",
    "",
    "import pyarrow as pa\n" + _insert("reach(X) :- edge(X).", "pa.table({'x': pa.array([1], pa.duration('s'))})"),
)
OUT_OF_RANGE = FailureEntry(
    "TL1005",
    DataError,
    "column with values beyond its type",
    "{where}: {error}",
    "A number lies between -2^63 and 2^63 - 1, an unsigned one between 0 and 2^64 - 1.",
    "Leave such rows out, or give the column as float or symbol.",
    'import pyarrow as pa\ndb = Engine(".decl edge(x: unsigned)")\nwith db.epoch() as e:\n'
    '    e.insert("edge", pa.table({"x": [-1]}))\n',
)
ARRAY_DIMENSIONS = FailureEntry(
    "TL1006",
    DataError,
    "array that is not a table",
    "{relation}: a numpy array of rows has one or two dimensions, this one has {dimensions}",
    "The first dimension of an array counts rows, the second columns; a vector or a structured array needs no second.",
    "Reshape it: `array.reshape(-1, 2)` has two columns.",
    "import numpy as np\n" + _insert("reach(X) :- edge(X).", "np.zeros((2, 2, 2))"),
)
NOT_ROWS = FailureEntry(
    "TL1007",
    DataError,
    "something that holds no rows",
    "{relation}: rows are tuples or dicts, an Arrow table or stream, a data frame or a numpy array, not {found}",
    "Rows are given one by one as tuples or dicts, or as a table of columns.",
    'Put a single row into a list: `e.insert("edge", [(1, 2)])`; make a table of columns: `pyarrow.table(columns)`.',
    _insert("reach(X, Y) :- edge(X, Y).", "'1, 2'"),
)
UNEVEN_ROW = FailureEntry(
    "TL1008",
    DataError,
    "row that is not a tuple as long as the others",
    "{relation}: row {number}, {shown}, is not a tuple of {columns} values as the first row",
    "All rows of a relation have the same number of columns.",
    "Correct the row, or insert it into the relation that has its columns.",
    _insert("reach(X, Y) :- edge(X, Y).", "[(1, 2), (3,)]"),
)
NOT_A_ROW = FailureEntry(
    "TL1010",
    DataError,
    "row that is no tuple",
    "{relation}: row {number}, {shown}, is not a tuple",
    "A row is a tuple or a list with a value for each column, also where there is one column.",
    "{advice}",
    _insert("reach(X) :- edge(X).", "[1, 2]"),
)
UNEVEN_NAMES = FailureEntry(
    "TL1011",
    DataError,
    "row that does not name the columns of the others",
    "{relation}: row {number}, {shown}, is not a dict with {names} as the first row",
    "Rows that name their columns all name the same ones.",
    "Give every row a value for each column.",
    _insert("reach(X, Y) :- edge(X, Y).", "[{'c1': 1, 'c2': 2}, {'c1': 3}]"),
)
OTHER_NAMES = FailureEntry(
    "TL1012",
    DataError,
    "rows that name other columns",
    "{relation}: these rows name {names}; the columns of `{relation}` are {own}",
    "Rows given as dicts name the columns of the relation: those declared, or `c1`, `c2` and so on.",
    "Name the columns as the relation does, declare the relation with these names, or give tuples.",
    _insert("reach(X, Y) :- edge(X, Y).", "[{'from': 1, 'to': 2}]"),
)
BROKEN_STREAM = FailureEntry(
    "TL1013",
    DataError,
    "Arrow stream that cannot be read",
    "{relation}: the rows of this {found} cannot be read: {error}",
    "Whatever speaks the Arrow PyCapsule protocol is read to its end before anything is inserted.",
    "Ask the library that made it; a reader can be read once.",
    test="tests/engine/test_arrow_stream.py::test_a_stream_that_breaks_is_told_and_nothing_is_inserted",
)
TOO_DEEP = FailureEntry(
    "TL1014",
    DataError,
    "list nested too deeply",
    "a list is nested more than {deepest} deep",
    "Lists may hold lists, to a depth that every part of the engine can follow.",
    "Give the parts as rows of a relation of their own.",
    "deep = ()\nfor _ in range(500):\n    deep = (deep,)\n" + _insert("reach(X) :- edge(X).", "[(deep,)]"),
)
NO_ARROW_TEXT = FailureEntry(
    "TL1015",
    DataError,
    "text that Arrow cannot hold",
    "{text} is no Unicode text: it holds half of a character (a lone surrogate), which Arrow cannot hold",
    "Arrow keeps texts as UTF-8. Python's strings may hold more, and so may relations; `rows()` gives them.",
    "Read the rows as tuples, or correct the text: `text.encode('utf-8', 'replace').decode()`.",
    "db = Engine('copy(X) :- name(X).')\nwith db.epoch() as e:\n    e.insert('name', [('\\ud800',)])\n"
    "db['copy'].to_arrow()\n",
)
SOME_NAMES = FailureEntry(
    "TL1016",
    DataError,
    "table with some of a relation's column names",
    "{where}: the columns are {found}, the relation has {names}: {problem}",
    "A table that has all column names of the relation is read by name, one that has none of them by position. "
    "Names are compared without case and surrounding blanks.",
    'Rename the columns. To read by position, pass tuples, or write `columns=` (such as `columns="0:1"`) in the '
    "`.input` directive.",
    'import pyarrow as pa\ndb = Engine(".decl edge(x: number, y: number)")\nwith db.epoch() as e:\n'
    '    e.insert("edge", pa.table({"y": [1], "z": [2]}))\n',
)
OTHER_COLUMNS = FailureEntry(
    "TL1017",
    DataError,
    "columns that the relation does not have",
    "{where}: ignored {extra}: `{relation}` has no such column",
    "A table that has all column names of the relation is read by name. Its other columns are ignored and reported.",
    "Select the columns of the relation to avoid this warning.",
    test="tests/io/test_match_names.py::test_columns_that_the_relation_does_not_have_are_reported",
)
POSSIBLE_HEADER = FailureEntry(
    "TL1018",
    DataError,
    "possible header line",
    "{where}: the first line, `{line}`, may be a header: {reason}; nothing was read",
    "In a `.csv` file a first line that equals the relation's column names is a header. Any other line that looks like "
    "one must be declared. A program with `.input` directives reads only the files that they name.",
    "Write `.input {relation}(headers=true)` if the line holds column names, or `headers=false` if it is a row.",
    _run("from,to\\na,b\\nb,c\\n", "edge.csv", "reach(X, Y) :- edge(X, Y)."),
)
NULL_POLICY = FailureEntry(
    "TL1019",
    DataError,
    "invalid null policy",
    "{where}: {problem} in nulls={policy!r}",
    "A null policy is `refuse`, `skip`, replacements such as `mgr=none`, or a list of these separated by commas.",
    "Write `skip` to leave out rows with nulls, or `COLUMN=VALUE` to replace the nulls of a column.",
    'db = Engine(".decl edge(x: number, y: number)")\nwith db.epoch() as e:\n'
    '    e.insert("edge", [(1, None)], nulls="drop")\n',
)
NULLS_HANDLED = FailureEntry(
    "TL1020",
    DataError,
    "nulls skipped or replaced",
    "{where}: {report}",
    "The null policy of the input asked for it.",
    "No action is needed.",
    test="tests/io/test_nulls.py::test_nulls_of_files_are_counted_and_reported",
)
NOT_READ = FailureEntry(
    "TL1009",
    DataError,
    "text that is no value of its column",
    "`{shown}` is not {expected}",
    "Cells of text files are read by the type of their column. Dates and timestamps are written as ISO 8601 has them, "
    "which programs write in quotes, and booleans `true`, `false`, `1` or `0`.",
    "Correct the cell, or declare the column `symbol`, which takes every text.",
    _run("1\\tfour\\n"),
)
NO_COLUMNS = FailureEntry(
    "TL1050",
    DataError,
    "cells for a relation without columns",
    "{where}:{number}: `{shown}`, but `{relation}` has no columns: expected `()`",
    "A relation without columns is true or not: its file is empty, or holds a line `()`.",
    "",
    _run("yes\\n", "raining.facts", ".decl raining()\\n.input raining"),
)
NOT_TEXT = FailureEntry(
    "TL1051",
    DataError,
    "file that is not UTF-8 text",
    "{where}:{line}: not UTF-8 text (byte 0x{byte:02x}); nothing was read",
    "Text files of facts are UTF-8; packed ones are unpacked if they begin as gzip does.",
    "Convert the file, for example with `iconv -f {encoding} -t utf-8`.",
    _run("\\351\\n", "name.facts", ".decl name(x: symbol)\\n.input name"),
)
LONG_LINE = FailureEntry(
    "TL1080",
    DataError,
    "line that is too long",
    "{path}: a line has more than {most:,} bytes; nothing was read",
    "A line is a row, and no text in it is longer than that.",
    "Look at the file: it may not be one of facts, or unpack to something else than it seems.",
    test="tests/io/test_budget.py::test_a_line_without_end_is_refused_before_it_is_unpacked",
)
TOO_MUCH_READ = FailureEntry(
    "TL3080",
    LimitError,
    "files that are larger than the limit of memory",
    "{path}: the files come to more than the limit of {limit:,} bytes; nothing was read",
    "`--limit-memory` bounds what is read too: the bytes of all files together, after they are unpacked.",
    "Raise the limit, or read fewer files.",
    "$ seq 1 1000 > n.facts\n$ printf '.decl n(x: number)\\n.input n\\n' > p.dl\n"
    "$ tidelog run p.dl --limit-memory 1kB --runtime embedded\n",
)
TOO_LONG_READ = FailureEntry(
    "TL3081",
    LimitError,
    "files that take longer than the limit of time",
    "{path}: reading takes longer than the limit of {limit:g} s; nothing was read",
    "`--limit-seconds` bounds the reading of all files, and then every epoch.",
    "Raise the limit, or read fewer files.",
    "$ seq 1 1000 > n.facts\n$ printf '.decl n(x: number)\\n.input n\\n' > p.dl\n"
    "$ tidelog run p.dl --limit-seconds 0 --runtime embedded\n",
)
QUOTED_DELIMITER = FailureEntry(
    "TL1052",
    DataError,
    "long delimiter in text with quotes",
    "{where}: text with quotes has a delimiter of one character, not `{delimiter}`",
    "RFC 4180 separates cells by one character.",
    "Give a delimiter of one character, or leave out `rfc4180=true`.",
    _run("1\\n", "edge.facts", '.decl edge(x: number)\\n.input edge(rfc4180=true, delimiter="||")'),
)
QUOTES = FailureEntry(
    "TL1053",
    DataError,
    "quotes that do not close",
    "{where}:{line}: {error}; nothing was read",
    'A cell that begins with a quote ends with one, and a quote inside it is written `""`.',
    "Correct the line, or read the file with `rfc4180=false`.",
    _run('"a"b\\n', "name.csv", '.decl name(x: symbol)\\n.input name(filename="name.csv")'),
)
CELLS = FailureEntry(
    "TL1054",
    DataError,
    "line with too few or too many cells",
    "{where}:{number}: {cells} separated by {told}, but `{relation}({names})` needs {least}{wanted}: "
    "`{shown}`{guess}; nothing was read",
    "Every line holds one row, with a cell for each column of the relation.",
    "Correct the line, name the delimiter (`delimiter=`), or pick columns (`columns=`) in the `.input` directive.",
    _run("1\\n"),
)
NOT_HELD = FailureEntry(
    "TL1055",
    DataError,
    "text that the file format cannot hold",
    "{where}: {text} of `{relation}` contains {name}, which this format cannot hold; "
    "use rfc4180=true, another delimiter, or IO=parquet",
    "Plain text has no quotes: a delimiter or line break inside a cell could not be told from one between cells.",
    "",
    "$ printf '.decl name(x: symbol)\\nname(\"a\\\\tb\").\\n.output name' > p.dl\n"
    "$ tidelog run p.dl --runtime embedded -D out\n",
)
NO_FOLDER = FailureEntry(
    "TL1056",
    DataError,
    "folder of facts that is not there",
    "no facts for `{relation}`: there is no folder {folder}",
    "An `.input` directive reads a file in the folder given with `-F`; by default that is the current folder.",
    "Give the folder that holds the files: `tidelog run PROGRAM -F FOLDER`.",
    f"$ printf '{_EDGES}' > p.dl\n$ tidelog run p.dl --runtime embedded -F nowhere\n",
)
NO_FILE = FailureEntry(
    "TL1057",
    DataError,
    "file of facts that is not there",
    "no facts for `{relation}`: {folder} has no file {name}; it has {shown}{unread}",
    "An `.input` directive reads the file it names, or one named after the relation.",
    "Name the file in the directive (`filename=`), or the folder with `-F`.",
    f"$ printf '{_EDGES}' > p.dl\n$ tidelog run p.dl --runtime embedded -F .\n",
)
NO_RESULTS = FailureEntry(
    "TL1087",
    DataError,
    "file of results not found",
    "no results for `{relation}`: {folder} has no file {name}",
    "A certificate covers all relations that have rules, auxiliary ones too, and needs the facts of each of them.",
    "Write the facts of the relation to this file. If it is empty, write an empty file.",
    "$ printf 'p(X) :- q(X).' > p.dl\n$ tidelog verify --facts . p.dl\n",
)
NO_FACTS_FOLDER = FailureEntry(
    "TL1075",
    DataError,
    "folder of facts not found",
    "there is no folder {folder}",
    "Files of facts are read from the folder given with `-F`; by default that is the current folder.",
    "Name the folder that holds the files: `tidelog run PROGRAM -F FOLDER`.",
    "$ printf 'reach(X, Y) :- edge(X, Y).' > p.dl\n$ tidelog run p.dl --runtime embedded -F nowhere\n",
)
UNREAD_FILE = FailureEntry(
    "TL1076",
    DataError,
    "file of facts that is not read",
    "{path} is not read: {reason}",
    "A program without `.input` directives reads the files that have the names of its relations.",
    "Rename the file, or name it in an `.input` directive (`filename=`).",
    test="tests/cli/test_input_files.py::test_a_file_that_fits_no_relation_is_reported_with_the_probable_name",
)
TRIPLE_COLUMNS = FailureEntry(
    "TL1058",
    DataError,
    "relation that triples do not fit",
    "{where}: triples have three columns, `{relation}` has {columns}",
    "N-Triples files fill three symbol columns: subject, predicate and object.",
    "Declare the relation with three symbol columns.",
    "$ printf 'reach(X) :- edge(X).' > p.dl\n$ printf '<urn:a> <urn:b> <urn:c> .\\n' > edge.nt\n"
    "$ tidelog run p.dl --runtime embedded -F .\n",
)
NEEDS_SPARK = FailureEntry(
    "TL1059",
    DataError,
    "input that Spark alone reads",
    "{where}: {what} needs Spark: run with `--runtime spark`",
    "Tables of a catalogue are read and written by Spark.",
    "",
    _run("", "edge.facts", ".decl edge(x: number)\\n.input edge(IO=table)"),
)
PICKED_COLUMNS = FailureEntry(
    "TL1060",
    DataError,
    "wrong number of picked columns",
    "{where}: columns= picks {picked}, `{relation}` has {columns}",
    "`columns=` names a column of the file for every column of the relation.",
    "Pick as many columns as the relation has.",
    _run("1\\t2\\n", "edge.facts", '.decl edge(x: number)\\n.input edge(columns="0:1")'),
)
NOT_OPENED = FailureEntry(
    "TL1061",
    DataError,
    "file that cannot be read",
    "{path}: {reason}",
    "A file of facts is read whole before anything is inserted.",
    "Check the file and its permissions.",
    "$ printf '.decl edge(x: number)\\n.input edge' > p.dl\n$ printf '\\037\\213broken' > edge.facts\n"
    "$ tidelog run p.dl --runtime embedded -F .\n",
)
NOT_PARQUET = FailureEntry(
    "TL1062",
    DataError,
    "file that is not Parquet",
    "{path}: not a Parquet file that can be read: {error}",
    "A file whose name ends in `.parquet`, or whose directive says `IO=parquet`, is read as Parquet.",
    "Write the file anew, or name its format in the directive.",
    _run("1\\n", "edge.parquet", '.decl edge(x: number)\\n.input edge(filename="edge.parquet")'),
)
PARQUET_COLUMNS = FailureEntry(
    "TL1063",
    DataError,
    "Parquet file with another number of columns",
    "{path}: {found} columns, but `{relation}` has {columns}",
    "Columns are taken by name if the names agree, else in their order; none is left over.",
    "Pick the columns in the directive (`columns=`).",
    test="tests/io/test_files.py::test_parquet_that_does_not_fit_is_refused",
)
PARQUET_TYPE = FailureEntry(
    "TL1064",
    DataError,
    "Parquet column of another type",
    "{where} holds {own}s, but `{relation}` expects {type}; nothing was read",
    "A column is read as the type it has; whole numbers may become floats, nothing else is converted.",
    "Declare the column of that type, or convert the file.",
    test="tests/io/test_files.py::test_parquet_that_does_not_fit_is_refused",
)
PARQUET_NULL = FailureEntry(
    "TL1065",
    DataError,
    "null in a Parquet file",
    "{where}: row {row} is null; nulls are refused; nothing was read",
    _NO_NULLS,
    _NULLS_HINT,
    test="tests/io/test_files.py::test_parquet_that_does_not_fit_is_refused",
)
NOT_WRITTEN = FailureEntry(
    "TL1066",
    DataError,
    "output file that cannot be written",
    "cannot write {path}: {reason}",
    "An output is written beside its place and then moved there, so an old file stays whole until then.",
    "Check the folder, its permissions and the space left.",
    "$ printf '.decl n(x: number)\\nn(1).\\n.output n' > p.dl\n$ touch out\n"
    "$ tidelog run p.dl --runtime embedded -D out\n",
)
OUTPUT_TRIPLES = FailureEntry(
    "TL1067",
    DataError,
    "view that cannot be written as triples",
    "{where}: triples need three symbol columns, `{relation}` has {types}",
    "N-Triples files hold a subject, a predicate and an object.",
    "Write the view as text, or make a view of three symbol columns.",
    "$ printf '.decl n(x: number)\\nn(1).\\n.output n(IO=ntriples)' > p.dl\n"
    "$ tidelog run p.dl --runtime embedded -D out\n",
)
NOT_A_STATEMENT = FailureEntry(
    "TL1068",
    DataError,
    "line that is no statement of N-Triples",
    "{where}:{number}: not a statement: `{shown}`; expected `subject predicate object .` with terms "
    'such as <http://a.example/b>, _:b1, "text"@en; nothing was read',
    "Every line of an N-Triples file is a statement, a comment or empty.",
    "",
    _run("a b c\\n", "edge.nt", "reach(X) :- edge(X, _, _)."),
)
TRIPLES_NOT_TEXT = FailureEntry(
    "TL1069",
    DataError,
    "file of triples that is not UTF-8 text",
    "{where}:{line}: not UTF-8 text; nothing was read",
    "N-Triples files are UTF-8.",
    "Convert the file, for example with `iconv -f {encoding} -t utf-8`.",
    _run('<urn:a> <urn:b> "\\351" .\\n', "edge.nt", "reach(X) :- edge(X, _, _)."),
)
NOT_A_TERM = FailureEntry(
    "TL1070",
    DataError,
    "value that is no term of N-Triples",
    "{where}: {term!r} is not a term of N-Triples; write this relation as text instead",
    "A term is an IRI in angle brackets, a blank node or a literal in quotes.",
    "",
    '$ printf \'.decl t(s: symbol, p: symbol, o: symbol)\\nt("a", "b", "c").\\n.output t(IO=ntriples)\' > p.dl\n'
    "$ tidelog run p.dl --runtime embedded -D out\n",
)
NOT_JSON = FailureEntry(
    "TL1071",
    DataError,
    "file that is not JSON",
    "{where}:{line}: not JSON: {error}; nothing was read",
    "A file of JSON holds rows one after the other, or one list of rows; a row is an object or a list of values.",
    "Correct the line, or name the format of the file in the directive (`IO=`).",
    _run('{"x": 1,}\\n', "edge.json", ".decl edge(x: number)\\n.input edge"),
)
JSON_ROW = FailureEntry(
    "TL1072",
    DataError,
    "JSON that is no row of its relation",
    "{where}:{line}: {found}, but `{relation}({names})` needs an object with these fields, or a list of their values; "
    "nothing was read",
    "Objects name the columns of the relation; lists have a value for each, in their order.",
    "Correct the line, or declare the relation with the fields of the file.",
    _run('{"y": 1}\\n', "edge.json", ".decl edge(x: number)\\n.input edge"),
)
JSON_VALUE = FailureEntry(
    "TL1073",
    DataError,
    "JSON that is no value of its column",
    "{where}:{line}: column `{name}`: {value} is not a value of type {type}; nothing was read",
    "Numbers, texts, lists and booleans of JSON are those of the column's type; dates are texts in ISO 8601, records "
    "and algebraic values texts such as `[1, nil]` and `$Leaf(1)`.",
    "Correct the value, or declare the column of its type.",
    _run('{"x": "four"}\\n', "edge.json", ".decl edge(x: number)\\n.input edge"),
)
NULL_IN_JSON = FailureEntry(
    "TL1074",
    DataError,
    "null in a file of JSON",
    "{where}:{line}: column `{name}` is null; nulls are refused; nothing was read",
    _NO_NULLS,
    _NULLS_HINT,
    _run('{"x": null}\\n', "edge.json", ".decl edge(x: number)\\n.input edge"),
)
FEED_NOT_READ = FailureEntry(
    "TL5001",
    StateError,
    "feed whose folder cannot be listed",
    "the feed of `{view}` in {folder} was not read: {error}",
    "A feed goes on after the last epoch that its folder holds.",
    "Check the folder and its permissions, then register the feed again.",
    'db = Engine("n(1).")\nPath("feed").touch()\ndb.write_feed("n", folder="feed")\n',
)
FEED_NOT_WRITTEN = FailureEntry(
    "TL5002",
    StateError,
    "feed that cannot be written",
    "the feed of `{view}` in {folder} was not written: {error}",
    "The epoch is committed; its changes come into the feed when the folder can be written again.",
    "Check the folder, its permissions and the space left.",
    test="tests/engine/test_feeds.py::test_half_an_epoch_of_a_feed_is_removed",
)
TABLE_NOT_WRITTEN = FailureEntry(
    "TL5003",
    StateError,
    "Parquet file that cannot be written",
    "cannot write {path}: {error}",
    "A file is written beside its place and then moved there.",
    "Check the folder, its permissions and the space left.",
    test="tests/spark/rows/test_decode.py::test_a_file_that_cannot_be_written_is_an_error_of_ours",
)
NO_FILE_SYSTEM = FailureEntry(
    "TL5004",
    StateError,
    "folder in an unknown file system",
    "{folder}: {error}; give a local folder or a URI that Arrow reads",
    "Folders are local paths, or URIs of the stores that Arrow knows: `file`, `s3`, `gs`, `hdfs`, `abfss`.",
    "",
    'db = Engine("n(1).")\ndb.write_feed("n", folder="nowhere://feed")\n',
)

NARROWER = FailureEntry(
    "TL1085",
    DataError,
    "values beyond the type that a column is given back as",
    "column `{name}` holds values beyond {type}: {error}",
    "Rows that went with a rule may hold more than the rules that are left let in.",
    "It is caught: such rows are given back in the natural type of their values.",
    test="tests/io/test_outside.py::test_values_beyond_the_type_of_a_column_are_told",
)
BEYOND_PYTHON = FailureEntry(
    "TL1086",
    DataError,
    "dates and times that Python does not know",
    "a {type} is outside of the years 1 to 9999, which Python's go to: as numbers they are {least} to {most}",
    "Dates are days and times are microseconds since 1970, in 64 bits; Python's own classes hold fewer.",
    "Read them by `to_arrow`, `to_numpy` or `to_spark`.",
    test="tests/io/test_outside.py::test_dates_that_python_does_not_know_are_told",
)
NO_PANDAS = FailureEntry(
    "TL4003",
    EngineError,
    "data frame without pandas",
    "`to_pandas` needs pandas: pip install 'tidelog[spark]', which brings it, or pandas alone",
    "An install without the extra `spark` has no pandas; Arrow tables need none.",
    test="tests/engine/test_bare_install.py::test_calls_say_in_one_line_what_to_install",
)
CHANGE_COLUMN = FailureEntry(
    "TL1501",
    DataError,
    "rows without their column of changes",
    "{relation}: no column `{change}` tells +1 or -1; the rows have {there}",
    "With `change=`, one column of the rows says which of them come and which go.",
    "Name a column that is there once.",
    test="tests/spark/rows/test_encode.py::test_each_row_may_say_whether_it_comes_or_goes",
)
CHANGE_TYPE = FailureEntry(
    "TL1502",
    DataError,
    "column of changes that holds no integers",
    "{relation}: the column `{change}` holds +1 or -1, not {type}",
    "With `change=`, one column of the rows says which of them come (+1) and which go (-1).",
    "Cast the column to int.",
    test="tests/spark/rows/test_encode.py::test_each_row_may_say_whether_it_comes_or_goes",
)
ROWS_REFUSED = FailureEntry(
    "TL1510",
    DataError,
    "rows that do not fit",
    "{relation}: {count} not fit; for example {example}: {reason}; nothing of the batch was applied",
    "Every value fits the type of its column, and none is null.",
    "Filter or convert the rows before they are inserted.",
    test="tests/spark/rows/test_encode.py::test_bad_rows_are_told_by_count_and_example_and_nothing_counts",
)
ENTRIES = (
    NOT_A_VALUE,
    NOT_A_VALUE_IN_ROW,
    NULL,
    ARROW_TYPE,
    OUT_OF_RANGE,
    ARRAY_DIMENSIONS,
    NOT_ROWS,
    UNEVEN_ROW,
    NOT_A_ROW,
    UNEVEN_NAMES,
    OTHER_NAMES,
    BROKEN_STREAM,
    TOO_DEEP,
    NO_ARROW_TEXT,
    SOME_NAMES,
    OTHER_COLUMNS,
    POSSIBLE_HEADER,
    NULL_POLICY,
    NULLS_HANDLED,
    NOT_READ,
    NO_COLUMNS,
    NOT_TEXT,
    LONG_LINE,
    TOO_MUCH_READ,
    TOO_LONG_READ,
    QUOTED_DELIMITER,
    QUOTES,
    CELLS,
    NOT_HELD,
    NO_FOLDER,
    NO_FILE,
    NO_RESULTS,
    NO_FACTS_FOLDER,
    UNREAD_FILE,
    TRIPLE_COLUMNS,
    NEEDS_SPARK,
    PICKED_COLUMNS,
    NOT_OPENED,
    NOT_PARQUET,
    PARQUET_COLUMNS,
    PARQUET_TYPE,
    PARQUET_NULL,
    NOT_WRITTEN,
    OUTPUT_TRIPLES,
    NOT_A_STATEMENT,
    TRIPLES_NOT_TEXT,
    NOT_A_TERM,
    NOT_JSON,
    JSON_ROW,
    JSON_VALUE,
    NULL_IN_JSON,
    FEED_NOT_READ,
    FEED_NOT_WRITTEN,
    TABLE_NOT_WRITTEN,
    NO_FILE_SYSTEM,
    NARROWER,
    BEYOND_PYTHON,
    NO_PANDAS,
    CHANGE_COLUMN,
    CHANGE_TYPE,
    ROWS_REFUSED,
)
