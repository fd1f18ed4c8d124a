"""What is printed reads back: over all types, printers and readers, from the table that the page of values is made of.

Every printer of facts must print exactly the form that the page shows, so that one law for each reader is enough. Forms
of other kinds (JSON, text files, Parquet, frames) are written and read back. Cannot notice: a value that the table has
no sample of.
"""

from __future__ import annotations

import datetime
import json
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from rich.console import Console

from tests.docs.pages import DOCS, read
from tests.runner import CliRunner
from tests.serve.running import running
from tidelog import Engine, EngineError, TidelogError
from tidelog.cli import app
from tidelog.cli.repl.execute import ReplSession
from tidelog.cli.repl.show import reporter
from tidelog.cli.values_page import KINDS, RECORDS, ValueKind, page, sample_literal
from tidelog.client import connect
from tidelog.engine.write.script import take_script
from tidelog.program import PROLOG, SOUFFLE
from tidelog.syntax import parse_changes, parse_program, print_program
from tidelog.syntax.changes import print_changes
from tidelog.syntax.layout import lay_out

Row = tuple[Any, ...]
RULES = {
    SOUFFLE: "r1: w(k, x) :- v(k, x).\n",
    PROLOG: "r1: w(K, X) :- v(K, X).\n",
}


@dataclass(frozen=True)
class Sample:
    """All samples of one type in a program of one convention."""

    kind: ValueKind
    convention: str

    @property
    def program(self) -> str:
        columns = f"(k: number, x: {self.kind.type})"
        head = f".convention {self.convention}\n" if self.convention == PROLOG else ""
        relations = f".decl v{columns}\n.decl w{columns}\n.decl c(a: number, b: number)\n"
        return f"{head}{RECORDS}{relations}{RULES[self.convention]}"

    @property
    def rows(self) -> list[Row]:
        """The samples, numbered; in the Prolog convention `nil` is a symbol, so that no program there writes it."""
        samples = self.kind.samples if self.convention == SOUFFLE else (x for x in self.kind.samples if not has_nil(x))
        return list(enumerate(samples))

    @property
    def given(self) -> list[Row]:
        """The rows on their way in: instants have a zone."""
        return [(k, x.replace(tzinfo=datetime.UTC) if self.kind.zoned else x) for k, x in self.rows]

    def facts(self, relation: str) -> list[str]:
        """The facts as they must be printed."""
        return [f"{relation}({k}, {sample_literal(self.kind, x, self.convention)})" for k, x in self.rows]

    def engine(self, path: Path | None = None, *, loaded: bool = True) -> Engine:
        db = Engine(self.program, path=path)
        if loaded:
            with db.epoch() as e:
                e.insert("v", self.given)
        return db

    def check(self, db: Engine, relation: str = "w") -> None:
        """The engine holds the samples."""
        assert shown(db[relation]) == shown(self.rows)
        if self.kind.zoned:
            assert db[relation].to_arrow().schema.types[1].tz == "UTC"


def shown(rows: Any) -> list[str]:
    return sorted(repr(plain(tuple(row))) for row in rows)


