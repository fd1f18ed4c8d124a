"""Which files a program means, how each is read, how views are written, and types of open columns."""

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from tidelog.errors import DataError, ProgramError
from tidelog.io.files import InputFile, find_inputs, output_path, read_input, write_output
from tidelog.io.io_catalogue import ENTRIES
from tidelog.io.open_columns import settle_types
from tidelog.io.parameters import Layout, layout_of
from tidelog.program.check import check_program
from tidelog.syntax import parse_program

NAMES, TYPES = ("x", "y"), ("number", "symbol")


def inputs(text, folder):
    checked = check_program(parse_program(text))
    return find_inputs(checked.program, checked.schema, folder)


def read(path, layout=None, types=TYPES):
    data = read_input(InputFile("edge", path, layout or Layout()), NAMES[: len(types)], types)
    return data if isinstance(data, list) else list(zip(*(c.to_pylist() for c in data.columns), strict=True))


def layout(text):
    return layout_of(parse_program(text).directives[0])


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.code)
def test_every_code_has_an_example_that_produces_it(entry, tmp_path):
    with pytest.raises(ProgramError) as error:
        inputs(entry.example, tmp_path)
    assert [d.code for d in error.value.diagnostics] == [entry.code]
    assert error.value.diagnostics[0].span is not None


def test_all_mistakes_of_a_directive_are_reported_at_once():
    with pytest.raises(ProgramError) as error:
        layout('.input e(IO=xml, headers=maybe, depth=3, delimiter="", columns="a:b")')
    assert sorted(d.code for d in error.value.diagnostics) == ["TL920", "TL921", "TL922", "TL922", "TL922"]


def test_files_are_looked_for_in_order_of_their_endings(tmp_path):
    for name in ("edge.parquet", "edge.csv", "edge.facts.gz", "other.facts", "reach.facts"):
        (tmp_path / name).touch()
    found = inputs("reach(X) :- edge(X), !gone(X).", tmp_path)
    assert [(f.relation, f.path.name) for f in found] == [("edge", "edge.facts.gz")]


def test_directive_takes_another_ending_if_facts_are_not_there(tmp_path):
    (tmp_path / "edge.csv").touch()
    assert inputs(".input edge\np(X) :- edge(X).", tmp_path)[0].path.name == "edge.csv"
    with pytest.raises(DataError, match=r"has no file edge\.parquet; it has edge\.csv"):
        inputs(".input edge(IO=parquet)\np(X) :- edge(X).", tmp_path)
    with pytest.raises(DataError, match=r"has no file e\.txt"):
        inputs('.input edge(filename="e.txt")\np(X) :- edge(X).', tmp_path)


def test_two_directives_read_two_files_into_one_relation(tmp_path):
    (tmp_path / "a.txt").touch()
    (tmp_path / "b.txt").touch()
    text = '.input edge(filename="a.txt")\n.input edge(filename="b.txt")\np(X) :- edge(X).'
    assert [f.path.name for f in inputs(text, tmp_path)] == ["a.txt", "b.txt"]


