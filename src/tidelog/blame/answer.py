"""Blame as a value: how a fact changed in an epoch, the changes that caused it, and the path from each to the fact.

Law: undoing only the ``causes`` of the epoch restores the fact as it was before; none of them can be omitted. If this
could not be achieved, `minimal` or `exact` is false, and a note says why.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tidelog.blame.change import Change, FactChanged, Origin, RuleChanged
from tidelog.io.json_values import json_value
from tidelog.why import Proof, WhyNot

CAME, WENT, CHANGED = "came", "went", "changed"


@dataclass(frozen=True, slots=True)
class Cause:
    """A change that caused another; ``path`` leads from the fact down to it, one line for each step."""

    change: Change
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        return str(self.change)

    def to_json(self) -> dict[str, Any]:
        """Plain values for `json`."""
        return {**change_json(self.change), "path": list(self.path)}


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
        """How the fact changed: ``came`` (it was added), ``went`` (it was removed) or ``changed``."""
        return CHANGED if self.before and self.after else CAME if self.after else WENT

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes that caused it."""
        return tuple(cause.change for cause in self.causes)

    def __str__(self) -> str:
        from tidelog.blame.render import render_blame  # the picture is made of the values, not the other way round

        return render_blame(self)

    def _repr_html_(self) -> str:
        from tidelog.blame.page import blame_page

        return blame_page(self)

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
        from tidelog.blame.render import render_view

        return render_view(self)

    def _repr_html_(self) -> str:
        from tidelog.blame.page import view_page

        return view_page(self)

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


def origin_json(origin: Origin) -> dict[str, Any]:
    """The epoch of a change, as plain values."""
    names = ("epoch", "author", "note", "source", "offset", "time")
    return {name: getattr(origin, name) for name in names}


def change_json(change: Change) -> dict[str, Any]:
    """A change, as plain values."""
    told: dict[str, Any] = {"text": str(change), "origin": origin_json(change.origin)}
    if isinstance(change, FactChanged):
        rows = (None if row is None else [json_value(value) for value in row] for row in (change.come, change.gone))
        asserted, retracted = rows
        named = {"kind": "fact", "relation": change.relation, "asserted": asserted, "retracted": retracted}
        return {**told, **named, "expired": change.expired}
    if isinstance(change, RuleChanged):
        come, gone = change.come is not None, change.gone is not None
        return {**told, "kind": "rule", "label": change.label, "rule": change.text, "added": come, "removed": gone}
    return {**told, "kind": "declarations"}