def plain(value: Any) -> Any:
    """Records as plain tuples, variants by their parts."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if hasattr(value, "constructor"):
        return ("$" + value.constructor, *map(plain, value.parts))
    return value


def has_nil(value: Any) -> bool:
    return value is None or any(map(has_nil, getattr(value, "parts", value if isinstance(value, tuple) else ())))


SAMPLES = [s for kind in KINDS for convention in (SOUFFLE, PROLOG) if (s := Sample(kind, convention)).rows]
every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: f"{s.kind.title}-{s.convention}")
BY_KIND = [s for s in SAMPLES if s.convention == SOUFFLE]
every_kind = pytest.mark.parametrize("sample", BY_KIND, ids=lambda s: s.kind.title)


def command(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == code, result.output
    return result.stdout


# Printers of facts


@every_sample
def test_proofs_print_the_literals(sample: Sample) -> None:
    db = sample.engine()
    for row, fact, base in zip(sample.given, sample.facts("w"), sample.facts("v"), strict=True):
        proof = db.why(("w", row))
        assert str(proof).splitlines()[:2] == [f"{fact}  by r1", f"└─ {base}  asserted"]
        assert json.loads(proof.json())["fact"] == fact
        absent = (*row[:1], row[1])
        assert str(db.why_not(("w", absent))) == f"{fact} is true: ask `why`"


@every_sample
def test_errors_print_the_literals(sample: Sample) -> None:
    db = sample.engine()
    with db.epoch() as e:
        e.delete("v", sample.given)
    for row, fact in zip(sample.given, sample.facts("w"), strict=True):
        with pytest.raises(EngineError) as refused:
            db.why(("w", row))
        assert fact in str(refused.value)
    keyed = Engine(sample.program + ".key v(k)\n")
    key_clash = [(0, x) for _, x in sample.given[:2]]
    with pytest.raises(TidelogError) as clash, keyed.epoch() as e:
        e.insert("v", key_clash)
    for _, x in sample.rows[:2]:
        assert f"v(0, {sample_literal(sample.kind, x, sample.convention)})" in str(clash.value)


@every_sample
def test_blame_changes_and_what_if_print_the_literals(sample: Sample, tmp_path: Path) -> None:
    db = sample.engine(tmp_path / "state", loaded=False)
    for row, fact, base in zip(sample.given, sample.facts("w"), sample.facts("v"), strict=True):
        with db.epoch() as e:
            e.insert("v", [row])
        for blame in (e.blame(("w", row)), db.blame(("w", row))):
            assert str(blame).splitlines()[0] == f"{fact} was added in epoch {e.number}"
            assert [str(change) for change in blame.changes] == [f"{base} was asserted"]
        assert f"such as {fact}" in str(db.blame("w", epoch=e.number))
        tried = db.what_if(f"-{base}.")
        assert f"-{fact}" in repr(tried)
        assert f"-{base}" in repr(tried)
    db.close()
    text_reported = command("changes", tmp_path / "state", "w")
    assert [line.split("\t", 2)[2] for line in text_reported.splitlines()] == sample.facts("w")


@every_sample
def test_the_prompt_prints_and_reads_the_literals(sample: Sample, tmp_path: Path) -> None:
    out = StringIO()
    console = Console(file=out, width=100_000, highlight=False, markup=False, emoji=False, soft_wrap=True)
    session = ReplSession(sample.engine(loaded=False), reporter(console))
    for fact, base in zip(sample.facts("w"), sample.facts("v"), strict=True):
        out.seek(0)
        out.truncate()
        session.carry_out(f"{base}.")
        assert out.getvalue().splitlines()[:2] == [f"+ {base}", f"+ {fact}"]
    sample.check(session.db)
    session.carry_out(f":save {tmp_path / 'saved.dl'}")
    saved = (tmp_path / "saved.dl").read_text()
    assert [line for line in saved.splitlines() if line.startswith("v(")] == [f"{fact}." for fact in sample.facts("v")]
    sample.check(Engine(saved))


@every_sample
def test_scripts_print_and_apply_shows_the_literals(sample: Sample, tmp_path: Path) -> None:
    text = "".join(f"+{fact}.\n" for fact in sample.facts("v"))
    epochs = parse_changes(text, convention=sample.convention)
    printed = print_changes(epochs, sample.convention)
    assert parse_changes(printed, convention=sample.convention) == epochs
    if (
        sample.convention == SOUFFLE or sample.kind.type != "list"
    ):  # in lists of a script symbols are as they were written
        text_reported = [line.lstrip("+ ") for line in printed.splitlines() if line.startswith("+")]
        assert sorted(text_reported) == sorted(f"{fact}." for fact in sample.facts("v"))
    sample.engine(tmp_path / "state", loaded=False).close()
    few = sample.facts("v")[:3]
    (tmp_path / "p.dl").write_text(sample.program + "".join(f"{fact}.\n" for fact in few))
    text_reported = " ".join(command("apply", tmp_path / "p.dl", "--state", tmp_path / "state").split())
    for fact in few:
        assert " ".join(f"+{fact}".split()) in text_reported


# Readers of facts


@every_sample
def test_programs_and_the_formatter_read_the_literals(sample: Sample) -> None:
    text = sample.program + "".join(f"{fact}.\n" for fact in sample.facts("v"))
    sample.check(Engine(text))
    laid_out = lay_out(text).text
    assert laid_out is not None
    sample.check(Engine(laid_out))
    joined = "".join(laid_out.split())
    for fact in sample.facts("v"):
        assert "".join(f"{fact}.".split()) in joined
    printed = print_program(parse_program(text))
    assert parse_program(printed) == parse_program(text)
    sample.check(Engine(printed))


@every_sample
def test_rules_hold_the_literals(sample: Sample, tmp_path: Path) -> None:
    db = sample.engine(tmp_path / "state")
    key = "K" if sample.convention == PROLOG else "k"
    rules = []
    with db.epoch() as e:
        for (k, x), _ in zip(sample.rows, sample.facts("v"), strict=True):
            literal = sample_literal(sample.kind, x, sample.convention)
            rules.append(f"c{k}: c({k}, {key}) :- v({key}, {literal}).")
            e.add_rule(rules[-1])
    wanted = [(k, k) for k, _ in sample.rows]
    assert sorted(db["c"]) == wanted
    if sample.convention == PROLOG:
        rules = [db.rules[f"c{k}"] for k, _ in sample.rows]  # in lists of a rule symbols are bare if they can be
    assert [db.rules[f"c{k}"] for k, _ in sample.rows] == rules
    assert all(rule.partition(": ")[2].rstrip(".") in str(db.explain()) for rule in rules)
    db.close()
    with Engine(path=tmp_path / "state") as again:
        assert sorted(again["c"]) == wanted
        assert [again.rules[f"c{k}"] for k, _ in sample.rows] == rules
        sample.check(again)


@every_sample
def test_questions_why_blame_and_scripts_read_the_literals(sample: Sample, tmp_path: Path) -> None:
    db = sample.engine(tmp_path / "state", loaded=False)
    epoch = db.epoch()
    for step in parse_changes("".join(f"+{fact}.\n" for fact in sample.facts("v")), convention=sample.convention):
        take_script(epoch, step)
    epoch.commit()
    sample.check(db)
    for fact in sample.facts("w"):
        assert list(db.query(fact)) == [()]
        assert db.why(fact).root.text == fact
        assert db.why_not(fact).present
        found = db.blame(fact)
        assert getattr(found, "fact", None) == fact
    removed = db.what_if("".join(f"-{fact}.\n" for fact in sample.facts("v")))
    assert len(removed.changes["w"].deleted) == len(sample.rows)
    db.close()


@every_sample
def test_cases_read_and_print_the_literals(sample: Sample, tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text(sample.program)
    given = "".join(f"    {fact}.\n" for fact in sample.facts("v"))
    then = "".join(f"    contains {fact}.\n" for fact in sample.facts("w"))
    equals = f"    equals {', '.join(sample.facts('w'))}.\n"
    case = f"program: p.dl\n\ncase: all\ngiven:\n{given}then:\n{equals}{then}"
    (tmp_path / "all.case").write_text(
        case + f"when:\n    -{sample.facts('v')[0]}.\nthen:\n    lacks {sample.facts('w')[0]}.\n"
    )
    command("test", tmp_path / "all.case")
    (tmp_path / "some.case").write_text(f"program: p.dl\n\ncase: none\nthen:\n    contains {sample.facts('w')[-1]}.\n")
    result = CliRunner().invoke(app, ["test", str(tmp_path / "some.case")], env={"COLUMNS": "10000"})
    assert result.exit_code == 1
    assert f"{sample.facts('w')[-1]} is missing" in result.output


# Values in other forms


@pytest.mark.parametrize("name", ["facts", "csv", "json", "parquet", "jsonl", "csv.gz"])
def test_files_read_what_was_written(name: str, tmp_path: Path) -> None:
    """One program writes a file for each type, and another one reads all of them."""
    io = {"facts": "file", "jsonl": "json", "csv.gz": "csv"}.get(name, name)
    packed = ", compress=true" if name == "csv.gz" else ""
    is_quoted = name != "facts"
    writing, reading = [RECORDS], [RECORDS]
    for number, sample in enumerate(BY_KIND):
        relation = f"w{number}"
        file = f'IO={io}, filename="{relation}.{name}"'
        declared = f".decl {relation}(k: number, x: {sample.kind.type})\n"
        facts = _written(sample, relation, is_quoted)
        writing.append(f"{declared}{facts}.output {relation}({file}{packed})\n")
        reading.append(f"{declared}.input {relation}({file})\n.output {relation}(IO=json)\n")
    (tmp_path / "out.dl").write_text("".join(writing))
    command("run", tmp_path / "out.dl", "-D", tmp_path)
    (tmp_path / "in.dl").write_text("".join(reading))
    command("run", tmp_path / "in.dl", "-F", tmp_path, "-D", tmp_path / "back")
    for number, sample in enumerate(BY_KIND):
        found = (tmp_path / "back" / f"w{number}.json").read_text()
        assert sorted(found.splitlines()) == _answers(sample, is_quoted), sample.kind.title


def _written(sample: Sample, relation: str, is_quoted: bool) -> str:
    """The facts that a file holds: one without quotes has no cells with tabs and line breaks."""
    facts = sample.facts(relation)
    return "".join(f"{fact}.\n" for fact in facts if is_quoted or ("\\t" not in fact and "\\n" not in fact))


@cache
def _answers(sample: Sample, is_quoted: bool) -> list[str]:
    """These facts as a query prints them, one JSON object each."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "p.dl"
        file.write_text(sample.program + _written(sample, "v", is_quoted))
        return sorted(command("query", file, "w(k, x)", "--format", "jsonl").splitlines())


