"""Prefixes: what is a name with a prefix, in every place that reads program syntax, and what is not."""

import pytest
from typer.testing import CliRunner

from tidelog import Engine
from tidelog.cli import app
from tidelog.errors import ProgramError
from tidelog.syntax import (
    parse_body,
    parse_changes,
    parse_fact,
    parse_program,
    parse_query,
    parse_rule,
    print_changes,
    print_program,
    read_program,
)
from tidelog.syntax.layout import lay_out

PREFIX = ".prefix ex: <http://ex.org/>\n"
KNOWN = (("ex", "http://ex.org/"),)


def same(short, long, head=PREFIX, convention=None):
    one, other = (parse_program(head + text, convention=convention) for text in (short, long))
    assert one == other
    assert parse_program(print_program(one)) == one


@pytest.mark.parametrize("convention", ["prolog", "souffle"])
@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("p(ex:ann).", 'p("<http://ex.org/ann>").'),
        ("p(ex:ann,ex:Bob).", 'p("<http://ex.org/ann>", "<http://ex.org/Bob>").'),
        ("p(ex:1).", 'p("<http://ex.org/1>").'),
        ("p(ex:a-b.c-d).", 'p("<http://ex.org/a-b.c-d>").'),
        ("p(ex:été).", 'p("<http://ex.org/été>").'),
        ("p(X) :- q(X), X = ex:a.", 'p(X) :- q(X), X = "<http://ex.org/a>".'),
        ("p(X) :- q(X), ex:a != X.", 'p(X) :- q(X), "<http://ex.org/a>" != X.'),
        ("p(X) :- triple[ex:in]+/^triple[ex:at]?(X, ex:a).",
         'p(X) :- triple["<http://ex.org/in>"]+/^triple["<http://ex.org/at>"]?(X, "<http://ex.org/a>").'),
        ("p([ex:a, f(ex:b)]) :- q(_).", 'p(["<http://ex.org/a>", f("<http://ex.org/b>")]) :- q(_).'),
        ("ex:p(X) :- q(X, ex:p).", 'ex: p(X) :- q(X, "<http://ex.org/p>").'),
        ("ex:p :- q(ex:p).", 'ex: p :- q("<http://ex.org/p>").'),
    ],
)  # fmt: skip
def test_a_name_with_a_prefix_is_a_string(short, long, convention):
    same(short, long, convention=convention)


def test_columns_of_declarations_are_not_names_with_a_prefix():
    same(".decl p(ex:symbol,y:number)\np(ex:a, 1).", '.decl p(ex: symbol, y: number)\np("<http://ex.org/a>", 1).')
    same(
        ".type R = [ex:number, y:R]\n.decl p(r: R)\np([1, nil]).",
        ".type R = [ex: number, y: R]\n.decl p(r: R)\np([1, nil]).",
    )
    same(".type T <: symbol\n.decl p(x: T)\np(ex:a).", '.type T <: symbol\n.decl p(x: T)\np("<http://ex.org/a>").')
    same(".input p\np(ex:a).", '.input p\np("<http://ex.org/a>").')


def test_aggregates_before_an_atom_are_not_names_with_a_prefix():
    same(
        ".decl q(x: number)\n.decl p(x: number)\np(s) :- s = sum ex:q(ex).",
        ".decl q(x: number)\n.decl p(x: number)\np(s) :- s = sum ex : q(ex).",
    )


def test_other_prefixes_and_blanks_make_no_name():
    with pytest.raises(ProgramError, match=r"found `:`"):
        parse_program(PREFIX + "p(of:ann).")
    with pytest.raises(ProgramError, match=r"found `:`"):
        parse_program(PREFIX + "p(ex: ann).")
    with pytest.raises(ProgramError) as caught:
        parse_program("p(ex:ann).")
    assert "`.prefix ex:" in str(caught.value.diagnostics[0].hint)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (".prefix ex <http://ex.org/>", "TL143"),
        (".prefix ex: http://ex.org/", "TL143"),
        (".prefix ex: <here>", "TL143"),
        (".prefix : <urn:a>", "TL143"),
        (".prefix ex: <urn:a b>", "TL143"),
        (".prefix ex: <urn:a:>\n.prefix ex: <urn:b:>", "TL144"),
        (".prefix ex: <urn:a:>. .prefix ex: <urn:a:>", None),
    ],
)
def test_directives(text, code):
    program, found = read_program(text + "\np(1).")
    assert [each.code for each in found] == ([] if code is None else [code])
    assert len(program.facts) == 1


