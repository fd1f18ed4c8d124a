"""The reasons for refusing rows and files of facts, by code: TL10xx rows, TL1050 and up files, TL50xx feeds.

Law: every entry's example, or the test it names, ends in its code; a test runs them all. Reading is all or nothing.
"""

from __future__ import annotations

from tidelog.errors import DataError, EngineError, LimitError, StateError
from tidelog.errors.entry import FailureEntry

_EDGES = ".decl edge(x: number, y: number)\\n.input edge"


def _insert(program: str, rows: str) -> str:
    return f'db = Engine("{program}")\nwith db.epoch() as e:\n    e.insert("edge", {rows})\n'


def _run(content: str, name: str = "edge.facts", program: str = _EDGES) -> str:
    """A run that reads one file of facts; the contents are an argument of `printf`."""
    return f"$ printf '{program}' > p.dl\n$ printf '{content}' > {name}\n$ tidelog run p.dl --runtime embedded -F .\n"


_NO_NULLS = "Datalog has no nulls: a fact is either present or absent."
_NULLS_HINT = (
    'Skip such rows with `nulls="skip"`, or replace the nulls of a column with `nulls="COLUMN=VALUE"`, in the '
    "`.input` directive or in the call."
)

NOT_A_VALUE = FailureEntry(
    "TL1001",
    DataError,
    "value does not match the column type",
    "{value} is not a value of type {type}",
    "Every column of a relation has one type, set by the program or by the first rows.",
    "Pass a value of that type, or convert it first.",
    'db = Engine("edge(1, 2). reach(X, Y) :- edge(X, Y).")\ndb.why(("edge", (1, "two")))\n',
)
NOT_A_VALUE_IN_ROW = FailureEntry(
    "TL1002",
    DataError,
    "row value does not match the column type",
    "{where}: {value} in row {row} is not a value of type {type}{advice}",
    "Every column of a relation has one type, set by the program or by the first rows.",
    "Convert the column before inserting it.",
    _insert("reach(X, Y) :- edge(X, Y), X > 0.", "[(1, 2), ('one', 2)]"),
)
NULL = FailureEntry(
    "TL1003",
    DataError,
    "null value",
    "{where}: row {row} is null; nulls are refused",
    _NO_NULLS,
    _NULLS_HINT,
    _insert("reach(X, Y) :- edge(X, Y).", "[(None, 2)]"),
)
ARROW_TYPE = FailureEntry(
    "TL1004",
    DataError,
    "unsupported Arrow type",
    "{where}: Arrow type {type} is not supported; {advice}",
    "Arrow columns of integers, floats, strings, booleans, dates, timestamps and lists can be inserted.",
    "",
    "import pyarrow as pa\n" + _insert("reach(X) :- edge(X).", "pa.table({'x': pa.array([1], pa.duration('s'))})"),
)
OUT_OF_RANGE = FailureEntry(
    "TL1005",
    DataError,
    "value out of range",
    "{where}: {error}",
    "A number is between -2^63 and 2^63 - 1, an unsigned number between 0 and 2^64 - 1. Timestamps have microseconds.",
    "Omit such rows, pass numbers as float or symbol, or round times, in pandas and Polars with `dt.round('us')`.",
    'import pyarrow as pa\ndb = Engine(".decl edge(x: unsigned)")\nwith db.epoch() as e:\n'
    '    e.insert("edge", pa.table({"x": [-1]}))\n',
)
ARRAY_DIMENSIONS = FailureEntry(
    "TL1006",
    DataError,
    "array with too many dimensions",
    "{relation}: a numpy array of rows has one or two dimensions; this one has {dimensions}",
    "The first dimension of an array contains the rows, the second the columns. A vector and a structured array have "
    "one dimension.",
    "Reshape the array: `array.reshape(-1, 2)` has two columns.",
    "import numpy as np\n" + _insert("reach(X) :- edge(X).", "np.zeros((2, 2, 2))"),
)
NOT_ROWS = FailureEntry(
    "TL1007",
    DataError,
    "not a collection of rows",
    "{relation}: rows are tuples or dicts, an Arrow table or stream, a data frame or a numpy array, not {found}",
    "Rows are passed one by one as tuples or dicts, or together as a table of columns.",
    'Put a single row into a list: `e.insert("edge", [(1, 2)])`; make a table of columns: `pyarrow.table(columns)`.',
    _insert("reach(X, Y) :- edge(X, Y).", "'1, 2'"),
)
UNEVEN_ROW = FailureEntry(
    "TL1008",
    DataError,
    "rows with different numbers of columns",
    "{relation}: row {number}, {shown}, is not a tuple of {columns:1 value} like the first row",
    "All rows of a relation have the same number of columns.",
    "Correct the row, or insert it into the relation it belongs to.",
    _insert("reach(X, Y) :- edge(X, Y).", "[(1, 2), (3,)]"),
)
NOT_A_ROW = FailureEntry(
    "TL1010",
    DataError,
    "row is not a tuple",
    "{relation}: row {number}, {shown}, is not a tuple",
    "A row is a tuple or a list with a value for each column, even if there is only one column.",
    "{advice}",
    _insert("reach(X) :- edge(X).", "[1, 2]"),
)
UNEVEN_NAMES = FailureEntry(
    "TL1011",
    DataError,
    "rows with different column names",
    "{relation}: row {number}, {shown}, is not a dict with {names} like the first row",
    "Rows passed as dicts must all have the same keys.",
    "Set a value for each column in every row.",
    _insert("reach(X, Y) :- edge(X, Y).", "[{'c1': 1, 'c2': 2}, {'c1': 3}]"),
)
OTHER_NAMES = FailureEntry(
    "TL1012",
    DataError,
    "unknown column names",
    "{relation}: these rows have the columns {names}; the columns of `{relation}` are {own}",
    "Rows passed as dicts use the column names of the relation: the declared names, those of its first rule, or "
    "`c1`, `c2` and so on.",
    "Use the column names of the relation, declare the relation with these names, or pass tuples.",
    _insert("reach(X, Y) :- edge(X, Y).", "[{'from': 1, 'to': 2}]"),
)
BROKEN_STREAM = FailureEntry(
    "TL1013",
    DataError,
    "cannot read the Arrow stream",
    "{relation}: cannot read the rows of this {found}: {error}",
    "An object with the Arrow PyCapsule interface is read to its end before anything is inserted.",
    "Check the library that created the object. A record batch reader can be read only once.",
    test="tests/engine/test_arrow_stream.py::test_a_stream_that_breaks_is_told_and_nothing_is_inserted",
)
TOO_DEEP = FailureEntry(
    "TL1014",
    DataError,
    "list nested too deeply",
    "a list is nested more than {deepest} levels deep",
    "Lists may contain lists up to a fixed depth.",
    "Store the parts as rows of a separate relation.",
    "deep = ()\nfor _ in range(500):\n    deep = (deep,)\n" + _insert("reach(X) :- edge(X).", "[(deep,)]"),
)
NO_ARROW_TEXT = FailureEntry(
    "TL1015",
    DataError,
    "invalid Unicode text",
    "{text} is not valid Unicode: it contains half of a character (a lone surrogate), which Arrow cannot store",
    "Arrow stores text as UTF-8. Python strings and relations may contain lone surrogates, and `rows()` returns them.",
    "Read the rows as tuples, or correct the text: `text.encode('utf-8', 'replace').decode()`.",
    "db = Engine('copy(X) :- name(X).')\nwith db.epoch() as e:\n    e.insert('name', [('\\ud800',)])\n"
    "db['copy'].to_arrow()\n",
)
SOME_NAMES = FailureEntry(
    "TL1016",
    DataError,
    "table has only some of the column names",
    "{where}: the columns are {found}, but the relation has {names}: {problem}",
    "A table that has all column names of the relation is read by name; a table that has none of them is read "
    "by position. Names are compared ignoring case and surrounding blanks.",
    'Rename the columns. To read by position, pass tuples, or write `columns=` (such as `columns="0:1"`) in the '
    "`.input` directive.",
    'import pyarrow as pa\ndb = Engine(".decl edge(x: number, y: number)")\nwith db.epoch() as e:\n'
    '    e.insert("edge", pa.table({"y": [1], "z": [2]}))\n',
)
OTHER_COLUMNS = FailureEntry(
    "TL1017",
    DataError,
    "extra columns ignored",
    "{where}: ignored {extra}: `{relation}` has no such column",
    "A table that has all column names of the relation is read by name. Its other columns are ignored with "
    "this warning.",
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
    "Write `.input {relation}(headers=true)` if the line contains column names, or `headers=false` if it is a row.",
    _run("from,to\\na,b\\nb,c\\n", "edge.csv", "reach(X, Y) :- edge(X, Y)."),
)
SEMICOLONS = FailureEntry(
    "TL1079",
    DataError,
    "possible semicolons between columns",
    "{where}: the columns seem to be separated by semicolons, as Excel writes them in many countries: the first line "
    "is `{line}`; nothing was read",
    "A `.csv` file is read with commas between columns. Numbers are written with a decimal point: `1.5`, not `1,5`.",
    'Write `.input {relation}(delimiter=";")`, or `delimiter=","` if the semicolons belong to the values. Replace '
    "decimal commas by points.",
    _run("a;1,5\\nb;2,5\\n", "edge.csv"),
)
NULL_POLICY = FailureEntry(
    "TL1019",
    DataError,
    "invalid null policy",
    "{where}: {problem} in nulls={policy!r}",
    "A null policy is `refuse`, `skip`, replacements such as `mgr=none`, or a list of these separated by commas.",
    "Write `skip` to skip rows with nulls, or `COLUMN=VALUE` to replace the nulls of a column.",
    'db = Engine(".decl edge(x: number, y: number)")\nwith db.epoch() as e:\n'
    '    e.insert("edge", [(1, None)], nulls="drop")\n',
)
NULLS_HANDLED = FailureEntry(
    "TL1020",
    DataError,
    "nulls skipped or replaced",
    "{where}: {report}",
    "The null policy of this input skips or replaces nulls.",
    "No action is needed.",
    test="tests/io/test_nulls.py::test_nulls_of_files_are_counted_and_reported",
)
NOT_READ = FailureEntry(
    "TL1009",
    DataError,
    "text does not match the column type",
    "`{shown}` is not {expected}",
    "The cells of a text file are parsed as the type of their column. Dates and timestamps use ISO 8601 (in "
    "programs, they are quoted), and booleans are `true`, `false`, `1` or `0`.",
    "Correct the cell, or declare the column as `symbol`, which accepts any text.",
    _run("1\\tfour\\n"),
)
NO_COLUMNS = FailureEntry(
    "TL1050",
    DataError,
    "cells for a relation without columns",
    "{where}:{number}: `{shown}`, but `{relation}` has no columns: expected `()`",
    "A relation without columns is either true or false: its file is empty, or contains the line `()`.",
    "",
    _run("yes\\n", "raining.facts", ".decl raining()\\n.input raining"),
)
NOT_TEXT = FailureEntry(
    "TL1051",
    DataError,
    "text file is not UTF-8",
    "{where}:{line}: not UTF-8 text (byte 0x{byte:02x}); nothing was read",
    "Text files with facts are UTF-8. Files compressed with gzip are recognised by their first bytes.",
    "{advice}",
    _run("\\351\\n", "name.facts", ".decl name(x: symbol)\\n.input name"),
)
LONG_LINE = FailureEntry(
    "TL1080",
    DataError,
    "line too long",
    "{path}: a line has more than {most:,} bytes; nothing was read",
    "Each line is one row, and the length of a line is limited.",
    "Check that the file contains facts and, if it is compressed, that it decompresses to the expected text.",
    test="tests/io/test_budget.py::test_a_line_without_end_is_refused_before_it_is_unpacked",
)
TOO_MUCH_READ = FailureEntry(
    "TL3080",
    LimitError,
    "files larger than the memory limit",
    "{path}: the files are larger than the memory limit of {limit:,} bytes; nothing was read",
    "`--limit-memory` also limits the total size of all input files after decompression.",
    "Raise the limit, or read fewer files.",
    "$ seq 1 1000 > n.facts\n$ printf '.decl n(x: number)\\n.input n\\n' > p.dl\n"
    "$ tidelog run p.dl --limit-memory 1kB --runtime embedded\n",
)
TOO_LONG_READ = FailureEntry(
    "TL3081",
    LimitError,
    "time limit exceeded while reading files",
    "{path}: reading exceeded the time limit of {limit:g} s; nothing was read",
    "`--limit-seconds` limits the time for reading all files, and the time of every epoch.",
    "Raise the limit, or read fewer files.",
    "$ seq 1 1000 > n.facts\n$ printf '.decl n(x: number)\\n.input n\\n' > p.dl\n"
    "$ tidelog run p.dl --limit-seconds 0 --runtime embedded\n",
)
QUOTED_DELIMITER = FailureEntry(
    "TL1052",
    DataError,
    "delimiter too long for quoted text",
    "{where}: text with quotes needs a delimiter of one character, not `{delimiter}`",
    "In RFC 4180, cells are separated by a single character.",
    "Use a delimiter of one character, or omit `rfc4180=true`.",
    _run("1\\n", "edge.facts", '.decl edge(x: number)\\n.input edge(rfc4180=true, delimiter="||")'),
)
QUOTES = FailureEntry(
    "TL1053",
    DataError,
    "unclosed quote",
    "{where}:{line}: {error}; nothing was read",
    'A cell that starts with a quote ends with a quote, and a quote inside it is written `""`.',
    "Correct the line, or read the file with `rfc4180=false`.",
    _run('"a"b\\n', "name.csv", '.decl name(x: symbol)\\n.input name(filename="name.csv")'),
)
CELLS = FailureEntry(
    "TL1054",
    DataError,
    "wrong number of cells in a line",
    "{where}:{number}: {cells} separated by {separator}, but `{relation}({names})` needs {least}{wanted}: "
    "`{shown}`{guess}; nothing was read",
    "Every line is one row, with a cell for each column of the relation.",
    "Correct the line, set the delimiter (`delimiter=`), or select columns (`columns=`) in the `.input` directive.",
    _run("1\\n"),
)
NOT_HELD = FailureEntry(
    "TL1055",
    DataError,
    "text contains a delimiter or line break",
    "{where}: {text} of `{relation}` contains {name}, which this format cannot represent; use rfc4180=true, "
    "another delimiter, or IO=parquet",
    "Plain text has no quotes, so a delimiter or line break inside a cell could not be distinguished from one "
    "between cells.",
    "",
    "$ printf '.decl name(x: symbol)\\nname(\"a\\\\tb\").\\n.output name' > p.dl\n"
    "$ tidelog run p.dl --runtime embedded -D out\n",
)
NO_FOLDER = FailureEntry(
    "TL1056",
    DataError,
    "fact folder not found",
    "no facts for `{relation}`: there is no folder {folder}",
    "An `.input` directive reads a file in the folder given with `-F`, by default the current folder.",
    "Pass the folder that contains the files: `tidelog run PROGRAM -F FOLDER`.",
    f"$ printf '{_EDGES}' > p.dl\n$ tidelog run p.dl --runtime embedded -F nowhere\n",
)
NO_FILE = FailureEntry(
    "TL1057",
    DataError,
    "fact file not found",
    "no facts for `{relation}`: {folder} has no file {name}; it has {shown}{unread}",
    "An `.input` directive reads the file it names, by default a file named after the relation.",
    "Set the file name in the directive (`filename=`), or the folder with `-F`.",
    f"$ printf '{_EDGES}' > p.dl\n$ tidelog run p.dl --runtime embedded -F .\n",
)
NO_RESULTS = FailureEntry(
    "TL1087",
    DataError,
    "file of results not found",
    "no results for `{relation}`: {folder} has no file {name}",
    "A certificate covers all relations that have rules, including auxiliary ones, and needs the facts of each one.",
    "Write the facts of the relation to this file. If it is empty, write an empty file.",
    "$ printf 'p(X) :- q(X).' > p.dl\n$ tidelog verify --facts . p.dl\n",
)
NO_FACTS_FOLDER = FailureEntry(
    "TL1075",
    DataError,
    "fact folder not found",
    "there is no folder {folder}",
    "Fact files are read from the folder given with `-F`, by default the current folder.",
    "Pass the folder that contains the files: `tidelog run PROGRAM -F FOLDER`.",
    "$ printf 'reach(X, Y) :- edge(X, Y).' > p.dl\n$ tidelog run p.dl --runtime embedded -F nowhere\n",
)
UNREAD_FILE = FailureEntry(
    "TL1076",
    DataError,
    "fact file ignored",
    "{path} is not read: {reason}",
    "A program without `.input` directives reads the files named after its relations.",
    "Rename the file, or name it in an `.input` directive (`filename=`).",
    test="tests/cli/test_input_files.py::test_a_file_that_fits_no_relation_is_reported_with_the_probable_name",
)
TRIPLE_COLUMNS = FailureEntry(
    "TL1058",
    DataError,
    "wrong number of columns for RDF statements",
    "{where}: IO={kind} fills {needed} columns, but `{relation}` has {columns}",
    "N-Triples and Turtle fill three symbol columns: subject, predicate and object. N-Quads and TriG have a fourth "
    "one, the name of the graph.",
    "Declare the relation with as many symbol columns.",
    "$ printf 'reach(X) :- edge(X).' > p.dl\n$ printf '<urn:a> <urn:b> <urn:c> .\\n' > edge.nt\n"
    "$ tidelog run p.dl --runtime embedded -F .\n",
)
NEEDS_SPARK = FailureEntry(
    "TL1059",
    DataError,
    "input requires Spark",
    "{where}: {what} requires Spark; run with `--runtime spark`",
    "Catalog tables are read and written by Spark.",
    "",
    _run("", "edge.facts", ".decl edge(x: number)\\n.input edge(IO=table)"),
)
PICKED_COLUMNS = FailureEntry(
    "TL1060",
    DataError,
    "wrong number of selected columns",
    "{where}: columns= selects {picked}, but `{relation}` has {columns}",
    "`columns=` selects one column of the file for each column of the relation.",
    "Select as many columns as the relation has.",
    _run("1\\t2\\n", "edge.facts", '.decl edge(x: number)\\n.input edge(columns="0:1")'),
)
NOT_OPENED = FailureEntry(
    "TL1061",
    DataError,
    "cannot read the file",
    "{path}: {reason}",
    "A fact file is read completely before anything is inserted.",
    "Check the file and its permissions.",
    "$ printf '.decl edge(x: number)\\n.input edge' > p.dl\n$ printf '\\037\\213broken' > edge.facts\n"
    "$ tidelog run p.dl --runtime embedded -F .\n",
)
NOT_PARQUET = FailureEntry(
    "TL1062",
    DataError,
    "invalid Parquet file",
    "{path}: cannot read this as a Parquet file: {error}",
    "A file is read as Parquet if its name ends in `.parquet` or its directive contains `IO=parquet`.",
    "Create the file again, or set its format in the directive.",
    _run("1\\n", "edge.parquet", '.decl edge(x: number)\\n.input edge(filename="edge.parquet")'),
)
PARQUET_COLUMNS = FailureEntry(
    "TL1063",
    DataError,
    "wrong number of Parquet columns",
    "{path}: {found:1 column}, but `{relation}` has {columns}",
    "Columns are matched by name if the names agree. Otherwise they are matched by position, and their numbers must "
    "be equal.",
    "Select the columns in the directive (`columns=`).",
    test="tests/io/test_files.py::test_parquet_that_does_not_fit_is_refused",
)
PARQUET_TYPE = FailureEntry(
    "TL1064",
    DataError,
    "Parquet column type mismatch",
    "{where} contains {own}s, but `{relation}` expects {type}; nothing was read",
    "Columns are read with the type they have in the file. Only integers are converted, to floats.",
    "Declare the column with that type, or convert the file.",
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
    "cannot write the output file",
    "cannot write {path}: {reason}",
    "An output is written to a temporary file and then renamed, so an existing file stays intact until then.",
    "Check the folder, its permissions and the free space.",
    "$ printf '.decl n(x: number)\\nn(1).\\n.output n' > p.dl\n$ touch out\n"
    "$ tidelog run p.dl --runtime embedded -D out\n",
)
OUTPUT_TRIPLES = FailureEntry(
    "TL1067",
    DataError,
    "view cannot be written as RDF statements",
    "{where}: IO={kind} needs {needed} symbol columns, but `{relation}` has {types}",
    "N-Triples and Turtle contain a subject, a predicate and an object per statement, N-Quads and TriG also a graph.",
    "Write the view as text, or define a view with as many symbol columns.",
    "$ printf '.decl n(x: number)\\nn(1).\\n.output n(IO=ntriples)' > p.dl\n"
    "$ tidelog run p.dl --runtime embedded -D out\n",
)
NOT_A_STATEMENT = FailureEntry(
    "TL1068",
    DataError,
    "invalid N-Triples statement",
    "{where}:{number}: not a statement: `{shown}`; expected `subject predicate object .` with terms "
    'such as <http://a.example/b>, _:b1, "text"@en; nothing was read',
    "Every line of an N-Triples file is a statement, a comment or empty.",
    "",
    _run("a b c\\n", "edge.nt", "reach(X) :- edge(X, _, _)."),
)
TRIPLES_NOT_TEXT = FailureEntry(
    "TL1069",
    DataError,
    "RDF file is not UTF-8",
    "{where}:{line}: not UTF-8 text; nothing was read",
    "N-Triples and N-Quads files are UTF-8.",
    "Convert the file, for example with `iconv -f {encoding} -t utf-8`.",
    _run('<urn:a> <urn:b> "\\351" .\\n', "edge.nt", "reach(X) :- edge(X, _, _)."),
)
NOT_A_QUAD = FailureEntry(
    "TL1095",
    DataError,
    "invalid N-Quads statement",
    "{where}:{number}: not a statement: `{shown}`; expected `subject predicate object graph .`, where the graph can be "
    'left out, with terms such as <http://a.example/b>, _:b1, "text"@en; nothing was read',
    "Every line of an N-Quads file is a statement, a comment or empty.",
    "",
    _run("a b c\\n", "edge.nq", "reach(X) :- edge(X, _, _, _)."),
)
NOT_TURTLE = FailureEntry(
    "TL1096",
    DataError,
    "invalid Turtle or TriG",
    "{where}:{line}:{column}: not {format}: {reason}; nothing was read",
    "The file is read as Turtle or TriG of RDF 1.1. Relative IRIs need a base: `@base` in the file, or the parameter "
    "`base` of `.input`.",
    "",
    _run("<urn:a> <urn:b> .\\n", "edge.ttl", "reach(X) :- edge(X, _, _)."),
)
RDF_12 = FailureEntry(
    "TL1097",
    DataError,
    "term of RDF 1.2",
    "{where}: {term} is a term of RDF 1.2, which is not supported; nothing was read",
    "Terms are those of RDF 1.1: IRIs, blank nodes, and literals without a base direction.",
    "Describe the statement by a node with `rdf:subject`, `rdf:predicate` and `rdf:object`.",
    _run('<urn:a> <urn:b> "c"@en--ltr .\\n', "edge.ttl", "reach(X) :- edge(X, _, _)."),
)
NEEDS_RDF = FailureEntry(
    "TL1098",
    DataError,
    "Turtle and TriG need the extra `rdf`",
    "{where}: Turtle and TriG need pyoxigraph; install it with `pip install 'tidelog[rdf]'`",
    "N-Triples and N-Quads are read and written without it.",
    "Install the extra, or convert the file to N-Triples (`.nt`) or N-Quads (`.nq`).",
    test="tests/io/test_turtle.py::test_without_the_extra_the_error_names_it",
)
NOT_TURTLE_TERMS = FailureEntry(
    "TL1099",
    DataError,
    "view cannot be written as Turtle or TriG",
    "{where}: {reason}: {line}",
    "In Turtle and TriG, IRIs are absolute.",
    "Write the view as N-Triples or N-Quads, or correct the terms.",
    '$ printf \'.decl t(s: symbol, p: symbol, o: symbol)\\nt("<a>", "<b>", "<c>").\\n.output t(IO=turtle)\' > p.dl\n'
    "$ tidelog run p.dl --runtime embedded -D out\n",
)
NOT_IN_PLACE = FailureEntry(
    "TL1094",
    DataError,
    "term in the wrong place of a statement",
    "{where}: {term} cannot be the {part} of a statement",
    "A subject is an IRI or a blank node, a predicate is an IRI, an object is any term.",
    "Write this relation as text, or exclude such rows, for example with `rdf_is_literal`.",
    '$ printf \'.decl t(s: symbol, p: symbol, o: symbol)\\nt("_:a", "_:b", "_:c").\\n.output t(IO=ntriples)\' > p.dl\n'
    "$ tidelog run p.dl --runtime embedded -D out\n",
)
NOT_A_TERM = FailureEntry(
    "TL1070",
    DataError,
    "value is not an N-Triples term",
    "{where}: {term!r} is not an N-Triples term; write this relation as text instead",
    "A term is an IRI in angle brackets, a blank node or a quoted literal.",
    "",
    '$ printf \'.decl t(s: symbol, p: symbol, o: symbol)\\nt("a", "b", "c").\\n.output t(IO=ntriples)\' > p.dl\n'
    "$ tidelog run p.dl --runtime embedded -D out\n",
)
NOT_JSON = FailureEntry(
    "TL1071",
    DataError,
    "invalid JSON",
    "{where}:{line}: not JSON: {error}; nothing was read",
    "A JSON file contains a sequence of rows or one list of rows. A row is an object or a list of values.",
    "Correct the line, or set the format of the file in the directive (`IO=`).",
    _run('{"x": 1,}\\n', "edge.json", ".decl edge(x: number)\\n.input edge"),
)
JSON_ROW = FailureEntry(
    "TL1072",
    DataError,
    "JSON value is not a row",
    "{where}:{line}: {found}, but `{relation}({names})` needs an object with these fields, or a list of their values; "
    "nothing was read",
    "Objects use the column names of the relation; lists have a value for each column, in order.",
    "Correct the line, or declare the relation with the fields of the file.",
    _run('{"y": 1}\\n', "edge.json", ".decl edge(x: number)\\n.input edge"),
)
JSON_PATH = FailureEntry(
    "TL1088",
    DataError,
    "JSON path selects nothing",
    "{where}: the path `{path}` selects nothing: {missing}; nothing was read",
    "A path selects the rows of a JSON document: `.name` is a field, `[0]` an element, `[*]` all elements.",
    "Correct the path in the `.input` directive.",
    _run('{"items": []}\\n', "edge.json", '.decl edge(x: number)\\n.input edge(path="edges[*]")'),
)
JSON_PATH_STEP = FailureEntry(
    "TL1089",
    DataError,
    "JSON path does not apply",
    "{where}:{line}: the path `{path}` expects {expected}; nothing was read",
    "Fields are selected in objects (`.name`), elements in lists (`[0]`, `[*]`).",
    "Correct the path in the `.input` directive.",
    _run('{"edges": 1}\\n', "edge.json", '.decl edge(x: number)\\n.input edge(path="edges[*]")'),
)
JSON_VALUE = FailureEntry(
    "TL1073",
    DataError,
    "JSON value does not match the column type",
    "{where}:{line}: column `{name}`: {value} is not a value of type {type}; nothing was read",
    "JSON numbers, strings, lists and booleans are read as the type of the column. Dates are strings in ISO "
    "8601; records and algebraic values are strings such as `[1, nil]` and `$Leaf(1)`.",
    "Correct the value, or declare the column with its type.",
    _run('{"x": "four"}\\n', "edge.json", ".decl edge(x: number)\\n.input edge"),
)
NULL_IN_JSON = FailureEntry(
    "TL1074",
    DataError,
    "null in a JSON file",
    "{where}:{line}: column `{name}` is null; nulls are refused; nothing was read",
    _NO_NULLS,
    _NULLS_HINT,
    _run('{"x": null}\\n', "edge.json", ".decl edge(x: number)\\n.input edge"),
)
FEED_NOT_READ = FailureEntry(
    "TL5001",
    StateError,
    "cannot list the folder of a feed",
    "the feed of `{view}` in {folder} was not read: {error}",
    "A feed continues after the last epoch in its folder.",
    "Check the folder and its permissions, then register the feed again.",
    'db = Engine("n(1).")\nPath("feed").touch()\ndb.write_feed("n", folder="feed")\n',
)
FEED_NOT_WRITTEN = FailureEntry(
    "TL5002",
    StateError,
    "cannot write the feed",
    "the feed of `{view}` in {folder} was not written: {error}",
    "The epoch is committed. Its changes are added to the feed once the folder is writable again.",
    "Check the folder, its permissions and the free space.",
    test="tests/engine/test_feeds.py::test_half_an_epoch_of_a_feed_is_removed",
)
TABLE_NOT_WRITTEN = FailureEntry(
    "TL5003",
    StateError,
    "cannot write the Parquet file",
    "cannot write {path}: {error}",
    "A file is written under a temporary name and then renamed.",
    "Check the folder, its permissions and the free space.",
    test="tests/spark/rows/test_decode.py::test_a_file_that_cannot_be_written_is_an_error_of_ours",
)
NO_FILE_SYSTEM = FailureEntry(
    "TL5004",
    StateError,
    "unknown file system",
    "{folder}: {error}; use a local folder or a URI that Arrow supports",
    "A folder is a local path or a URI that Arrow supports: `file`, `s3`, `gs`, `hdfs`, `abfss`.",
    "",
    'db = Engine("n(1).")\ndb.write_feed("n", folder="nowhere://feed")\n',
)

