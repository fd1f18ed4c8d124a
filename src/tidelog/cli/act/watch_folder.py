"""A folder whose edited files become epochs of a server: `tidelog serve --watch FOLDER`.

Law: one epoch for each settled save, applied as a whole or not at all. Files are read only after their names, sizes and
times have been the same for a while, and an epoch is committed only if they still are after reading, so a half-written
file is never applied. A file with an error leaves the state as it was, is reported, and is tried again when a file
changes. A relation keeps the facts that clients changed until one of its files changes: then its base facts are those
of its files and of the program's text. Removing a file removes its facts. What was applied is recorded in the state by
the same epoch, so that a restart applies what was edited meanwhile, and nothing else.
"""

from __future__ import annotations

import contextvars
import json
import logging
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tidelog.cli.base.cli_failures import NOT_WATCHED
from tidelog.cli.input.folder import folder_files, read_folder
from tidelog.cli.input.inputs import refuse_errors
from tidelog.cli.input.report import check_file
from tidelog.engine.base.facts import program_facts
from tidelog.engine.engine import Engine, core_of
from tidelog.engine.write.epoch import Epoch
from tidelog.errors import StateError, TidelogError
from tidelog.follow.health import REFUSED, STARTING, STOPPED, Trouble, trouble_of
from tidelog.io.files import InputFile
from tidelog.program import Program
from tidelog.program.check import check_program
from tidelog.program.graph.constraint import is_hidden
from tidelog.program.types.functors import UserFunctions
from tidelog.syntax import parse_program

LOG = logging.getLogger("tidelog.serve")
PAUSE = 0.25  # seconds between two scans of the folder
SETTLE = 0.5  # seconds for which no file may have changed
PROGRAMS = "*.dl"
RUNNING = "running"
Stamp = tuple[int, int, int]  # time of the last change in nanoseconds, size, inode
Stamps = dict[str, Stamp]


@dataclass(frozen=True, slots=True)
class Applied:
    """The files whose contents are in the state, and the relation of each fact file."""

    stamps: Stamps = field(default_factory=dict)
    relations: dict[str, str] = field(default_factory=dict)

    @classmethod
    def from_text(cls, text: str | None) -> Applied:
        """Parse the record in the state; without one, nothing was applied."""
        if text is None:
            return cls()
        values = json.loads(text)
        stamps = {path: (int(a), int(b), int(c)) for path, (a, b, c) in values["stamps"].items()}
        return cls(stamps, dict(values["relations"]))

    def as_text(self) -> str:
        """The record as text."""
        return json.dumps({"stamps": self.stamps, "relations": self.relations})


@dataclass(frozen=True, slots=True)
class Edit:
    """An epoch that is not committed yet, with what will have been applied once it is."""

    epoch: Epoch
    applied: Applied


