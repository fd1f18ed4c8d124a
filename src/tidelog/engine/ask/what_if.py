"""What if: preview one set of changes, or several side by side, without committing anything.

Law: every alternative starts from the same committed epoch. It reports (changes, cost, views, proofs, blame) what
committing it would have reported, or why it would be refused. Further questions about an alternative run it again, so
the engine must still be at that epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tidelog.blame.blame_failures import SEVERAL_EPOCHS
from tidelog.engine.ask.blame import blame_epoch, scene_after, went_on
from tidelog.engine.read.report import Changes, EpochStatistics, fixed_rows
from tidelog.engine.read.view import Rows, fact_writer
from tidelog.engine.write.commit import begin, preview
from tidelog.engine.write.constraints import enforce
from tidelog.engine.write.epoch import Epoch, kept_input
from tidelog.engine.write.script import take_script
from tidelog.errors import TidelogError
from tidelog.explain.numbers import duration
from tidelog.io import html
from tidelog.io.json_values import json_value
from tidelog.program.functions.arguments import argument_error
from tidelog.program.values.rule import REFUSE
from tidelog.syntax import parse_changes
from tidelog.why import Bounds, WhyNot, prove, refute
from tidelog.why.proof import Proof

if TYPE_CHECKING:
    from tidelog.blame import Blame, ViewBlame
    from tidelog.engine.core.core import Core
    from tidelog.engine.read.ask import Fact
    from tidelog.engine.write.violations import Violation

Trial: TypeAlias = "str | Epoch | Callable[[Epoch], object]"
SHOWN = 3


@dataclass(frozen=True, slots=True, repr=False)
class Alternative:
    """Changes that were previewed; ``refused`` is the error that committing them would raise, if any."""

    name: str
    epoch: Epoch
    core: Core
    refused: TidelogError | None = None

    @property
    def changes(self) -> Changes:
        """What would change, by relation."""
        return self.epoch.changes

    @property
    def statistics(self) -> EpochStatistics:
        """What it would cost."""
        return self.epoch.statistics

    def __getitem__(self, name: str) -> Rows:
        """A view as it would be."""
        self._must_stand()
        change = self.changes[name]
        known = self.core.runtime.facts.arity(name) is not None
        width = len(change.inserted.types)
        now = self.core.runtime.facts.rows(name) if known else np.zeros((0, width), np.int64)
        gone = set(map(tuple, change.deleted._cells().tolist()))
        kept = now[[tuple(row) not in gone for row in now.tolist()]] if gone else now
        schema = {name: change.inserted.types}
        return fixed_rows(self.core, name, np.concatenate([kept, change.inserted._cells()]), schema)

    def blame(self, fact: Fact | Violation, *, trials: int = 1000) -> Blame | ViewBlame:
        """Why a fact, or a whole view, would change."""
        self._must_stand()
        return blame_epoch(self.core, self.epoch, fact, trials)

    def why(self, fact: Fact) -> Proof:
        """The proof that a fact would have."""
        self._must_stand()
        with scene_after(self.core, self.epoch, fact) as (ledger, key):
            return prove(ledger, key, Bounds())

    def why_not(self, fact: Fact) -> WhyNot:
        """Why a fact would be absent."""
        self._must_stand()
        with scene_after(self.core, self.epoch, fact) as (ledger, key):
            return refute(ledger, key)

    def _must_stand(self) -> None:
        epoch_input = kept_input(self.epoch)
        if epoch_input is None:
            assert self.refused is not None, "changes that were not refused have run"
            raise self.refused
        if epoch_input.number != self.core.number:
            raise went_on(self.core, self.epoch, epoch_input)

    @property
    def cost(self) -> str:
        """The cost, or why it would be refused, in one line."""
        if self.refused is not None:
            return f"refused: {str(self.refused).splitlines()[0]}"
        cost = self.statistics
        supports = sum(cost.supports.values())
        return f"{duration(cost.seconds)}, {supports:,} {'support' if supports == 1 else 'supports'}"

    def __repr__(self) -> str:
        return "\n".join([f"{self.name}: {self.cost}", *self._lines()])

    def _lines(self) -> Iterator[str]:
        if self.refused is not None:
            return
        for name, change in self.changes.items():
            write = fact_writer(change.inserted, name, self.core.rules.program.convention)
            signed = [("+" if sign > 0 else "-") + write(row) for sign, row in _few(change.signed)]
            more = " ..." if len(change.inserted) + len(change.deleted) > len(signed) else ""
            yield f"  {name}  {change!r}  {' '.join(signed)}{more}"
        if not self.changes:
            yield "  no relation changes"

    def _repr_html_(self) -> str:
        return html.page(html.lines(repr(self).splitlines()))

    def to_json(self) -> dict[str, Any]:
        """Plain values for `json`: the cost, and the rows of every relation that would be added and removed."""
        if self.refused is not None:
            return {"name": self.name, "refused": str(self.refused), "code": self.refused.code}
        changes = {
            name: {
                "inserted": [[json_value(value) for value in row] for row in change.inserted],
                "deleted": [[json_value(value) for value in row] for row in change.deleted],
            }
            for name, change in self.changes.items()
        }
        supports = sum(self.statistics.supports.values())
        return {"name": self.name, "seconds": self.statistics.seconds, "supports": supports, "changes": changes}


class Alternatives(Mapping[str, Alternative]):
    """Several sets of changes by name, each previewed from the same epoch."""

    def __init__(self, tried: Iterable[Alternative]) -> None:
        self._tried = {alternative.name: alternative for alternative in tried}

    def __getitem__(self, name: str) -> Alternative:
        return self._tried[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tried)

    def __len__(self) -> int:
        return len(self._tried)

    def rows(self) -> list[tuple[str, ...]]:
        """The rows of the comparison: for each changed relation, how much each alternative changes; then the cost."""
        names = sorted({name for each in self.values() if each.refused is None for name in each.changes})
        changed = [(name, *(_counted(each, name) for each in self.values())) for name in names]
        supports = (f"{sum(each.statistics.supports.values()):,}" for each in self.values())
        seconds = (duration(each.statistics.seconds) if each.refused is None else "refused" for each in self.values())
        return [*changed, ("supports", *supports), ("time", *seconds)]

    def refusals(self) -> list[str]:
        """The alternatives that would be refused, and why."""
        return [f"{each.name} is {each.cost}" for each in self.values() if each.refused is not None]

    def __repr__(self) -> str:
        table = [("", *self), *self.rows()]
        widths = [max(len(row[column]) for row in table) for column in range(len(self) + 1)]
        lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in table)
        return "\n".join([*(line.rstrip() for line in lines), *self.refusals()])

    def _repr_html_(self) -> str:
        refusals = (html.line(html.text(line)) for line in self.refusals())
        return html.page(html.table(("", *self), self.rows()), *refusals)

    def to_json(self) -> list[dict[str, Any]]:
        """Plain values for `json`."""
        return [each.to_json() for each in self.values()]


def _few(signed: list[tuple[int, tuple[Any, ...]]]) -> list[tuple[int, tuple[Any, ...]]]:
    """A few added and a few removed rows."""
    parts = ([row for row in signed if row[0] == sign][:SHOWN] for sign in (1, -1))
    return [row for part in parts for row in part]


def _counted(alternative: Alternative, name: str) -> str:
    if alternative.refused is not None:
        return ""
    return repr(alternative.changes[name]) if name in alternative.changes else "unchanged"


def what_if(core: Core, changes: Trial | Mapping[str, Trial]) -> Alternative | Alternatives:
    """Preview changes, or several sets of them by name; see `Engine.what_if`."""
    core.must_be_open()
    with core.writing:
        if isinstance(changes, Mapping):
            return Alternatives(_tried(core, str(name), each) for name, each in changes.items())
        return _tried(core, "what if", changes)


def trial_epoch(core: Core, changes: Trial) -> Epoch:
    """An epoch with some changes."""
    epoch = changes if isinstance(changes, Epoch) else begin(core)
    _collect(core, epoch, changes)
    return epoch


def _tried(core: Core, name: str, changes: Trial) -> Alternative:
    epoch = changes if isinstance(changes, Epoch) else begin(core)
    try:
        _collect(core, epoch, changes)
        preview(core, epoch)
        enforce([violated for violated in epoch.violations if violated.severity == REFUSE])
    except TidelogError as error:
        return Alternative(name, epoch, core, error)
    return Alternative(name, epoch, core)


def _collect(core: Core, epoch: Epoch, changes: Trial) -> None:
    if isinstance(changes, str):
        program = core.rules.program
        script = parse_changes(changes, convention=program.convention, prefixes=program.prefixes)
        if len(script) > 1:
            raise SEVERAL_EPOCHS.error(count=len(script))
        for part in script:
            take_script(epoch, part, core.opened.functions)
    elif callable(changes):
        changes(epoch)
    elif not isinstance(changes, Epoch):
        wanted = "the text of a change script, an epoch, a function that fills one, or a mapping of names to these"
        raise argument_error(changes, "changes", wanted)
