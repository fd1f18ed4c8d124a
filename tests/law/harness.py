"""What the tests of the central law share: an engine and the naive evaluator, with the same changes.

`Case` is one random history, named by its seed; `shrink` makes a failing one small. Everything is asked of the engine
through its public methods; rules are added as text, so that the printer and the parser take part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from tidelog.engine.engine import Engine, core_of
from tidelog.engine.write.epoch import Epoch
from tidelog.program import Program
from tidelog.program.functions.calendar import from_python, to_python
from tidelog.program.functions.table import FUNCTIONS
from tidelog.store.image.content import check_image
from tidelog.syntax import parse_program, print_program, print_rule
from tidelog.syntax.changes import parse_changes
from tidelog.testing import FEATURES, PLAIN, EpochChanges, State, random_changes, random_program
from tidelog.testing.invariants import violations
from tidelog.testing.programs import epoch_changes

Model = Mapping[str, frozenset[tuple[object, ...]]]
KINDS = {
    "plain": PLAIN,
    "all": FEATURES,
    "structures": FEATURES | {"structures"},
    "times": FEATURES | {"times"},
}


@dataclass(frozen=True)
class Case:
    """A program and the epochs it goes through."""

    program: Program
    changes: tuple[EpochChanges, ...]

    @classmethod
    def random(cls, seed: int, kind: str, epochs: int = 4) -> Case:
        """The case that a seed names."""
        rng = Random(seed)
        program = random_program(rng, KINDS[kind])
        return cls(program, tuple(random_changes(rng, program, epochs, KINDS[kind])))

    def __str__(self) -> str:
        lines = [print_program(self.program)]
        for number, change in enumerate(self.changes, 1):
            lines.append(f"-- epoch {number}")
            lines += [f"+ {print_rule(rule, self.program.convention)}" for rule in change.add_rules]
            lines += [f"- {label}" for label in change.remove_labels]
            lines += [f"+{name}{row}" for name, row in change.inserts]
            lines += [f"-{name}{row}" for name, row in change.deletes]
        return "\n".join(lines)


def tell(epoch: Epoch, change: EpochChanges, convention: str) -> None:
    """Put changes into an epoch in the making."""
    schema: Mapping[str, Sequence[str | None]] = epoch._target.core.rules.schema  # type: ignore[attr-defined]  # of an engine
    for name, row in change.inserts:
        epoch.insert(name, [as_rows_have_it(row, schema.get(name, ()))])
    for name, row in change.deletes:
        epoch.delete(name, [as_rows_have_it(row, schema.get(name, ()))])
    for label in change.remove_labels:
        epoch.remove_rule(label)
    for rule in change.add_rules:
        epoch.add_rule(print_rule(rule, convention))


def commit(db: Engine, change: EpochChanges, convention: str) -> Epoch:
    """One epoch with these changes."""
    with db.epoch() as epoch:
        tell(epoch, change, convention)
    return epoch


def facts_of(db: Engine, names: Sequence[str]) -> Model:
    """What the engine says of some relations."""
    return {name: _plain(db[name]) if name in db else frozenset() for name in names}


def as_rows_have_it(row: tuple[object, ...], types: Sequence[str | None]) -> tuple[object, ...]:
    """A row of the judge, which has numbers for dates, with dates."""
    if len(types) != len(row):
        return row
    pairs = zip(row, types, strict=True)
    return tuple(to_python(int(v), t) if isinstance(v, int) and t in ("date", "timestamp") else v for v, t in pairs)


def _plain(rows: Iterable[tuple[object, ...]]) -> frozenset[tuple[object, ...]]:
    """Rows as the naive evaluator has them: dates, timestamps and booleans are numbers."""
    return frozenset(tuple(map(from_python, row)) for row in rows)


def counts_of(db: Engine) -> dict[tuple[str, tuple[object, ...]], int]:
    """The number of supports of every fact."""
    return {(name, row): fact.all for name, facts in db.state().facts.items() for row, fact in facts.items()}


def check(db: Engine, state: State) -> Model:
    """Facts as the naive evaluator has them, and I1 and I2; returns the facts."""
    model = state.model()
    check_against(db, model)
    return model


def check_against(db: Engine, model: Model) -> None:
    """Facts as a model has them, and I1 and I2."""
    found = facts_of(db, list(model))
    for name, rows in model.items():
        missing, extra = rows - found[name], found[name] - rows
        assert found[name] == rows, f"{name}: missing {set(missing)}, extra {set(extra)}"
    broken = violations(db.state(), FUNCTIONS)
    assert not broken, broken[:5]


def check_at_rest(db: Engine) -> None:
    """No record is in the middle of an epoch: what partitions hold is what a state may hold."""
    for image in core_of(db).runtime.handover.images():
        check_image(image, "memory")


def check_feed(epoch: Epoch, before: Model, after: Model) -> None:
    """The change feed of an epoch is the difference between the two models."""
    for name in {*before, *after}:
        old, new = before.get(name, frozenset()), after.get(name, frozenset())
        told = epoch.changes.get(name)
        inserted, deleted = (_plain(told.inserted), _plain(told.deleted)) if told else (frozenset(), frozenset())
        assert (inserted, deleted) == (new - old, old - new), f"changes of {name}: {inserted}, {deleted}"


def run(case: Case, make: Callable[[Program], Engine] = Engine) -> Engine:
    """The whole law on one case: after every epoch equal facts, exact counts and the right change feed."""
    db = make(case.program)
    state = State.start(case.program)
    before = check(db, state)
    for change in case.changes:
        state = state.after(change)
        epoch = commit(db, change, case.program.convention)
        after = check(db, state)
        check_feed(epoch, before, after)
        before = after
    return db


def story(program: str, *scripts: str) -> list[tuple[Epoch, Engine]]:
    """The law on a program and change scripts, one epoch each; the epochs, each with the engine."""
    parsed = parse_program(program)
    db, state = Engine(parsed), State.start(labelled(parsed))
    before, told = check(db, state), []
    for script in scripts:
        (read,) = parse_changes(script, convention=parsed.convention)
        change = epoch_changes(read)
        state = state.after(change)
        told.append((commit(db, change, parsed.convention), db))
        after = check(db, state)
        check_feed(told[-1][0], before, after)
        before = after
    return told


def labelled(program: Program) -> Program:
    """The program with the labels that an engine gives (D4)."""
    rules = tuple(r if r.label else replace(r, label=f"r{i}") for i, r in enumerate(program.rules, 1))
    return replace(program, rules=rules)


def shrink(case: Case, fails: Callable[[Case], bool]) -> Case:
    """A smaller case that still fails: leave out epochs, changes, rules and facts while it does."""
    while True:
        smaller = next((c for c in _smaller(case) if _safely(fails, c)), None)
        if smaller is None:
            return case
        case = smaller


def _safely(fails: Callable[[Case], bool], case: Case) -> bool:
    try:
        return fails(case)
    except KeyError:  # a label that is not there any more
        return False


def _smaller(case: Case) -> list[Case]:
    program, found = case.program, []
    for i in range(len(case.changes)):
        found.append(replace(case, changes=case.changes[:i] + case.changes[i + 1 :]))
    for part in ("rules", "facts"):
        items = getattr(program, part)
        for i in range(len(items)):
            found.append(replace(case, program=replace(program, **{part: items[:i] + items[i + 1 :]})))
    for i, change in enumerate(case.changes):
        for part in ("inserts", "deletes", "add_rules", "remove_labels"):
            items = getattr(change, part)
            for j in range(len(items)):
                less = replace(change, **{part: items[:j] + items[j + 1 :]})
                found.append(replace(case, changes=(*case.changes[:i], less, *case.changes[i + 1 :])))
    return found