class FolderWatch:
    """A folder of fact files, and of the program if it is there, as a source of a server."""

    def __init__(
        self, folder: Path, program: Path | None, functions: UserFunctions = (), settle: float = SETTLE
    ) -> None:
        self.name = f"folder {folder}"
        self._folder, self._given, self._functions, self._settle = folder, program, functions, settle
        self._memo = f"watch {folder.resolve()}"
        self._applied = Applied()
        self._last: Stamps = {}  # at the last scan
        self._since = 0.0  # when these stamps were first seen
        self._refused: Stamps | None = None  # of the last attempt, if it failed
        self._directives: Program | None = None  # of an edited program, which may name more files
        self._epochs = 0
        self._trouble: Trouble | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    # The interface of a source

    def check(self, engine: Engine) -> None:
        """Raise if the folder cannot be watched."""
        if not self._folder.is_dir():
            raise NOT_WATCHED.error(folder=self._folder, reason="it is not a folder")
        if self._given is None and len(found := self._programs()) > 1:
            names = ", ".join(path.name for path in found)
            raise NOT_WATCHED.error(folder=self._folder, reason=f"it has several programs ({names}) and none was named")

    def start(self, engine: Engine) -> None:
        """Watch, on a thread; programs are read under the same restrictions as at the start."""
        self._applied = Applied.from_text(core_of(engine).memos.get(self._memo))
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._run, engine), name="tidelog watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop; an epoch in progress is completed first."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def health(self) -> dict[str, Any]:
        """`state`, `detail`, the number of `epochs` committed, and the last `trouble`."""
        trouble = self._trouble
        if self._thread is None:
            return {"state": STARTING, "detail": ""}
        state = STOPPED if self._stop.is_set() else RUNNING if trouble is None else REFUSED
        detail = str(self._folder) if trouble is None else _text_of(trouble)
        return {"state": state, "detail": detail, "epochs": self._epochs}

    def quarantine(self) -> list[dict[str, Any]]:
        """None: a file is applied as a whole or not at all."""
        return []

    # The thread

    def _run(self, engine: Engine) -> None:
        while not self._stop.is_set():
            try:
                self._look(engine, time.monotonic())
            except Exception as error:  # whatever a file contains, the watch continues
                self._refused = dict(self._last)
                self._report(error)
            self._stop.wait(PAUSE)

    def _look(self, engine: Engine, now: float) -> None:
        """Apply what has changed, once it has settled."""
        stamps = self._stamps(self._directives or engine.program)
        if stamps != self._last:
            self._last, self._since = stamps, now
        elif stamps == self._applied.stamps:
            self._refused = self._trouble = None  # a wrong file was restored
        elif stamps != self._refused and now - self._since >= self._settle:
            try:
                self._apply(engine, stamps)
            except StateError as error:  # the state folder cannot be written: tried again
                self._since = now
                self._report(error)
            except TidelogError as error:
                self._refused = stamps
                self._report(error)

    def _apply(self, engine: Engine, stamps: Stamps) -> None:
        changed = {
            path for path in {*stamps, *self._applied.stamps} if stamps.get(path) != self._applied.stamps.get(path)
        }
        program = self._read_program() if any(path.endswith(".dl") for path in changed) else None
        if program is not None:
            self._directives = program
            if self._stamps(program) != stamps:  # it names files that have to settle, too
                return
        with core_of(engine).writing:
            edit = self._edit(engine, program, stamps, changed)
            if self._stamps(program or engine.program) != stamps:  # changed while they were read
                return
            edit.epoch.memos[self._memo] = edit.applied.as_text()
            edit.epoch.commit()
        self._applied, self._refused, self._trouble, self._directives = edit.applied, None, None, None
        self._epochs += 1
        LOG.info("%s: epoch %d from %s", self.name, edit.epoch.number, ", ".join(sorted(changed)))

    def _edit(self, engine: Engine, program: Program | None, stamps: Stamps, changed: Iterable[str]) -> Edit:
        """The epoch that applies changed files."""
        core = core_of(engine)
        epoch = engine.epoch(note=f"edited: {', '.join(sorted(changed))}")
        texts: Sequence[str] = () if core.durable is None else core.durable.facts
        if program is not None:
            signature = epoch.signature
            epoch, _ = engine.epoch_to(program)
            epoch.signature = signature
            if epoch.collected.columns:  # columns change; edited facts follow in the next epoch
                kept = {path: stamp for path, stamp in self._applied.stamps.items() if not path.endswith(".dl")}
                own = {path: stamp for path, stamp in stamps.items() if path.endswith(".dl")}
                return Edit(epoch, Applied(kept | own, self._applied.relations))
            texts = epoch.collected.text_facts or ()
        after = engine.program if program is None else program
        schema = _schema_after(engine, program)
        files = folder_files(after, [name for name in schema if not is_hidden(name)], self._folder)
        relations = {self._key(file.path): file.relation for file in files}
        replaced = {known[path] for path in changed for known in (relations, self._applied.relations) if path in known}
        wanted: list[InputFile] = [file for file in files if file.relation in replaced]
        for name, data in read_folder(after, schema, wanted):
            epoch.insert(name, data)
        text = parse_program("\n".join((f".convention {after.convention}", *texts)))
        epoch.collected.facts += [fact for fact in program_facts(text, core.rules.functions) if fact[1] in replaced]
        for name in replaced:
            if name in engine and name in schema:
                epoch.delete(name, engine.asserted(name).rows())
        return Edit(epoch, Applied(stamps, relations))

    # Files

    def _programs(self) -> list[Path]:
        """The programs at the top of the folder."""
        return sorted(path for path in self._folder.glob(PROGRAMS) if not path.name.startswith("."))

    def _read_program(self) -> Program | None:
        """The program, if it is in the folder; parts that it includes are read with it."""
        found = self._programs() if self._given is None else [self._given]
        if not found or not found[0].resolve().is_relative_to(self._folder.resolve()):
            return None
        if len(found) > 1:
            raise NOT_WATCHED.error(folder=self._folder, reason="it has several programs now, and none was named")
        return refuse_errors(check_file(str(found[0]), functions=self._functions)).program

    def _stamps(self, program: Program) -> Stamps:
        """Name, time and size of the files that matter to a program."""
        return dict(self._stamped(program))

    def _stamped(self, program: Program) -> Iterator[tuple[str, Stamp]]:
        named = {file.path for file in folder_files(program, None, self._folder)}
        sources = (path for path in self._folder.rglob(PROGRAMS) if not path.name.startswith("."))
        for path in sorted({*named, *sources}):
            try:
                about = path.stat()
            except OSError:  # removed since
                continue
            yield self._key(path), (about.st_mtime_ns, about.st_size, about.st_ino)

    def _key(self, path: Path) -> str:
        return path.relative_to(self._folder).as_posix()

    def _report(self, error: Exception) -> None:
        self._trouble = trouble_of(error)
        if isinstance(error, TidelogError):
            LOG.warning("%s was not applied: %s", self.name, _text_of(self._trouble))
        else:
            LOG.exception("unexpected exception while %s was applied", self.name)


def _text_of(trouble: Trouble) -> str:
    """Code and message; the lines of findings about a program have their codes."""
    return trouble.message if trouble.code in trouble.message else f"{trouble.code}: {trouble.message}"


def _schema_after(engine: Engine, program: Program | None) -> Mapping[str, tuple[str | None, ...]]:
    """The types of all relations, as an edited program declares them or as the state has them."""
    types: dict[str, tuple[str | None, ...]] = {name: tuple(engine[name].types) for name in engine.relations}
    if program is None:
        return types
    declared = {declaration.relation for declaration in program.declarations}
    known = {name: len(kept) for name, kept in types.items() if name not in declared}
    after = check_program(program, known=known).schema
    return {name: tuple(types[name] if name in known else found) for name, found in after.items()}
