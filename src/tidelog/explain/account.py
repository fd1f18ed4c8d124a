"""What epochs cost, as values: sums, strata and rules.

Law: rules and strata with the most time come first; `profile` describes the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from tidelog.explain.numbers import duration
from tidelog.explain.waste import Waste, waste_lines


@dataclass(frozen=True, slots=True)
class RuleProfile:
    """One rule: supports found or lost, rows visited, and sampled seconds in its joins (None: never sampled)."""

    rule: str
    supports: int
    seconds: float | None
    visited: int = 0


@dataclass(frozen=True, slots=True)
class StratumProfile:
    """One stratum: how many epochs visited it, the time they spent there, supports, facts suspended and revived.

    ``rebuilt`` counts the visits that built it again (D26); ``reason`` says why the last one did, if it did.
    """

    relations: tuple[str, ...]
    visits: int
    seconds: float
    supports: int
    suspended: int
    revived: int
    rebuilt: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Account:
    """What one or more epochs cost; rules and strata with the most time (or supports) come first.

    ``wasteful`` are the rules that visit far more rows than they find supports.
    """

    epochs: int
    seconds: float
    suspended: int
    revived: int
    rules: tuple[RuleProfile, ...] = ()
    strata: tuple[StratumProfile, ...] = ()
    wasteful: tuple[Waste, ...] = ()


def account_text(title: str, account: Account) -> str:
    """The sums, and a table of strata and of rules."""
    lines = [
        f"{title}: {duration(account.seconds)}, {account.suspended:,} facts suspended, {account.revived:,} revived",
        *_table(
            ("stratum", "visits", "time", "supports", "suspended", "revived"),
            [
                ("; ".join(s.relations), s.visits, duration(s.seconds), s.supports, s.suspended, s.revived)
                for s in account.strata
            ],
        ),
        *(f"  {'; '.join(s.relations)}: {rebuilt_text(s)}" for s in account.strata if s.rebuilt),
        *_table(
            ("rule", "time", "visited", "supports"),
            [(r.rule, rule_time(r), r.visited, r.supports) for r in account.rules],
        ),
        *waste_lines(account.wasteful),
    ]
    return "\n".join(lines)


def rebuilt_text(stratum: StratumProfile) -> str:
    """How often a stratum was rebuilt, and why the last time."""
    last = f"; the last time because {stratum.reason}" if stratum.reason else ""
    return f"rebuilt {stratum.rebuilt:,} x, which was cheaper than retracting{last}"


def rule_time(rule: RuleProfile) -> str:
    """The sampled seconds of a rule, if there are any."""
    return "-" if rule.seconds is None else duration(rule.seconds)


def _table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> list[str]:
    if not rows:
        return []
    texts = [head, *(tuple(f"{v:,}" if isinstance(v, int) else str(v) for v in row) for row in rows)]
    widths = [max(len(row[i]) for row in texts) for i in range(len(head))]
    return [
        "  " + "  ".join(v.ljust(w) if i == 0 else v.rjust(w) for i, (v, w) in enumerate(zip(row, widths, strict=True)))
        for row in texts
    ]