def test_a_prefix_of_an_included_file_is_known(tmp_path):
    (tmp_path / "names.dl").write_text(PREFIX)
    program = parse_program('.include "names.dl"\np(ex:a).', include=tmp_path)
    assert program.prefixes == KNOWN
    assert program == parse_program(PREFIX + "p(ex:a).")


def test_fragments_and_scripts_know_the_prefixes_they_are_given():
    assert parse_body("p(X, ex:a)", prefixes=KNOWN) == parse_body('p(X, "<http://ex.org/a>")')
    assert parse_query("p(X, ex:a)", prefixes=KNOWN) == parse_query('p(X, "<http://ex.org/a>")')
    assert parse_rule("ex:p(X) :- q(X, ex:a).", prefixes=KNOWN) == parse_rule('ex: p(X) :- q(X, "<http://ex.org/a>").')
    script = parse_changes("+p(ex:a). - ex. + p(X) :- q(X, ex:b). commit. -p(ex:a).", prefixes=KNOWN)
    assert script == parse_changes(PREFIX + "+p(ex:a). - ex. + p(X) :- q(X, ex:b). commit. -p(ex:a).")
    assert print_changes(script[1:]) == '-p("<http://ex.org/a>").\ncommit.\n'
    assert parse_fact('p("<http://ex.org/a>")').atom.args[0].value == "<http://ex.org/a>"


def test_layout_keeps_names_whole():
    text = PREFIX + "p( X )   :- triple[ ex:in ]+( X,ex:a-b ),X!=ex:c ."
    made = lay_out(text).text
    assert made == PREFIX + "p(X) :- triple[ex:in]+(X, ex:a-b), X != ex:c.\n"
    assert lay_out(made).text == made


def test_an_engine_knows_its_prefixes_also_from_a_state_folder(tmp_path):
    with Engine(PREFIX + "p(X) :- q(X, ex:a). q(ex:x, ex:a).", path=tmp_path / "s") as db:
        assert list(db.query("q(X, ex:a)")) == [("<http://ex.org/x>",)]
        assert "asserted" in str(db.why("q(ex:x, ex:a)"))
        with db.epoch() as e:
            e.add_rule("two: p(X) :- q(_, X), X != ex:x.")
        assert db.prepare("q(X, ex:a)", bind="X")("<http://ex.org/x>").__len__() == 1
        assert "ex:" not in str(db.why("p(ex:x)"))
    with Engine(path=tmp_path / "s") as db:
        assert db.program.prefixes == KNOWN
        assert sorted(db.query("p(X), X != ex:x")) == [("<http://ex.org/a>",)]
        with db.epoch() as e:
            e.declare(".prefix other: <urn:o:>")
        assert db.query("q(other:x, Y)").__len__() == 0
        assert dict(db.program.prefixes) == {"ex": "http://ex.org/", "other": "urn:o:"}


def test_commands_know_the_prefixes(tmp_path):
    def run(*args, text=None):
        return CliRunner().invoke(app, list(map(str, args)), input=text)

    program, script = tmp_path / "p.dl", tmp_path / "c.txt"
    program.write_text(PREFIX + "p(X) :- q(X, ex:a). q(ex:x, ex:a). .output p(IO=turtle)\n")
    script.write_text("+q(ex:y, ex:a). + p(X) :- q(_, X), X = ex:a.\n")
    assert run("query", program, "q(X, ex:a)").stdout == "<http://ex.org/x>\n"
    assert "asserted" in run("why", program, "p(ex:x)").stdout
    changed = run("run", program, "--runtime", "embedded", "-D", "-", "--changes", script)
    assert '+p("<http://ex.org/y>")' in changed.stdout
    prompt = run(
        "repl", program, text="? q(X, ex:a)\nq(ex:z, ex:a).\n.prefix o: <urn:o:>\nq(o:z, ex:a).\n? q(X, ex:a)\n"
    )
    assert "<urn:o:z>" in prompt.stdout
    cases = tmp_path / "p.test"
    cases.write_text(
        "program: p.dl\ncase: one\ngiven: q(ex:w, ex:a).\nwhen: +q(ex:y, ex:a).\nthen: contains p(ex:y), p(ex:w).\n"
    )
    tested = run("test", cases)
    assert tested.exit_code == 0, tested.output
