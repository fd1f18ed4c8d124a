"""Why a fact is not true, as a value: how far the evaluation of each rule of its relation gets.

Law: text, page and JSON have the same content.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tidelog.why.attempt import Attempt
from tidelog.why.page import absence_page


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a fact is absent: one attempt per rule, or a note if there are no rules; ``present`` facts have neither."""

    fact: str
    present: bool
    attempts: tuple[Attempt, ...] = ()
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain values for `json`."""
        return asdict(self)

    def _repr_html_(self) -> str:
        return absence_page(self.fact, self._verdict, self.attempts)

    def __str__(self) -> str:
        lines = [f"{self.fact} {self._verdict}"]
        for attempt in self.attempts:
            lines += ["", attempt.text, *attempt.lines()]
        return "\n".join(lines)

    @property
    def _verdict(self) -> str:
        return f"is {'true' if self.present else 'not true'}" + (f": {self.note}" if self.note else "")
