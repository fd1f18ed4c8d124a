"""Views and questions, read a page at a time.

Law: what an answer holds is true at the epoch that it names, and so are its further pages; reading waits for no epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tidelog.engine.core.core import Core
from tidelog.engine.engine import Engine, core_of
from tidelog.engine.read.look_up import matching, size
from tidelog.engine.read.query import answer, at_one_epoch
from tidelog.engine.read.view import Rows, View, open_view
from tidelog.errors import LimitError, TidelogError
from tidelog.partition.base.limits import Limits
from tidelog.partition.base.partition_failures import TOO_LONG, TOO_LONG_TEXT, TOO_MANY_FACTS, TOO_MUCH_MEMORY
from tidelog.serve import serve_failures as failures
from tidelog.serve.pages import Key, Pages, Place
from tidelog.serve.questions import check_question
from tidelog.serve.values import rows_to_json, table_part, type_names, value_from_text

CELL_BYTES = 8


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of an answer; ``next`` is where the following page begins."""

    epoch: int
    rows: Rows
    total: int
    next: Place | None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "epoch": self.epoch,
            "columns": list(self.rows.columns),
            "types": type_names(self.rows.types),
            "rows": rows_to_json(self.rows.rows(), self.rows.types),
            "total": self.total,
            "next": None if self.next is None else str(self.next),
        }


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which page: its rows, and where it begins if it is not the first."""

    limit: int
    after: Place | None = None


class Reader:
    """Reads an engine for requests."""

    def __init__(self, pages: Pages, limits: Limits) -> None:
        self._pages, self._limits = pages, limits

    def view(self, db: Engine, name: str, filters: Mapping[str, str], wanted: PageRequest) -> Page:
        """Rows of a view, those with the given values in some columns."""
        core, view = core_of(db), db[name]
        key = ("view", name, tuple(sorted(filters.items())))
        if filters:
            columns, cells = _wanted_cells(view, filters)
            return self._page(core, key, wanted, lambda: _matching(core, view, columns, cells))
        if not self._pages.have_room(size(core, name) * len(view.columns) * CELL_BYTES):
            return _page_of_many(core, name, wanted)
        return self._page(core, key, wanted, lambda: _all_rows(core, name))

    def question(self, db: Engine, text: str, wanted: PageRequest) -> Page:
        """Answers to a question."""
        core = core_of(db)
        check_question(text, db.convention)

        def ask() -> tuple[Rows, int]:
            try:
                return answer(core, text, limits=self._limits)
            except LimitError as error:
                raise self._told(error) from error

        return self._page(core, ("question", text), wanted, ask)

    def _told(self, error: LimitError) -> TidelogError:
        """A limit that a question hit, in its own terms: what it would have made has no name."""
        if error.code == TOO_LONG.code:
            return failures.TOO_LONG.error(seconds=self._limits.seconds)
        if error.code in (TOO_MUCH_MEMORY.code, TOO_LONG_TEXT.code):
            return failures.TOO_MUCH_MEMORY.error(megabytes=(self._limits.memory or 0) >> 20)
        return failures.TOO_MANY_ANSWERS.error(rows=self._limits.facts) if error.code == TOO_MANY_FACTS.code else error

    def _page(self, core: Core, key: Key, wanted: PageRequest, read: Callable[[], tuple[Rows, int]]) -> Page:
        epoch = core.number if wanted.after is None else wanted.after.epoch
        rows = self._pages.find(key, epoch)
        if rows is None:
            if epoch != core.number:
                raise failures.PAGES_GONE.error(epoch=epoch, now=core.number)
            rows, found = read()
            if wanted.after is not None and found != epoch:
                raise failures.PAGES_GONE.error(epoch=epoch, now=found)
            epoch = found
        first = 0 if wanted.after is None else wanted.after.first
        end = first + wanted.limit
        if end < len(rows):
            self._pages.keep(key, epoch, rows)
        following = Place(epoch, end) if end < len(rows) else None
        return Page(epoch, table_part(rows, first, wanted.limit), len(rows), following)


def _page_of_many(core: Core, name: str, wanted: PageRequest) -> Page:
    """A page of a relation that is too large to be kept for the pages that follow: they end with the epoch."""
    first = 0 if wanted.after is None else wanted.after.first

    def read() -> tuple[int, Rows]:
        total = size(core, name)
        return total, table_part(open_view(core, name), first, min(wanted.limit, max(0, total - first)))

    (total, rows), number = at_one_epoch(core, read)
    if wanted.after is not None and wanted.after.epoch != number:
        raise failures.PAGES_GONE.error(epoch=wanted.after.epoch, now=number)
    end = first + wanted.limit
    return Page(number, rows, total, Place(number, end) if end < total else None)


def _all_rows(core: Core, name: str) -> tuple[Rows, int]:
    """All rows of a relation, and their epoch."""
    (view, cells), number = at_one_epoch(core, lambda: (open_view(core, name), matching(core, name, (), ())))
    return Rows(name, view.columns, view.types, core.dictionary, cells, view.outside), number


def _matching(core: Core, view: View, columns: tuple[int, ...], cells: list[int]) -> tuple[Rows, int]:
    """The rows of a relation with these cells in these columns, and their epoch."""
    found, number = at_one_epoch(core, lambda: matching(core, view.name, columns, cells))
    return Rows(view.name, view.columns, view.types, core.dictionary, found, view.outside), number


def _wanted_cells(view: View, filters: Mapping[str, str]) -> tuple[tuple[int, ...], list[int]]:
    """Columns in order, and the cell that is wanted in each."""
    for name in filters:
        if name not in view.columns:
            raise failures.NO_COLUMN.error(relation=view.name, name=name, known=", ".join(view.columns) or "none")
    places = tuple(place for place, name in enumerate(view.columns) if name in filters)
    types = [view.types[place] for place in places]
    texts = [filters[view.columns[place]] for place in places]
    values = [value_from_text(text, type_) for text, type_ in zip(texts, types, strict=True)]
    return places, [view._cell(value, type_) for value, type_ in zip(values, types, strict=True)]
