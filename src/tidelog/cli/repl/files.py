"""Commands about files and state folders: load, apply, save, open, and other epochs.

Law: saving a program and loading it again yields the same views. A file that was neither loaded nor saved in this
session is not overwritten, and a state folder changes only if it was opened for writing.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from tidelog.cli.act.export_state import exported_program
from tidelog.cli.base import cli_failures as failures
from tidelog.cli.base.options import LAST
from tidelog.cli.base.write_file import write_file
from tidelog.cli.input.columns import Columns, read_columns
from tidelog.cli.input.inputs import refuse_errors
from tidelog.cli.input.load import load_engine
from tidelog.cli.input.report import check_file
from tidelog.cli.input.state import holds_state
from tidelog.cli.repl import change
from tidelog.cli.repl.reports import EpochReport
from tidelog.cli.repl.session import ReplState, require_argument
from tidelog.engine.engine import Engine, core_of
from tidelog.engine.read.members import undefined_counts
from tidelog.errors.counts import counted
from tidelog.syntax import parse_program, print_program


def load(session: ReplState, file: str) -> None:
    """Load a program file: add its rules and facts; the first file may also declare relations."""
    require_argument(file, "load", "paths.dl")
    session.must_change()
    if session.is_blank:
        session.take(load_engine(file, Path(file).parent, functions=session.functions))
        session.line(f"{counted(len(session.db.rules), 'rule')}, {counted(session.db.fact_count, 'fact')}")
        session.note_undefined(undefined_counts(core_of(session.db)))
    else:
        text = _read_text(file)
        program = parse_program(text, file, convention=session.convention, include=Path(file).parent)
        if program.declarations or program.directives or program.keys or program.lifetimes:
            raise failures.LOADED_DECLARATIONS.error(file=file)
        change.commit(session, [(1, fact.atom) for fact in program.facts], program.rules)
    session.written.add(str(Path(file).resolve()))


def apply(session: ReplState, words: str) -> None:
    """Make the state match an edited program: print the difference, then commit it as one epoch."""
    file, columns = _apply_words(require_argument(words, "apply", "edited.dl"))
    if not session.dry:
        session.must_change()
    epoch, difference = session.db.epoch_to(refuse_errors(check_file(file)).program, columns)
    for line in difference.lines(session.convention):
        session.line(line)
    if not difference:
        session.line(f"nothing to do: the program already matches {file}")
        return
    with session.waiting("epoch"):
        if session.dry:
            session.db.preview(epoch)
        else:
            epoch.commit()
            session.last, session.declared = epoch, ""
    session.report(EpochReport(epoch, session.convention, (), session.dry))
    if not session.dry:
        session.note_undefined(undefined_counts(core_of(session.db)))


def _apply_words(words: str) -> tuple[str, Columns]:
    """The file, and the columns that options state as on the command line."""
    try:
        file, *rest = shlex.split(words)
    except ValueError as error:
        raise failures.APPLY_OPTION.error(found=words, reason=f": {error}") from None
    given: dict[str, list[str]] = {"--column": [], "--drop-column": []}
    for place in range(0, len(rest), 2):
        if rest[place] not in given or place + 1 == len(rest):
            raise failures.APPLY_OPTION.error(found=rest[place], reason="")
        given[rest[place]].append(rest[place + 1])
    return file, read_columns(given["--column"], given["--drop-column"])


def _read_text(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise failures.NOT_LOADED.error(file=file, reason=error.strerror) from None


def save(session: ReplState, file: str) -> None:
    """Save the program with its base facts as one text."""
    path = Path(require_argument(file, "save", "paths.dl"))
    if path.exists() and str(path.resolve()) not in session.written:
        raise failures.FILE_EXISTS.error(file=file)
    db = session.db
    based = {name: rows for name in db.relations if len(rows := db.asserted(name))}
    program = exported_program(db.program, {}, based)
    if not db.program.declarations:  # facts determine the types, and a declaration would change how names are read
        program = replace(program, declarations=())
    write_file(file, print_program(program))
    session.written.add(str(path.resolve()))
    session.line(f"{file}: {counted(len(program.rules), 'rule')}, {counted(len(program.facts), 'fact')}")


def open_state(session: ReplState, words: str) -> None:
    """Open another state, for reading or (``write``) for writing."""
    place, _, how = require_argument(words, "open", "state").partition(" ")
    if how.strip() not in ("", "write"):
        raise failures.OPENED_HOW.error(how=how.strip())
    if not holds_state(place):
        raise failures.NO_STATE.error(place=place)
    if how:
        session.take(Engine(path=place, functions=session.functions))
    else:
        session.take(Engine(path=place, at=LAST, functions=session.functions))
    session.state, session.folder, session.declared = None if how else place, None if how else place, ""
    session.line(f"{place} at epoch {session.db.epoch_number}" + (", open for changes" if how else ""))


def at(session: ReplState, epoch: str) -> None:
    """Switch to another epoch of the state folder; without an argument, print the current one."""
    if session.folder is None:
        raise failures.NEEDS_STATE.error()
    if epoch:
        session.take(Engine(path=session.folder, at=change.epoch_number(epoch), functions=session.functions))
    session.line(f"{session.folder} at epoch {session.db.epoch_number}")


HANDLERS = {"apply": apply, "at": at, "load": load, "open": open_state, "save": save}