@every_kind
def test_http_the_client_and_answers_show_the_page(sample: Sample) -> None:
    with running(sample.engine(loaded=False)) as server, connect(server.url, "w" * 43) as client:
        db = server.service.engine
        with client.epoch() as e:
            e.insert("v", sample.given)
        sample.check(db)
        rows = server.get("/views/w")["rows"]
        for form in (list, lambda row: dict(zip("kx", row, strict=True))):
            server.post("/epochs", {"delete": {"v": [form(row) for row in rows]}})
            assert len(db["w"]) == 0
            server.post("/epochs", {"insert": {"v": [form(row) for row in rows]}})
            assert shown(db["w"]) == shown(sample.rows)
        for fact, row in zip(sample.facts("w"), rows, strict=True):
            proof = server.get("/why", fact=fact)
            assert proof["fact"] == fact
            for same in (proof["values"], row):  # which differ in quotes: a proof knows no types
                assert server.post("/check-facts", {"facts": {"w": [same]}})["answers"] == {"w": [True]}
            assert server.post("/query", {"text": fact})["rows"] == [[]]
            assert server.get("/why-not", fact=fact)["present"] is True


@every_kind
def test_frames_tables_and_pickles_give_the_rows_back(sample: Sample) -> None:
    db = sample.engine()
    view = db["v"]
    for data in (view, view.to_arrow(), view.to_pandas(), pickle.loads(pickle.dumps(view)), list(sample.given)):
        other = sample.engine(loaded=False)
        with other.epoch() as e:
            e.insert("v", data)
        sample.check(other)
        with other.epoch() as e:
            e.delete("v", data)
        assert len(other["w"]) == 0


