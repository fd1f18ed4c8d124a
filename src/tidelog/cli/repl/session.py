"""What an input of the repl does: a change, a question or a command.

Law: every change is one epoch, told with what it changed and how long it took; an input in error changes nothing and
is told as a diagnostic. Declarations come before rules and facts, since they fix how the rest is read (D7).
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from tidelog.cli import failures
from tidelog.cli.answers import count_text, table_lines
from tidelog.cli.load import load_engine, start_engine
from tidelog.cli.repl.commands import COMMANDS, HELP
from tidelog.cli.repl.inputs import ends_with_period, is_command_word
from tidelog.cli.repl.show import change_lines
from tidelog.cli.show import show_diagnostics, show_error
from tidelog.engine.core import core_of
from tidelog.engine.engine import Engine
from tidelog.engine.epoch import Epoch
from tidelog.engine.script import take_script
from tidelog.errors import ProgramError, TidelogError, TidelogWarning
from tidelog.explain.profile import duration
from tidelog.program import Atom, Rule
from tidelog.program.functors import Given
from tidelog.program.ground import ground_value
from tidelog.syntax import Epoch as Script
from tidelog.syntax import (
    FactChange,
    InstanceAdded,
    InstanceRemoved,
    RuleAdded,
    RuleRemoved,
    is_preview,
    parse_changes,
    parse_ground_atom,
    parse_program,
    read_rules,
)
from tidelog.why import NotTrueError

NAME = "<repl>"
ANSWERS = 40  # that a question shows


class ReplSession:
    """An engine and what is typed at it."""

    def __init__(self, db: Engine, to: Console, state: str | None = None, functions: Given = ()) -> None:
        self.db = db
        self.to = to
        self.state = state  # the folder that is asked and not changed
        self.functions = functions
        self.over = False
        self._declared = ""
        self._handlers = {name: getattr(self, f"_{name}") for name in COMMANDS}

    @property
    def convention(self) -> str:
        """How identifiers are read."""
        return self.db.convention

    def execute(self, text: str) -> bool:
        """Do what an input says; False if it was in error, which has been told."""
        try:
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always", TidelogWarning)
                self._dispatch(text.rstrip())
            for warning in told:
                self._line(f"warning: {warning.message}")
        except ProgramError as error:
            show_diagnostics(error.diagnostics, self.to)
            return False
        except TidelogError as error:
            show_error(error, self.to)
            return False
        except KeyboardInterrupt as interrupt:
            self.to.print(f"interrupted; nothing was changed{interrupt}")
            return False
        return True

    def _dispatch(self, text: str) -> None:
        if text.lstrip().startswith("?"):
            self._query(text)  # as it stands, so that a mistake is shown where it is
            return
        text = text.strip()
        if text.startswith(":") and not text.startswith(":-"):
            self._command(text[1:])
        elif text.startswith((".", "#")):
            self._declare(text)
        elif text.startswith(("+", "-")):
            self._change(text)
        elif text:
            self._clauses(text)

    # Changes

    def _clauses(self, text: str) -> None:
        """Rules and facts as a program writes them; what nobody finished is not guessed at."""
        if is_command_word(text):
            raise failures.NO_COLON.error(name=text)
        if not ends_with_period(text, self.convention):
            raise failures.NO_PERIOD.error()
        rules, found = read_rules(text, convention=self.convention, name=NAME)
        show_diagnostics(found, self.to)
        facts = [rule.head for rule in rules if not rule.body and rule.label is None]
        self._commit([(1, fact) for fact in facts], [r for r in rules if r.body or r.label is not None], [])

    def _change(self, text: str) -> None:
        """Changes as a script writes them."""
        for epoch in parse_changes(text, NAME, convention=self.convention):
            facts = [(change.sign, change.atom) for change in epoch if isinstance(change, FactChange)]
            added = [change.rule for change in epoch if isinstance(change, RuleAdded)]
            removed = [change.label for change in epoch if isinstance(change, RuleRemoved)]
            instances = [change for change in epoch if isinstance(change, InstanceAdded | InstanceRemoved)]
            if is_preview(epoch):
                self._preview(epoch)
                continue
            self._commit(facts, added, removed, instances)

    def _preview(self, script: Script) -> None:
        """Changes that are tried out and not committed."""
        self._must_change()
        epoch = self.db.epoch()
        take_script(epoch, script, core_of(self.db).opened.functions)
        self.db.preview(epoch)
        self._show(epoch)

    def _commit(
        self,
        facts: Sequence[tuple[int, Atom]],
        added: Sequence[Rule],
        removed: Sequence[str],
        instances: Sequence[InstanceAdded | InstanceRemoved] = (),
    ) -> None:
        self._must_change()
        if not (facts or added or removed or instances):
            return
        with self.db.epoch() as epoch:
            for change in instances:
                if isinstance(change, InstanceAdded):
                    epoch.add_instance(change.instance)
                else:
                    epoch.remove_instance(change.name)
            labels = [epoch.add_rule(rule) for rule in added]
            for label in removed:
                epoch.remove_rule(label)
            for sign, atom in facts:
                row = tuple(ground_value(arg, core_of(self.db).rules.functions)[0] for arg in atom.args)
                (epoch.insert if sign > 0 else epoch.delete)(atom.predicate, [row])
        for label in labels:
            self._line(self.db.rules[label])
        self._show(epoch)

    def _show(self, epoch: Epoch) -> None:
        for line in change_lines(epoch):
            self._line(line)

    def _line(self, text: str) -> None:
        self.to.print(text)

    def _must_change(self) -> None:
        if self.state is not None:
            raise failures.ONLY_ASKED.error(state=self.state, epoch=self.db.epoch_number)

    def _declare(self, text: str) -> None:
        self._must_change()
        if self.db.epoch_number and (self.db.rules or self.db.fact_count):
            if not text.startswith((".comp", ".init")):
                raise failures.LATE_DECLARATION.error()
            with self.db.epoch() as epoch:
                epoch.add_instance(text)
            self._show(epoch)
            return
        self.db = start_engine(parse_program(self._declared + text, NAME, include="."), functions=self.functions)
        self._declared += text + "\n"

    # Questions

    def _query(self, text: str) -> None:
        began = time.perf_counter()
        answers = self.db.query(text)
        seconds = time.perf_counter() - began
        for line in table_lines(answers, ANSWERS):
            self._line(line)
        self._line(f"{count_text(answers)}, {duration(seconds)}")

    # Commands

    def _command(self, text: str) -> None:
        name, _, rest = text.strip().partition(" ")
        found = [known for known in COMMANDS if known == name] or [k for k in COMMANDS if name and k.startswith(name)]
        if len(found) != 1:
            raise failures.UNKNOWN_COMMAND.error(name=name)
        self._handlers[found[0]](rest.strip())

    def _help(self, _: str) -> None:
        self._line(HELP)

    def _quit(self, _: str) -> None:
        self.over = True

    def _why(self, fact: str) -> None:
        try:
            self._line(str(self.db.why(_needed(fact, "why", "reach(1, 3)"))))
        except NotTrueError as error:
            raise error.reworded(str(error).replace("`why_not`", "`:whynot`")) from None

    def _whynot(self, fact: str) -> None:
        self._line(str(self.db.why_not(_needed(fact, "whynot", "reach(1, 3)"))))

    def _at(self, epoch: str) -> None:
        """Another epoch of the state folder; without one, which it is."""
        if self.state is None:
            raise failures.NEEDS_STATE.error()
        if epoch:
            elsewhere = Engine(path=self.state, at=_epoch_number(epoch), functions=self.functions)
            self.db.close()
            self.db = elsewhere
        self._line(f"{self.state} at epoch {self.db.epoch_number}")

    def _profile(self, switch: str) -> None:
        if switch in ("on", "off"):
            self.db.profiling = switch == "on"
            self._line(f"sampling of rules is {switch}")
        else:
            self._line(str(self.db.profile()))

    def _explain(self, how: str) -> None:
        self._line(str(self.db.explain(core=how == "core")))

    def _rules(self, _: str) -> None:
        self._line("\n".join(self.db.rules.values()) or "no rules")

    def _relations(self, _: str) -> None:
        for name in self.db.relations:
            view = self.db[name]
            columns = ", ".join(f"{c}: {t or '?'}" for c, t in zip(view.columns, view.types, strict=True))
            self._line(f"{name}({columns})  {len(view):,} {'fact' if len(view) == 1 else 'facts'}")
        if not self.db.relations:
            self._line("no relations")

    def _delete(self, fact: str) -> None:
        self._commit([(-1, parse_ground_atom(_needed(fact, "delete", "edge(1, 2)"), name=NAME))], [], [])

    def _load(self, file: str) -> None:
        """A program file: its rules and facts are added; the first one may declare relations."""
        _needed(file, "load", "paths.dl")
        self._must_change()
        if not self.db.rules and not self.db.fact_count:
            self.db = load_engine(file, Path(file).parent, functions=self.functions)
            self._line(f"{len(self.db.rules):,} rules, {self.db.fact_count:,} facts")
            return
        text = _read_text(file)
        program = parse_program(text, file, convention=self.convention, include=Path(file).parent)
        if program.declarations or program.directives or program.keys:
            raise failures.LOADED_DECLARATIONS.error(file=file)
        self._commit([(1, fact.atom) for fact in program.facts], program.rules, [])


def _read_text(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise failures.NOT_LOADED.error(file=file, reason=error.strerror) from None


def _epoch_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise failures.NO_EPOCH_NUMBER.error(text=text) from None


def _needed(text: str, command: str, example: str) -> str:
    if not text:
        raise failures.NEEDS_MORE.error(command=command, example=example)
    return text
