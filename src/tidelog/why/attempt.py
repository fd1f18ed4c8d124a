"""How far the evaluation of a rule gets towards an absent fact.

Law: literals that held come before the one that failed, in the notation of the user's rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Attempt:
    """How far one rule gets: the literals that held, the one that failed and why, and the values of its variables then.

    ``tried`` counts the valuations that got this far; the search was ``complete`` unless it became too large.
    """

    rule: str
    text: str
    held: tuple[str, ...]
    failed: str
    reason: str
    bindings: Mapping[str, str] = field(default_factory=dict)
    tried: int = 1
    complete: bool = True

    def lines(self) -> Iterator[str]:
        """A line for each literal that held, and those about the one that failed."""
        for text in self.held:
            yield f"  holds  {text}"
        yield f"  fails  {self.failed}: {self.reason}"
        if self.bindings:
            values = ", ".join(f"{name} = {value}" for name, value in self.bindings.items())
            more = "" if self.tried == 1 else f" (one of {self.tried:,} attempts that get this far)"
            yield f"  with   {values}{more}"
        if not self.complete:
            yield "  the search was stopped, because it visits too many facts"
