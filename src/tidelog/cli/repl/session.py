"""What an input of the repl does: a change, a question or a command.

Law: every change is one epoch, told with what it changed and how long it took; an input in error changes nothing and
is told as a diagnostic. Declarations come before rules and facts, since they fix how the rest is read (D7).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from tidelog.cli import failures
from tidelog.cli.load import load_engine, start_engine
from tidelog.cli.repl.commands import COMMANDS, HELP
from tidelog.cli.repl.inputs import ends_with_period
from tidelog.cli.repl.show import change_lines, table_lines
from tidelog.cli.show import show_diagnostics, show_error
from tidelog.engine.engine import Engine
from tidelog.engine.epoch import Epoch
from tidelog.errors import ProgramError, TidelogError
from tidelog.explain.profile import duration
from tidelog.program import Atom, Rule
from tidelog.program.functions import FUNCTIONS
from tidelog.program.ground import ground_value
from tidelog.syntax import (
    FactChange,
    InstanceAdded,
    InstanceRemoved,
    RuleAdded,
    RuleRemoved,
    parse_changes,
    parse_ground_atom,
    parse_program,
    parse_rules,
)
from tidelog.why import NotTrueError

NAME = "<repl>"


class ReplSession:
    """An engine and what is typed at it."""

    def __init__(self, db: Engine, to: Console) -> None:
        self.db = db
        self.to = to
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
            self._dispatch(text.strip())
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
        if text.startswith(":") and not text.startswith(":-"):
            self._command(text[1:])
        elif text.startswith("?"):
            self._query(text[1:])
        elif text.startswith((".", "#")):
            self._declare(text)
        elif text.startswith(("+", "-")):
            self._change(text)
        elif text:
            self._clauses(text)

    # Changes

    def _clauses(self, text: str) -> None:
        """Rules and facts as a program writes them; what nobody finished is not guessed at."""
        if not ends_with_period(text, self.convention):
            raise failures.NO_PERIOD.error()
        rules = parse_rules(text, convention=self.convention, name=NAME)
        facts = [rule.head for rule in rules if not rule.body and rule.label is None]
        self._commit([(1, fact) for fact in facts], [r for r in rules if r.body or r.label is not None], [])

    def _change(self, text: str) -> None:
        """Changes as a script writes them."""
        for epoch in parse_changes(text, NAME, convention=self.convention):
            facts = [(change.sign, change.atom) for change in epoch if isinstance(change, FactChange)]
            added = [change.rule for change in epoch if isinstance(change, RuleAdded)]
            removed = [change.label for change in epoch if isinstance(change, RuleRemoved)]
            instances = [change for change in epoch if isinstance(change, InstanceAdded | InstanceRemoved)]
            self._commit(facts, added, removed, instances)

    def _commit(
        self,
        facts: Sequence[tuple[int, Atom]],
        added: Sequence[Rule],
        removed: Sequence[str],
        instances: Sequence[InstanceAdded | InstanceRemoved] = (),
    ) -> None:
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
                row = tuple(ground_value(arg, FUNCTIONS)[0] for arg in atom.args)
                (epoch.insert if sign > 0 else epoch.delete)(atom.predicate, [row])
        for label in labels:
            self._line(self.db.rules[label])
        self._show(epoch)

    def _show(self, epoch: Epoch) -> None:
        for line in change_lines(epoch):
            self._line(line)

    def _line(self, text: str) -> None:
        self.to.print(text)

    def _declare(self, text: str) -> None:
        if self.db.epoch_number and (self.db.rules or self.db.fact_count):
            if not text.startswith((".comp", ".init")):
                raise failures.LATE_DECLARATION.error()
            with self.db.epoch() as epoch:
                epoch.add_instance(text)
            self._show(epoch)
            return
        self.db = start_engine(parse_program(self._declared + text, NAME, include="."))
        self._declared += text + "\n"

    # Questions

    def _query(self, text: str) -> None:
        began = time.perf_counter()
        answers = self.db.query(text)
        seconds = time.perf_counter() - began
        for line in table_lines(answers):
            self._line(line)
        count = f"{len(answers):,} {'answer' if len(answers) == 1 else 'answers'}"
        self._line(f"{count if answers.columns else 'yes' if len(answers) else 'no'}, {duration(seconds)}")

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
        if not self.db.rules and not self.db.fact_count:
            self.db = load_engine(file, Path(file).parent)
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


def _needed(text: str, command: str, example: str) -> str:
    if not text:
        raise failures.NEEDS_MORE.error(command=command, example=example)
    return text