@every_sample
def test_an_exported_state_is_the_same(sample: Sample, tmp_path: Path) -> None:
    sample.engine(tmp_path / "state").close()
    command("export", tmp_path / "state", tmp_path / "out")
    found = command(
        "query", tmp_path / "out" / "program.dl", "-F", tmp_path / "out", _question(sample), "--format", "jsonl"
    )
    wanted = command("query", "--state", tmp_path / "state", _question(sample), "--format", "jsonl")
    assert found == wanted


def _question(sample: Sample) -> str:
    return "w(K, X)" if sample.convention == PROLOG else "w(k, x)"


# Spellings, undeclared columns, the page


def _spellings() -> Iterator[tuple[ValueKind, str, Any]]:
    for kind in KINDS:
        for text, value in kind.also:
            yield kind, text, value


@pytest.mark.parametrize(
    ("kind", "text", "value"), list(_spellings()), ids=lambda each: getattr(each, "title", None) or str(each)
)
def test_other_spellings_are_read_where_the_type_is_known(kind: ValueKind, text: str, value: Any) -> None:
    sample = Sample(kind, SOUFFLE)
    db = Engine(sample.program + f"v(0, {text}).")
    assert shown(db["w"]) == shown([(0, value)])
    assert list(db.query(f"w(0, {text})")) == [()]
    assert len(db.what_if(f"-v(0, {text}).").changes["w"].deleted) == 1
    assert db.why(f"w(0, {text})")


UNDECLARED = [
    kind
    for kind in KINDS
    if kind.type in ("number", "unsigned", "float", "symbol", "boolean", "date", "timestamp", "list")
]


@pytest.mark.parametrize("kind", UNDECLARED, ids=lambda kind: kind.title)
def test_saved_facts_of_undeclared_relations_keep_their_types(kind: ValueKind, tmp_path: Path) -> None:
    sample = Sample(kind, PROLOG)
    text = RULES[PROLOG] + "".join(f"{fact}.\n" for fact in sample.facts("v"))
    db = Engine(text)
    sample.check(db)
    assert db["w"].types == ("number", kind.type)
    session = ReplSession(db, lambda report: None)
    session.carry_out(f":save {tmp_path / 'saved.dl'}")
    sample.check(Engine((tmp_path / "saved.dl").read_text()))


def test_the_page_of_values_is_up_to_date() -> None:
    assert read(DOCS / "reference" / "values.md") == page(), "run `make docs`"
