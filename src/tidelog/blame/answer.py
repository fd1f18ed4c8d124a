"""Blame as a value: how a fact changed in an epoch, the changes that caused it, and the path from each to the fact.

Law: undoing only the ``causes`` of the epoch restores the fact as it was before; none of them can be omitted. If this
could not be achieved, `minimal` or `exact` is false, and a note explains why.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tidelog.blame.change import Cause, Change, Origin, RuleChanged, change_json, origin_json
from tidelog.io import html
from tidelog.why import Proof, WhyNot

ADDED, REMOVED, CHANGED = "added", "removed", "changed"
PROOF_LINES = 40


@dataclass(frozen=True, slots=True)
class Blame:
    """Why a fact was added, removed, or changed its value in an epoch.

    ``before`` and ``after`` are the facts of its group, which for most relations is the fact itself. ``proof`` is the
    new proof, ``old_proof`` the broken one, and ``missing`` explains why no other proof holds.
    """

    fact: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    origin: Origin
    causes: tuple[Cause, ...] = ()
    instead: tuple[Change, ...] = ()  # other changes, each of which undoes it alone, too
    proof: Proof | None = field(default=None, repr=False)
    old_proof: Proof | None = field(default=None, repr=False)
    missing: WhyNot | None = field(default=None, repr=False)
    trials: int = 0
    considered: int = 0  # changes of the epoch that the fact may depend on
    minimal: bool = True
    exact: bool = True
    note: str = ""

    @property
    def what(self) -> str:
        """How the fact changed: ``added``, ``removed`` or ``changed``."""
        return CHANGED if self.before and self.after else ADDED if self.after else REMOVED

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes that caused it."""
        return tuple(cause.change for cause in self.causes)

    def __str__(self) -> str:
        return "\n".join(_blame_lines(self))

    def _repr_html_(self) -> str:
        return _blame_page(self)

    def to_json(self) -> dict[str, Any]:
        """Plain values for `json`."""
        return {
            "fact": self.fact,
            "what": self.what,
            "before": list(self.before),
            "after": list(self.after),
            "origin": origin_json(self.origin),
            "causes": [cause.to_json() for cause in self.causes],
            "instead": [change_json(change) for change in self.instead],
            "proof": None if self.proof is None else self.proof.to_json(),
            "old_proof": None if self.old_proof is None else self.old_proof.to_json(),
            "missing": None if self.missing is None else self.missing.to_json(),
            "trials": self.trials,
            "considered": self.considered,
            "minimal": self.minimal,
            "exact": self.exact,
            "note": self.note,
        }

    def json(self) -> str:
        """The JSON text."""
        return json.dumps(self.to_json(), indent=2, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class CauseGroup:
    """Changes of a view with one cause: undoing ``changes`` alone reverts them all. A few of them are listed."""

    changes: tuple[Change, ...]
    inserted: int
    deleted: int
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "; ".join(map(str, self.changes))

    @property
    def counts(self) -> str:
        """The numbers of added and removed facts."""
        signed = (f"{sign}{count:,}" for sign, count in (("+", self.inserted), ("-", self.deleted)) if count)
        return " ".join(signed) or "no change"


@dataclass(frozen=True, slots=True)
class ViewBlame:
    """Why a view changed in an epoch: its changes grouped by cause, the largest group first.

    A change with several causes is reported with the first of them. ``inserted`` and ``deleted`` count the changes for
    which no cause was found within the trials.
    """

    view: str
    origin: Origin
    groups: tuple[CauseGroup, ...]
    inserted: int = 0
    deleted: int = 0
    trials: int = 0

    @property
    def complete(self) -> bool:
        """Whether every change of the view has its cause."""
        return not (self.inserted or self.deleted)

    def __iter__(self) -> Iterator[CauseGroup]:
        return iter(self.groups)

    def __str__(self) -> str:
        return "\n".join(_view_lines(self))

    def _repr_html_(self) -> str:
        return _view_page(self)

    def to_json(self) -> dict[str, Any]:
        """Plain values for `json`."""
        return {
            "view": self.view,
            "origin": origin_json(self.origin),
            "groups": [
                {
                    "changes": [change_json(change) for change in group.changes],
                    "inserted": group.inserted,
                    "deleted": group.deleted,
                    "examples": list(group.examples),
                }
                for group in self.groups
            ],
            "unexplained": {"inserted": self.inserted, "deleted": self.deleted},
            "trials": self.trials,
        }

    def json(self) -> str:
        """The JSON text."""
        return json.dumps(self.to_json(), indent=2, ensure_ascii=False)


# As text: what happened to the fact and who did it, the causes with the path from the fact down to each, the proofs


def _headline(blame: Blame) -> str:
    """How the fact changed, in one line."""
    if blame.what == ADDED:
        return f"{blame.fact} was added in {blame.origin}"
    if blame.what == REMOVED:
        return f"{blame.fact} was removed in {blame.origin}"
    return f"{', '.join(blame.after)} replaced {', '.join(blame.before)} in {blame.origin}"


def _effort(blame: Blame) -> str:
    """How the causes were found."""
    changes = "change" if blame.considered == 1 else "changes"
    trials = "trial" if blame.trials == 1 else "trials"
    return f"{blame.considered:,} {changes} of the epoch may matter; found in {blame.trials:,} {trials}"


def _summary(blame: Blame) -> str:
    """A summary of the causes, in one line."""
    if not blame.exact:
        return f"the exact cause was not found: {blame.note}"
    if not blame.minimal:
        return f"undoing these changes alone reverts it, but {blame.note}"
    if len(blame.causes) == 1:
        return "undoing this change alone reverts it"
    return "undoing all of these changes reverts it, undoing fewer does not"


def _blame_lines(blame: Blame) -> Iterator[str]:
    yield _headline(blame)
    yield f"because ({_summary(blame)}; {_effort(blame)}):"
    for cause in blame.causes:
        yield from _cause_lines(cause, blame.origin)
    for change in blame.instead:
        yield f"  alternatively: {change}"
    if blame.proof is not None:
        yield from ("", "the new proof:", *_shortened(str(blame.proof)))
    if blame.old_proof is not None:
        yield from ("", "the proof that broke:", *_shortened(str(blame.old_proof)))
    if blame.missing is not None:
        yield from ("", "no other proof holds:", *_shortened(str(blame.missing)))


def _cause_lines(cause: Cause, origin: Origin) -> Iterator[str]:
    own = "" if cause.change.origin == origin else f"  ({cause.change.origin})"
    yield f"  {cause.change}{own}"
    if isinstance(cause.change, RuleChanged):
        yield f"    {cause.change.text}"
    for depth, step in enumerate(cause.path):
        yield f"    {'   ' * max(0, depth - 1)}{'└─ ' if depth else ''}{step}"


def _shortened(text: str) -> list[str]:
    lines = text.splitlines()
    more = [f"  ... {len(lines) - PROOF_LINES:,} more lines"] if len(lines) > PROOF_LINES else []
    return [f"  {line}".rstrip() for line in lines[:PROOF_LINES]] + more


def _view_headline(blame: ViewBlame) -> str:
    """How much of a view changed, in one line."""
    inserted = blame.inserted + sum(group.inserted for group in blame.groups)
    deleted = blame.deleted + sum(group.deleted for group in blame.groups)
    return f"{blame.view} +{inserted:,} -{deleted:,} in {blame.origin}"


def _left_over(blame: ViewBlame) -> str:
    """The changes without a known cause."""
    return f"+{blame.inserted:,} -{blame.deleted:,} without a known cause after {blame.trials:,} trials"


def _view_lines(blame: ViewBlame) -> Iterator[str]:
    """One line for each cause, with a few of its changes."""
    yield _view_headline(blame)
    yield from map(_group_line, blame.groups)
    if not blame.complete:
        yield f"  {_left_over(blame)}"


def _group_line(group: CauseGroup) -> str:
    return f"  {group}: {group.counts}, such as {', '.join(group.examples)}"


# As a page of a notebook, with the same parts as the text


def _blame_page(blame: Blame) -> str:
    """What happened to a fact, its causes, and the proofs."""
    parts = [html.line(f"<b>{html.text(_headline(blame))}</b>")]
    parts.append(html.line(html.faint(f"because ({_summary(blame)}; {_effort(blame)}):")))
    parts += map(_cause_page, blame.causes)
    parts += (html.line(html.faint("alternatively:"), html.code(str(change))) for change in blame.instead)
    if blame.proof is not None:
        parts.append(html.fold("the new proof", blame.proof._repr_html_()))
    if blame.old_proof is not None:
        parts.append(html.fold("the proof that broke", blame.old_proof._repr_html_()))
    if blame.missing is not None:
        parts.append(html.fold("no other proof holds", blame.missing._repr_html_()))
    return html.page(*parts)


def _cause_page(cause: Cause) -> str:
    steps = "".join(html.line(html.code(step)) for step in cause.path)
    rule = html.line(html.code(cause.change.text)) if isinstance(cause.change, RuleChanged) else ""
    change = html.code(str(cause.change))
    return html.fold(change, rule + steps, is_open=True) if rule or steps else html.line(change)


def _view_page(blame: ViewBlame) -> str:
    """The causes of a view's changes, as a table."""
    rows = [(str(g), g.inserted, g.deleted, ", ".join(g.examples)) for g in blame.groups]
    parts = [html.line(f"<b>{html.text(_view_headline(blame))}</b>")]
    parts.append(html.table(("cause", "+", "-", "such as"), rows, numbers=(1, 2)))
    if not blame.complete:
        parts.append(html.line(html.faint(_left_over(blame))))
    return html.page(*parts)