NARROWER = FailureEntry(
    "TL1085",
    DataError,
    "value out of range of its column type",
    "column `{name}` contains values out of range for {type}: {error}",
    "Rows of a removed rule may contain values that the remaining rules would not accept.",
    "No action is needed: such rows are returned with the natural type of their values.",
    test="tests/io/test_outside.py::test_values_beyond_the_type_of_a_column_are_reported",
)
BEYOND_PYTHON = FailureEntry(
    "TL1086",
    DataError,
    "date or time outside Python's range",
    "a {type} is outside the years 1 to 9999, the range of Python's dates and times: as numbers, the values "
    "are {least} to {most}",
    "Dates are stored as days and times as microseconds since 1970, in 64 bits. Python's classes have a smaller range.",
    "Read the rows with `to_arrow`, `to_numpy` or `to_spark`.",
    test="tests/io/test_outside.py::test_dates_that_python_does_not_know_are_reported",
)
NO_PANDAS = FailureEntry(
    "TL4003",
    EngineError,
    "pandas is not installed",
    "`to_pandas` needs pandas; install it with `pip install 'tidelog[spark]'` or `pip install pandas`",
    "pandas is installed only with the extra `spark`. Arrow tables do not need it.",
    test="tests/engine/test_bare_install.py::test_calls_say_in_one_line_what_to_install",
)
CHANGE_COLUMN = FailureEntry(
    "TL1501",
    DataError,
    "missing change column",
    "{relation}: expected one column `{change}` with +1 or -1, or kinds of change; the rows have {there}",
    "With `change=`, one column marks the rows to insert (+1) and the rows to delete (-1).",
    "Choose a column that occurs exactly once.",
    test="tests/spark/rows/test_encode.py::test_each_row_may_say_whether_it_comes_or_goes",
)
CHANGE_TYPE = FailureEntry(
    "TL1502",
    DataError,
    "change column is neither an integer nor a text",
    "{relation}: the column `{change}` must contain +1 or -1, or kinds of change such as `insert`, not {type}",
    "With `change=`, one column marks the rows to insert (+1) and the rows to delete (-1).",
    "Cast the column to int.",
    test="tests/spark/rows/test_encode.py::test_each_row_may_say_whether_it_comes_or_goes",
)
ROWS_REFUSED = FailureEntry(
    "TL1510",
    DataError,
    "rows do not match the relation",
    "{relation}: {count} not fit; for example {example}: {reason}; no row of the batch was applied",
    "Every value must have the type of its column and must not be null.",
    "Filter or convert the rows before inserting them.",
    test="tests/spark/rows/test_encode.py::test_bad_rows_are_reported_by_count_and_example_and_nothing_counts",
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
    SEMICOLONS,
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
    NOT_A_QUAD,
    NOT_TURTLE,
    RDF_12,
    NEEDS_RDF,
    NOT_TURTLE_TERMS,
    NOT_IN_PLACE,
    TRIPLES_NOT_TEXT,
    NOT_A_TERM,
    NOT_JSON,
    JSON_ROW,
    JSON_PATH,
    JSON_PATH_STEP,
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
