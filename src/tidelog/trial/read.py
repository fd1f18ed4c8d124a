"""Reading files of cases.

    program: roles.dl
    case: a denial beats a grant
    given:
        member(ann, editor). grants(editor, read, payroll).
    when:
        +denies(editor, read, payroll).
    then:
        lacks may(ann, read, payroll).
        refused by TL2207.

Law: the text under ``given:`` consists of facts, under ``when:`` of a change script, and under ``then:`` of sentences
that begin with a verb, one or more lines each; bare identifiers are symbols, as in every ground place (D7), and `_`
matches anything. A mistake is reported with its file and line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tidelog.errors import ProgramError
from tidelog.program import Atom, Program
from tidelog.syntax import Epoch, parse_changes, parse_program
from tidelog.syntax.clauses import ground_places
from tidelog.syntax.fragments import parse_body
from tidelog.trial import trial_failures as failures
from tidelog.trial.cases import CONTAINS, EQUALS, LACKS, REFUSED, VERBS, Case, CaseFile, Expectation, Step

HEADER = re.compile(r"(program|facts|functions|case|given|when|then)\s*:(.*)")
REFUSAL = re.compile(r'refused(?:\s+by\s+(?:"(?P<quoted>[^"]*)"|(?P<bare>[\w.-]+)))?')
RELATION = re.compile(r"[\w.]+")
COMMENT = "//"
T = TypeVar("T")


@dataclass(slots=True)
class _Part:
    """A header with the lines under it."""

    kind: str
    line: int
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()

    @property
    def placed(self) -> str:
        """The text on the same lines as in the file, so that diagnostics have the right place."""
        return "\n" * (self.line - 1) + "\n".join(self.lines)


def read_cases(path: Path, program_of: Callable[[Path], Program] = lambda _: Program()) -> CaseFile:
    """The cases of a file; the program that ``program_of`` returns determines how names are read."""
    return _Reader(path, program_of).read()


@dataclass(slots=True)
class _Reader:
    path: Path
    program_of: Callable[[Path], Program]
    program: Program = field(default_factory=Program)

    def read(self) -> CaseFile:
        parts = list(self._parts())
        files = {part.kind: self._beside(part) for part in parts if part.kind in ("program", "facts", "functions")}
        if "program" not in files:
            raise self._wrong(1, "expected a line that names the program, such as `program: rules.dl`")
        self.program = self.program_of(files["program"])
        case_parts = [part for part in parts if part.kind not in files]
        if case_parts and case_parts[0].kind != "case":
            raise self._wrong(case_parts[0].line, f"`{case_parts[0].kind}:` must come after the first `case:`")
        begins = [i for i, part in enumerate(case_parts) if part.kind == "case"]
        cases = [self._case(case_parts[a:b]) for a, b in zip(begins, [*begins[1:], len(case_parts)], strict=True)]
        return CaseFile(self.path, files["program"], tuple(cases), files.get("facts"), files.get("functions"))

    def _parts(self) -> Iterator[_Part]:
        part: _Part | None = None
        for number, line in enumerate(self._lines(), 1):
            header = HEADER.fullmatch(line)
            if header is not None:
                if part is not None:
                    yield part
                part = _Part(header[1], number, [" " * header.start(2) + header[2]])
            elif part is not None:
                part.lines.append(line)
            elif line.strip() and not line.lstrip().startswith((COMMENT, "#")):
                raise self._wrong(number, "a case file starts with `program:`")
        if part is not None:
            yield part

    def _lines(self) -> list[str]:
        try:
            return self.path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise self._wrong(1, f"cannot be read: {error}") from error

    def _beside(self, part: _Part) -> Path:
        name = part.lines[0].split(COMMENT)[0].strip()
        if not name:
            raise self._wrong(part.line, f"`{part.kind}:` does not name a file")
        return self.path.parent / name

    def _case(self, parts: list[_Part]) -> Case:
        head, *rest = parts
        given: tuple[Atom, ...] = ()
        steps: list[Step] = []
        for part in rest:
            if part.kind == "given":
                if steps:
                    raise self._wrong(
                        part.line, "`given:` must come before `when:` and `then:`; write later facts under `when:`"
                    )
                given += self._facts(part)
            elif part.kind == "when":
                steps.append(Step(self._changes(part)))
            else:
                before = steps.pop() if steps and not steps[-1].then else Step()
                steps.append(Step(before.epochs, tuple(self._expectations(part))))
        return Case(head.text.splitlines()[0] if head.text else f"line {head.line}", head.line, given, tuple(steps))

    def _facts(self, part: _Part) -> tuple[Atom, ...]:
        program = self._parsed(lambda: parse_program(part.placed, str(self.path), prefixes=self.program.prefixes))
        if program.rules or program.declarations or program.directives:
            raise self._wrong(part.line, "`given:` contains facts; write rules under `when:`")
        return tuple(fact.atom for fact in program.facts)

    def _changes(self, part: _Part) -> tuple[Epoch, ...]:
        convention, prefixes = self.program.convention, self.program.prefixes
        return self._parsed(
            lambda: parse_changes(part.placed, str(self.path), convention=convention, prefixes=prefixes)
        )

    def _parsed(self, parse: Callable[[], T]) -> T:
        try:
            return parse()
        except ProgramError as error:
            first = error.diagnostics[0]
            raise self._wrong(first.span.line if first.span else 1, f"{first.code}: {first.message}") from error

    def _expectations(self, part: _Part) -> Iterator[Expectation]:
        for line, sentence in _sentences(part):
            verb, _, rest = sentence.partition(" ")
            if verb not in VERBS:
                raise self._wrong(line, f"`{verb}` is not one of {', '.join(VERBS)}")
            if verb == REFUSED:
                yield self._refusal(line, sentence)
            elif verb in (CONTAINS, LACKS, EQUALS):
                yield self._facts_expected(verb, line, rest)
            elif RELATION.fullmatch(rest.strip()):
                yield Expectation(verb, line, name=rest.strip())
            else:
                raise self._wrong(line, f"`{verb}` must be followed by the name of a relation")

    def _refusal(self, line: int, sentence: str) -> Expectation:
        found = REFUSAL.fullmatch(sentence)
        if found is None:
            raise self._wrong(line, "expected `refused`, `refused by CODE` or `refused by name`")
        return Expectation(REFUSED, line, name=found["quoted"] or found["bare"] or "")

    def _facts_expected(self, verb: str, line: int, text: str) -> Expectation:
        placed = "\n" * (line - 1) + text
        convention, prefixes = self.program.convention, self.program.prefixes
        body = self._parsed(lambda: parse_body(placed, convention=convention, name=str(self.path), prefixes=prefixes))
        atoms = tuple(ground_places(literal) for literal in body if isinstance(literal, Atom))
        if len(atoms) < len(body):
            raise self._wrong(line, f"`{verb}` must be followed by facts, separated by commas")
        if verb == EQUALS and len({atom.predicate for atom in atoms}) > 1:
            raise self._wrong(line, "`equals` lists the facts of one relation")
        return Expectation(verb, line, atoms, atoms[0].predicate)

    def _wrong(self, line: int, problem: str) -> Exception:
        return failures.NOT_A_CASE.error(path=self.path, line=line, problem=problem)


def _sentences(part: _Part) -> Iterator[tuple[int, str]]:
    """The sentences of a part with their lines: each begins with a verb and ends with a period."""
    start, words = part.line, ""
    for number, line in enumerate(part.lines, part.line):
        text = line.split(COMMENT)[0].strip()
        if not text:
            continue
        if not words:
            start = number
        words = f"{words} {text}".strip()
        if words.endswith("."):
            yield start, words[:-1].strip()
            words = ""
    if words:
        yield start, words
