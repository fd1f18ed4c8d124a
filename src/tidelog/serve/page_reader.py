"""Views and queries, read a page at a time.

Law: a response and its next pages show the epoch that it names; reading does not wait for an epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tidelog.engine.core.core import Core
from tidelog.engine.engine import Engine, core_of
from tidelog.engine.read.look_up import at_one_epoch, matching, size
from tidelog.engine.read.members import undefined, undefined_counts
from tidelog.engine.read.query import answer, undefined_behind
from tidelog.engine.read.view import Rows, View, open_view
from tidelog.errors import LimitError, TidelogError
from tidelog.partition.base.limits import Limits
from tidelog.partition.base.partition_failures import TOO_LONG, TOO_LONG_TEXT, TOO_MANY_FACTS, TOO_MUCH_MEMORY
from tidelog.program.values.schema import numbered_columns
from tidelog.serve import serve_failures as failures
from tidelog.serve.pages import Key, PageCache, PagePlace
from tidelog.serve.questions import check_question
from tidelog.serve.values import rows_to_json, table_part, type_names, value_from_text

CELL_BYTES = 8


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of a response; ``next`` is the start of the next page."""

    epoch: int
    rows: Rows
    total: int
    next: PagePlace | None
    undefined: Mapping[str, int] = field(default_factory=dict)  # how many facts of relations are not among the rows

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "epoch": self.epoch,
            "columns": list(self.rows.columns),
            "types": type_names(self.rows.types),
            "rows": rows_to_json(self.rows.rows(), self.rows.types),
            "total": self.total,
            "next": None if self.next is None else str(self.next),
            **({"undefined": dict(self.undefined)} if self.undefined else {}),
        }


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The requested page: its number of rows, and its start if it is not the first."""

    limit: int
    after: PagePlace | None = None


class PageReader:
    """Reads an engine for requests."""

    def __init__(self, pages: PageCache, limits: Limits) -> None:
        self._pages, self._limits = pages, limits

    def view(self, db: Engine, name: str, filters: Mapping[str, str], request: PageRequest) -> Page:
        """Rows of a view that have the given values in some columns."""
        core = core_of(db)
        return _noted(
            core, request, lambda: self._view(db, name, filters, request), lambda: undefined_counts(core, (name,))
        )

    def undefined(self, db: Engine, name: str, request: PageRequest) -> Page:
        """The undefined facts of a relation."""
        core = core_of(db)
        return self._page(core, ("undefined", name), request, lambda: at_one_epoch(core, lambda: undefined(core, name)))

    def _view(self, db: Engine, name: str, filters: Mapping[str, str], request: PageRequest) -> Page:
        core, view = core_of(db), db[name]
        key = ("view", name, tuple(sorted(filters.items())))
        if filters:
            columns, cells = _filter_cells(view, filters)
            return self._page(core, key, request, lambda: _matching(core, view, columns, cells))
        if not self._pages.have_room(size(core, name) * len(view.columns) * CELL_BYTES):
            return _page_of_many(core, name, request)
        return self._page(core, key, request, lambda: _all_rows(core, name))

    def question(self, db: Engine, text: str, request: PageRequest) -> Page:
        """Answers to a query."""
        core = core_of(db)
        check_question(text, db.convention, core.rules.program.prefixes)

        def ask() -> tuple[Rows, int]:
            try:
                return answer(core, text, limits=self._limits)
            except LimitError as error:
                raise self._translate_limit(error) from error

        return _noted(
            core,
            request,
            lambda: self._page(core, ("question", text), request, ask),
            lambda: undefined_behind(core, text),
        )

    def _translate_limit(self, error: LimitError) -> TidelogError:
        """Convert the error of a limit that a query exceeded, so that it names the server's options."""
        if error.code == TOO_LONG.code:
            return failures.TOO_LONG.error(seconds=self._limits.seconds)
        if error.code in (TOO_MUCH_MEMORY.code, TOO_LONG_TEXT.code):
            return failures.TOO_MUCH_MEMORY.error(megabytes=(self._limits.memory or 0) >> 20)
        return failures.TOO_MANY_ANSWERS.error(rows=self._limits.facts) if error.code == TOO_MANY_FACTS.code else error

    def _page(self, core: Core, key: Key, request: PageRequest, read: Callable[[], tuple[Rows, int]]) -> Page:
        epoch = core.number if request.after is None else request.after.epoch
        rows = self._pages.find(key, epoch)
        if rows is None:
            if epoch != core.number:
                raise failures.PAGES_GONE.error(epoch=epoch, now=core.number)
            rows, read_epoch = read()
            if request.after is not None and read_epoch != epoch:
                raise failures.PAGES_GONE.error(epoch=epoch, now=read_epoch)
            epoch = read_epoch
        first = 0 if request.after is None else request.after.first
        end = first + request.limit
        if end < len(rows):
            self._pages.keep(key, epoch, rows)
        following = PagePlace(epoch, end) if end < len(rows) else None
        return Page(epoch, table_part(rows, first, request.limit), len(rows), following)


def _noted(core: Core, request: PageRequest, read: Callable[[], Page], counts: Callable[[], Mapping[str, int]]) -> Page:
    """A page; the first of a response also has the numbers of undefined facts at its epoch."""
    if request.after is not None or not core.rules.cyclic:
        return read()
    return at_one_epoch(core, lambda: replace(read(), undefined=counts()))[0]


def _page_of_many(core: Core, name: str, request: PageRequest) -> Page:
    """A page of a relation that is too large to keep; the next pages are available until the epoch ends."""
    first = 0 if request.after is None else request.after.first

    def read() -> tuple[int, Rows]:
        total = size(core, name)
        return total, table_part(open_view(core, name), first, min(request.limit, max(0, total - first)))

    (total, rows), number = at_one_epoch(core, read)
    if request.after is not None and request.after.epoch != number:
        raise failures.PAGES_GONE.error(epoch=request.after.epoch, now=number)
    end = first + request.limit
    return Page(number, rows, total, PagePlace(number, end) if end < total else None)


def _all_rows(core: Core, name: str) -> tuple[Rows, int]:
    """All rows of a relation, and their epoch."""
    (view, cells), number = at_one_epoch(core, lambda: (open_view(core, name), matching(core, name, (), ())))
    return Rows(name, view.columns, view.types, core.dictionary, cells, view.outside), number


def _matching(core: Core, view: View, columns: tuple[int, ...], cells: list[int]) -> tuple[Rows, int]:
    """The rows of a relation with these cells in these columns, and their epoch."""
    cells_found, number = at_one_epoch(core, lambda: matching(core, view.name, columns, cells))
    return Rows(view.name, view.columns, view.types, core.dictionary, cells_found, view.outside), number


def _filter_cells(view: View, filters: Mapping[str, str]) -> tuple[tuple[int, ...], list[int]]:
    """The filtered columns in order, and the cell to match in each; a column is named, or numbered: c1, c2, ..."""
    numbers = dict(zip(numbered_columns(len(view.columns)), view.columns, strict=True))
    texts = dict(filters)
    for name in filters.keys() - set(view.columns):
        column = numbers.get(name)
        if column is None or column in texts:
            raise failures.NO_COLUMN.error(relation=view.name, name=name, known=", ".join(view.columns) or "none")
        texts[column] = texts.pop(name)
    places = tuple(place for place, name in enumerate(view.columns) if name in texts)
    types = [view.types[place] for place in places]
    values = [value_from_text(texts[view.columns[place]], view.types[place]) for place in places]
    return places, [view._cell(value, type_) for value, type_ in zip(values, types, strict=True)]