def test_wildcards_read_all_files_that_match(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/b.csv").write_text("y,x\na,1\n")
    (tmp_path / "data/a.csv.gz").write_bytes(gzip.compress(b"x,y\n2,b\n"))
    (tmp_path / "data/.c.csv").write_text("not,read\n")
    (tmp_path / "data/d.csv").mkdir()
    text = ".decl edge(x: number, y: symbol)\n"
    found = inputs(text + '.input edge(filename="data/*.csv*")', tmp_path)
    assert [f.path.name for f in found] == ["a.csv.gz", "b.csv"]
    assert [read(f.path, f.layout) for f in found] == [[(2, "b")], [(1, "a")]]
    with pytest.raises(DataError, match=r"has no file \?\.tsv; it has \.c\.csv, a\.csv\.gz, b\.csv"):
        inputs(text + '.input edge(filename="data/?.tsv")', tmp_path)
    (tmp_path / "data/[ab].csv").write_text("3,c\n")
    assert [f.path.name for f in inputs(text + '.input edge(filename="data/[ab].csv")', tmp_path)] == ["[ab].csv"]
    with pytest.raises(ProgramError, match="wildcards only in the last part"):
        inputs(text + '.input edge(filename="*/a.csv")', tmp_path)


def test_path_means_a_json_file(tmp_path):
    (tmp_path / "edge.csv").write_text("1,a\n")
    (tmp_path / "edge.json").write_text('{"edges": [{"x": 1, "y": "a"}]}')
    (found,) = inputs('.decl edge(x: number, y: symbol)\n.input edge(path="edges[*]")', tmp_path)
    assert read(found.path, found.layout) == [(1, "a")]
    for params in ('path="edges..x"', 'path="[*"', 'path="a b"', 'IO=csv, path="edges"'):
        with pytest.raises(ProgramError) as error:
            layout(f".input edge({params})")
        assert [d.code for d in error.value.diagnostics] == ["TL922"]


@pytest.mark.parametrize("headers", [None, False])
@pytest.mark.parametrize("width", [1, 2])
def test_csv_reads_back_as_it_was_written(tmp_path, headers, width):
    texts = ["", "a\rb", "a\nb", '"', "a\tb", " y ", "\ufeffz", "a,b", "\\N", "NULL", "é", "\r", "[1,2]", "1"]
    csv, names, types = Layout("csv", headers=headers, named_kind=True), NAMES[:width], ("symbol",) * width
    for first in texts:
        for second in texts:
            rows = [(first, second)] if width == 2 else [(first,), (second,)]
            table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)})
            write_output("edge", table, types, csv, tmp_path / "edge.csv")
            assert read(tmp_path / "edge.csv", csv, types) == rows


def test_long_folders_are_listed_in_short(tmp_path):
    for i in range(30):
        (tmp_path / f"r{i:02}.facts").touch()
    with pytest.raises(DataError, match=r"r11\.facts and 18 more"):
        inputs(".input edge\np(X) :- edge(X).", tmp_path)


def test_csv_is_read_by_what_its_first_line_shows(tmp_path):
    path = tmp_path / "edge.csv"
    path.write_text("1\tb,c\n")
    assert read(path) == [(1, "b,c")]
    path.write_text('1,"b,c"\n')
    assert read(path) == [(1, "b,c")]
    path.write_text("x,y\n1,b\n")
    assert read(path) == [(1, "b")]
    path.write_text("1\tb\n")
    assert read(path, Layout("file", named_kind=True)) == [(1, "b")]


def test_compressed_files_are_known_by_their_content(tmp_path):
    path = tmp_path / "edge.facts"
    path.write_bytes(gzip.compress(b"1\tb\n"))
    assert read(path) == [(1, "b")]
    path.write_bytes(gzip.compress(b"1\tb\n")[:-9])
    with pytest.raises(DataError, match=r"edge\.facts"):
        read(path)


def test_parquet_is_matched_by_name_or_by_position(tmp_path):
    path = tmp_path / "edge.parquet"
    pyarrow.parquet.write_table(pa.table({"y": ["b"], "x": [1]}), path)
    assert read(path) == [(1, "b")]
    pyarrow.parquet.write_table(pa.table({"p": pa.array([1], pa.int32()), "q": ["b"]}), path)
    assert read(path) == [(1, "b")]


@pytest.mark.parametrize(
    ("table", "report", "code"),
    [
        (pa.table({"p": [1]}), "1 column, but `edge` has 2", "TL1063"),
        (pa.table({"x": ["a"], "y": ["b"]}), "column `x` contains symbols, but `edge` expects number", "TL1064"),
        (pa.table({"x": [1, None], "y": ["a", "b"]}), "column `x`: row 2 is null", "TL1065"),
    ],
)
def test_parquet_that_does_not_fit_is_refused(table, report, code, tmp_path):
    path = tmp_path / "edge.parquet"
    pyarrow.parquet.write_table(table, path)
    with pytest.raises(DataError, match=report) as refused:
        read(path)
    assert refused.value.code == code
    path.write_bytes(b"not parquet")
    with pytest.raises(DataError, match="cannot read this as a Parquet file"):
        read(path)


