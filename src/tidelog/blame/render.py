"""Blame as text.

Law: the change of the fact and its author come first, then the causes, each with the path from the fact down to it;
then the new proof, or the broken one and why no other holds.
"""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.blame.answer import CAME, WENT, Blame, Cause, CauseGroup, ViewBlame
from tidelog.blame.change import Origin, RuleChanged

PROOF_LINES = 40


def render_blame(blame: Blame) -> str:
    """The whole answer."""
    return "\n".join(_blame_lines(blame))


def headline(blame: Blame) -> str:
    """How the fact changed, in one line."""
    if blame.what == CAME:
        return f"{blame.fact} was added in {blame.origin}"
    if blame.what == WENT:
        return f"{blame.fact} was removed in {blame.origin}"
    return f"{', '.join(blame.after)} replaced {', '.join(blame.before)} in {blame.origin}"


def effort(blame: Blame) -> str:
    """How the causes were found."""
    changes = "change" if blame.considered == 1 else "changes"
    trials = "trial" if blame.trials == 1 else "trials"
    return f"{blame.considered:,} {changes} of the epoch may matter; found in {blame.trials:,} {trials}"


def summary(blame: Blame) -> str:
    """What the causes are, in one line."""
    if not blame.exact:
        return f"the exact cause was not found: {blame.note}"
    if not blame.minimal:
        return f"undoing these changes alone reverts it, but {blame.note}"
    if len(blame.causes) == 1:
        return "undoing this change alone reverts it"
    return "undoing all of these changes reverts it, undoing fewer does not"


def _blame_lines(blame: Blame) -> Iterator[str]:
    yield headline(blame)
    yield f"because ({summary(blame)}; {effort(blame)}):"
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


def view_headline(blame: ViewBlame) -> str:
    """How much of a view changed, in one line."""
    inserted = blame.inserted + sum(group.inserted for group in blame.groups)
    deleted = blame.deleted + sum(group.deleted for group in blame.groups)
    return f"{blame.view} +{inserted:,} -{deleted:,} in {blame.origin}"


def left_over(blame: ViewBlame) -> str:
    """The changes without a known cause."""
    return f"+{blame.inserted:,} -{blame.deleted:,} without a known cause after {blame.trials:,} trials"


def render_view(blame: ViewBlame) -> str:
    """One line for each cause, with a few of its changes."""
    lines = [view_headline(blame)]
    lines += (_group_line(group) for group in blame.groups)
    if not blame.complete:
        lines.append(f"  {left_over(blame)}")
    return "\n".join(lines)


def _group_line(group: CauseGroup) -> str:
    return f"  {group}: {group.counts}, such as {', '.join(group.examples)}"