def test_picked_columns_must_be_as_many_as_the_relation_has(tmp_path):
    path = tmp_path / "edge.facts"
    path.write_text("a\t1\tb\n")
    assert read(path, Layout(columns=(1, 2))) == [(1, "b")]
    with pytest.raises(DataError, match="columns= selects 1"):
        read(path, Layout(columns=(1,)))


def test_views_are_written_in_every_kind(tmp_path):
    table = pa.table({"x": [1, 2], "y": ["a", "b,c"]})
    for text, name, content in (
        (".output r", "r.csv", b"1\ta\n2\tb,c\n"),
        (".output r(headers=true)", "r.csv", b"x\ty\n1\ta\n2\tb,c\n"),
        (".output r(IO=csv)", "r.csv", b'x,y\n1,a\n2,"b,c"\n'),
        ('.output r(delimiter=";", filename="o/r.txt")', "o/r.txt", b"1;a\n2;b,c\n"),
        ('.output r(headers=true, attributeNames="a:b")', "r.csv", b"a\tb\n1\ta\n2\tb,c\n"),
    ):
        path = output_path("r", layout(text), tmp_path)
        assert path == tmp_path / name
        write_output("r", table, TYPES, layout(text), path)
        assert path.read_bytes() == content
    packed = output_path("r", layout(".output r(compress=true)"), tmp_path)
    write_output("r", table, TYPES, layout(".output r(compress=true)"), packed)
    assert packed.name == "r.csv.gz"
    assert gzip.decompress(packed.read_bytes()) == b"1\ta\n2\tb,c\n"
    write_output("r", table, TYPES, layout(".output r(IO=parquet)"), tmp_path / "r.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "r.parquet").equals(table)


def test_file_that_cannot_be_written_leaves_the_old_one(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("old")
    with pytest.raises(DataError, match="the delimiter"):
        write_output("r", pa.table({"y": ["a\tb"]}), ("symbol",), Layout(), path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["r.csv"]
    with pytest.raises(DataError, match="cannot write"):
        write_output("r", pa.table({"y": ["a"]}), ("symbol",), Layout(), path / "below.csv")
    with pytest.raises(DataError, match="3 symbol columns"):
        write_output("r", pa.table({"y": [1]}), ("number",), Layout("ntriples"), tmp_path / "r.nt")


def test_triples_need_three_columns(tmp_path):
    path = tmp_path / "edge.nt"
    path.write_text("<urn:a> <urn:b> <urn:c> .\n")
    with pytest.raises(DataError, match="fills 3 columns"):
        read(path)


def settled(text, **columns):
    checked = check_program(parse_program(text))
    read_data = [(name, pa.table({"c": values})) for name, values in columns.items()]

    def check(bound):
        return check_program(checked.program, bound=bound, known={name: 1 for name, _ in bound}).schema

    return {name: data["c"].to_pylist() for name, data in settle_types(read_data, checked.schema, check)}


def test_open_columns_take_the_type_of_their_text():
    assert settled("r(X) :- p(X).", p=["1", "-2"]) == {"p": [1, -2]}
    assert settled("r(X) :- p(X).", p=["1", "2.5"]) == {"p": [1.0, 2.5]}
    assert settled("r(X) :- p(X).", p=["1", "b"]) == {"p": ["1", "b"]}
    assert settled("r(X) :- p(X).", p=["+1"]) == {"p": [1]}


def test_joined_columns_are_typed_together():
    assert settled("r(X) :- p(X), q(X).", p=["1"], q=["b"]) == {"p": ["1"], "q": ["b"]}
    assert settled("r(X) :- p(X), q(X).", p=["1"], q=["2.5"]) == {"p": [1.0], "q": [2.5]}
    assert settled("r(X) :- p(X), q(X).", p=[1], q=["2"]) == {"p": [1], "q": [2]}


def test_folder_that_is_not_there_is_named():
    with pytest.raises(DataError, match="there is no folder"):
        inputs(".input edge\np(X) :- edge(X).", Path("/nowhere/at/all"))
