"""The facts of relations that depend on their own count, sum or mean, kept while instances of their rules change.

Law (`graph.bundles`): the facts of a bundle are computed from its instances and the bundles that these read. Bundles
that depend on each other are refused, with the cycle, if a rule with an aggregate connects them, unless all rules of
the component are monotone. Other groups are the least fixed point, computed from nothing. So the facts are those of the
only model of the instances, or of the least one.

1. A change reaches the bundles above the changed instances. They are put in order (Tarjan's strong components, lower
   ones first), and those are computed again whose instances or inputs have changed.
2. A bundle with many instances keeps their contributions and exact totals, so that a change of an input costs that
   input; others are computed from all their instances.
3. An epoch is undone by the inverse change of instances and the facts that bundles had before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tidelog.errors import EvaluationError
from tidelog.errors.counts import counted
from tidelog.kernel.cells import Cells
from tidelog.partition.base import partition_failures as failures
from tidelog.partition.code.formula import Formula, Overloads, Total, Types
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.program.graph.bundles import not_monotone, value_columns
from tidelog.program.graph.well_founded import TRUE_FACT
from tidelog.program.types.arity import RESERVED
from tidelog.program.values.rule import rule_of
from tidelog.program.values.term import GroundRule

LARGE = 32  # instances from which on a bundle keeps what each contributes
LISTED = 32  # links that are kept in a list
SLICE = 4096  # steps between two looks at the clock
SHOWN = 12  # facts of a cycle that an error names
BUNDLE_BYTES, INSTANCE_BYTES = 500, 600  # measured

Row = tuple[int, ...]
Rows = tuple[Row, ...]
Links = tuple[int, ...] | list[int] | set[int]
NO_ROWS: Rows = ()


class BundleModel:
    """The instances of a component's rules, and the facts of their bundles."""

    def __init__(
        self, rules: tuple[GroundRule, ...], schema: Types, functions: Overloads, dictionary: Dictionary
    ) -> None:
        self.rules = rules
        formulas = [rule_of(rule.formula) for rule in rules if rule.formula is not None]
        self._values = value_columns(formulas, frozenset(rule.head for rule in rules))
        self._losing = not_monotone(formulas, self._values)  # a rule that forbids bundles to depend on their aggregates
        self._schema, self._dictionary = schema, dictionary
        self._formulas = [Formula(rule, self._values, schema, functions, dictionary) for rule in rules]
        self._pools = [_pool(formula, number) for number, formula in enumerate(self._formulas)]
        self._leaders = dict(reversed(list(zip(self._pools, self._formulas, strict=True))))
        self._slices = [_slices(rule) for rule in rules]
        self._look_up: Callable[[], None] = _nothing
        self._steps = 0
        self._forget()

    def _forget(self) -> None:
        self.is_loaded = False
        self._ids: dict[str, dict[Row, int]] = {name: {} for name in self._values}
        self._names: list[tuple[str, Row]] = []  # of each bundle: its relation and its key
        self._rows: list[Rows] = []  # the values of its facts, sorted
        self._bodies: list[Links] = []  # the instances that derive it
        self._uses: list[Links] = []  # the instances that read it
        self._instances: list[tuple[int, int, tuple[int, ...], Row]] = []  # rule, head, inputs, cells
        self._numbers: tuple[dict[Row, int], ...] = tuple({} for _ in self.rules)  # of instances, by rule and cells
        self._free: list[int] = []  # numbers of removed bundles
        self._free_instances: list[int] = []
        self._large: dict[int, _Contributions] = {}
        self._cycles = 0  # groups of bundles that depend on each other, when last computed
        self._start()

    def _start(self) -> None:
        """Begin to record an epoch."""
        self._before: dict[int, Rows] = {}  # the facts of the bundles that the epoch changed
        self._done: list[tuple[bool, int, Row]] = []  # instances added (True) and removed
        self._stale: dict[int, set[int]] = {}  # instances of large bundles whose contributions changed
        self._touched: set[int] = set()  # large bundles whose contributions the epoch changed
        self._is_new = False  # the epoch added the rules

    @property
    def memory(self) -> int:
        """Bytes held, approximately."""
        return len(self._names) * BUNDLE_BYTES + len(self._instances) * INSTANCE_BYTES

    def size_in_words(self) -> str:
        """The size of the model, for an explanation."""
        if not self.is_loaded:
            return "not read since the engine was opened"
        instances = len(self._instances) - len(self._free_instances)
        return f"{counted(instances, 'instance')} of rules" if instances else ""

    # Epochs

    def load(self, rows: Sequence[Cells], look_up: Callable[[], None], *, is_new: bool = False) -> None:
        """Read all instances, by rule; ``is_new``: the epoch added the rules."""
        self._forget()
        self._look_up = look_up
        for number, found in enumerate(rows):
            for cells in map(tuple, found.tolist()):
                self._add(number, cells)
        self._follow(range(len(self._names)))
        self._start()
        self.is_loaded, self._is_new = True, is_new

    def advance(self, inserted: Sequence[Cells], deleted: Sequence[Cells], look_up: Callable[[], None]) -> None:
        """Change the instances, and the facts of all bundles that depend on them."""
        self._start()
        self._look_up = look_up
        heads: dict[int, None] = {}
        for number, rows in enumerate(deleted):
            for cells in map(tuple, rows.tolist()):
                heads[self._remove(number, cells)] = None
                self._done.append((False, number, cells))
        for number, rows in enumerate(inserted):
            for cells in map(tuple, rows.tolist()):
                heads[self._add(number, cells)] = None
                self._done.append((True, number, cells))
        self._follow(heads)

    def undo(self) -> None:
        """Restore the model before the epoch."""
        if not self.is_loaded or self._is_new:
            self._forget()
            return
        for was_added, number, cells in reversed(self._done):
            if was_added:
                self._remove(number, cells)
            else:
                self._add(number, cells)
        for bundle, rows in self._before.items():
            self._rows[bundle] = rows
        for bundle in self._touched:
            self._large.pop(bundle, None)
        self._drop_unused()
        self._start()

    def commit(self) -> None:
        """The epoch is over."""
        self._drop_unused()
        self._start()

    def all(self, relation: str, width: int) -> Cells:
        """All facts of a relation, with their truth in the last column."""
        found = self._ids[relation].items()
        return self._facts(relation, width, ((key, row) for key, bundle in found for row in self._rows[bundle]))

    def change(self, relation: str, width: int) -> tuple[Cells, Cells]:
        """The facts that the epoch removed, and those that it added."""
        lost: list[tuple[Row, Row]] = []
        gained: list[tuple[Row, Row]] = []
        for bundle, old in self._before.items():
            name, key = self._names[bundle]
            if name == relation:
                new = self._rows[bundle]
                shown = set(old), set(new)
                lost += ((key, row) for row in old if row not in shown[1])
                gained += ((key, row) for row in new if row not in shown[0])
        return self._facts(relation, width, lost), self._facts(relation, width, gained)

    def _facts(self, relation: str, width: int, found: Iterable[tuple[Row, Row]]) -> Cells:
        values = self._values[relation]
        from_key = [place not in values for place in range(width - 1)]
        rows = [(*_merged(from_key, key, row), TRUE_FACT) for key, row in found]
        return np.array(rows, np.int64).reshape(len(rows), width)

    # Instances

    def _step(self) -> None:
        self._steps += 1
        if self._steps % SLICE == 0:
            self._look_up()

    def _bundle(self, relation: str, key: Row) -> int:
        ids = self._ids[relation]
        found = ids.get(key)
        if found is None:
            if self._free:
                found = self._free.pop()
                self._names[found] = (relation, key)
            else:
                found = len(self._names)
                self._names.append((relation, key))
                self._rows.append(NO_ROWS)
                self._bodies.append(())
                self._uses.append(())
            ids[key] = found
        return found

    def _add(self, number: int, cells: Row) -> int:
        """Add an instance; returns the bundle of its head."""
        self._step()
        head, *inputs = [self._bundle(name, cells[start:end]) for name, start, end in self._slices[number]]
        if self._free_instances:
            instance = self._free_instances.pop()
            self._instances[instance] = (number, head, tuple(inputs), cells)
        else:
            instance = len(self._instances)
            self._instances.append((number, head, tuple(inputs), cells))
        self._numbers[number][cells] = instance
        _link(self._bodies, head, instance)
        for bundle in dict.fromkeys(inputs):
            _link(self._uses, bundle, instance)
        if head in self._large:
            self._stale.setdefault(head, set()).add(instance)
        return head

    def _remove(self, number: int, cells: Row) -> int:
        """Remove an instance; returns the bundle of its head."""
        self._step()
        instance = self._numbers[number].pop(cells)
        _, head, inputs, _ = self._instances[instance]
        _unlink(self._bodies, head, instance)
        for bundle in dict.fromkeys(inputs):
            _unlink(self._uses, bundle, instance)
        large = self._large.get(head)
        if large is not None:
            self._touched.add(head)
            large.remove(instance)
            self._stale.get(head, set()).discard(instance)
        self._free_instances.append(instance)
        return head

    def _drop_unused(self) -> None:
        """Forget the bundles that no instance names any more."""
        for _, number, cells in self._done:
            for name, start, end in self._slices[number]:
                bundle = self._ids[name].get(cells[start:end])
                if bundle is not None and not self._bodies[bundle] and not self._uses[bundle]:
                    del self._ids[name][cells[start:end]]
                    self._rows[bundle] = NO_ROWS
                    self._large.pop(bundle, None)
                    self._free.append(bundle)

    # Facts

    def _follow(self, heads: Collection[int]) -> None:
        """Compute the bundles whose instances changed, and those above whose inputs they change, lower ones first."""
        waiting = set(heads)
        for group in self._ordered(heads):
            if not waiting:
                return
            bundle = group[0]
            if len(group) == 1 and not self._reads_itself(bundle):
                if bundle in waiting:
                    waiting.discard(bundle)
                    if self._replace(bundle, self._computed(bundle)):
                        self._reach(bundle, waiting)
            elif not waiting.isdisjoint(group):
                waiting.difference_update(group)
                for member in self._solve(group):
                    self._reach(member, waiting)
                waiting.difference_update(group)

    def _reach(self, bundle: int, waiting: set[int]) -> None:
        """Note what reads a changed bundle."""
        large, instances = self._large, self._instances
        for instance in self._uses[bundle]:
            head = instances[instance][1]
            waiting.add(head)
            if head in large:
                self._stale.setdefault(head, set()).add(instance)

    def _replace(self, bundle: int, rows: Rows) -> bool:
        """Set the facts of a bundle; returns whether they are others than before."""
        old = self._rows[bundle]
        if old == rows:
            return False
        self._before.setdefault(bundle, old)
        self._rows[bundle] = rows
        return True

    def _computed(self, bundle: int) -> Rows:
        """The facts of a bundle, computed from its instances."""
        self._step()
        bodies = self._bodies[bundle]
        if len(bodies) > LARGE or bundle in self._large:
            return self._of_large(bundle)
        plain: set[Row] = set()
        groups: dict[tuple[Any, Row], list[Any]] = {}
        for instance in bodies:
            number, _, inputs, cells = self._instances[instance]
            formula = self._formulas[number]
            found = formula.solutions(cells, [self._rows[x] for x in inputs])
            if formula.is_aggregate:
                for key, measured in found:
                    groups.setdefault((self._pools[number], key), []).append(measured)
            else:
                plain.update(found)
        for (pool, key), measured in groups.items():
            row = self._leaders[pool].results(key, measured)
            if row is not None:
                plain.add(row)
        return tuple(sorted(plain))

    def _of_large(self, bundle: int) -> Rows:
        """The facts of a bundle with many instances, from what changed."""
        large = self._large.get(bundle)
        if large is None:
            large = self._large[bundle] = _Contributions(self._formulas, self._pools)
            stale: Iterable[int] = list(self._bodies[bundle])
        else:
            stale = self._stale.pop(bundle, ())
        self._touched.add(bundle)
        for instance in stale:
            self._step()
            number, _, inputs, cells = self._instances[instance]
            large.set(instance, number, self._formulas[number].solutions(cells, [self._rows[x] for x in inputs]))
        return large.rows(self._leaders)

    def _solve(self, group: Sequence[int]) -> list[int]:
        """Compute bundles that depend on each other; returns those whose facts changed."""
        members = set(group)
        self._check_cycle(members)
        old = {bundle: self._rows[bundle] for bundle in group}
        for bundle in group:
            self._replace(bundle, NO_ROWS)
            self._large.pop(bundle, None)  # whose inputs are about to change
        waiting = dict.fromkeys(group)
        while waiting:
            bundle = next(iter(waiting))
            del waiting[bundle]
            if self._replace(bundle, self._computed(bundle)):
                for instance in self._uses[bundle]:
                    head = self._instances[instance][1]
                    if head in members:
                        waiting[head] = None
                        if head in self._large:
                            self._stale.setdefault(head, set()).add(instance)
        return [bundle for bundle, rows in old.items() if rows != self._rows[bundle]]

    def _check_cycle(self, members: set[int]) -> None:
        """Refuse a group in which a rule with an aggregate connects bundles, unless all rules are monotone."""
        for bundle in members if self._losing is not None else ():
            for instance in self._bodies[bundle]:
                number, _, inputs, _ = self._instances[instance]
                if self._formulas[number].is_aggregate:
                    for lower in inputs:
                        if lower in members:
                            raise self._refused(bundle, lower, members, self._formulas[number])

    def _refused(self, bundle: int, lower: int, members: set[int], formula: Formula) -> EvaluationError:
        cycle = [bundle, *self._path(lower, bundle, members)[:-1]]
        texts = [self._text(each) for each in cycle if not self._names[each][0].startswith(RESERVED)]
        texts.append(texts[0])
        if len(texts) > SHOWN:
            texts = [*texts[: SHOWN - 2], f"{len(texts) - SHOWN + 1} more facts", texts[-1]]
        kinds = " and ".join(dict.fromkeys(aggregate.kind for aggregate in formula.aggregates))
        return failures.AGGREGATE_CYCLE.error(
            fact=texts[0], kind=kinds, cycle=" reads ".join(texts), label=formula.label, losing=self._losing
        )

    def _path(self, start: int, end: int, members: set[int]) -> list[int]:
        """A shortest path from a bundle down to another, inside a group."""
        came: dict[int, int] = {start: start}
        frontier = [start]
        while end not in came:
            found: list[int] = []
            for bundle in frontier:
                for instance in self._bodies[bundle]:
                    for lower in self._instances[instance][2]:
                        if lower in members and lower not in came:
                            came[lower] = bundle
                            found.append(lower)
            frontier = found
        path = [end]
        while path[-1] != start:
            path.append(came[path[-1]])
        return path[::-1]

    def _text(self, bundle: int) -> str:
        name, key = self._names[bundle]
        types, values, rest = self._schema.get(name, ()), self._values[name], iter(key)
        args = ["_" if i in values else _shown(self._dictionary.decode_any(next(rest), t)) for i, t in enumerate(types)]
        return f"{name}({', '.join(args)})"

    # Order

    def _reads_itself(self, bundle: int) -> bool:
        return any(bundle in self._instances[instance][2] for instance in self._bodies[bundle])

    def _readers(self, bundle: int) -> Iterator[int]:
        instances = self._instances
        return (instances[instance][1] for instance in self._uses[bundle])

    def _ordered(self, starts: Iterable[int]) -> list[list[int]]:
        """The groups of bundles that depend on each other, among these and all above them, lower ones first."""
        index: dict[int, int] = {}
        low: dict[int, int] = {}
        stack: list[int] = []
        finished: set[int] = set()
        found: list[list[int]] = []
        for root in starts:
            if root in index:
                continue
            index[root] = low[root] = len(index)
            stack.append(root)
            walk = [(root, self._readers(root))]
            while walk:
                bundle, following = walk[-1]
                for reader in following:
                    if reader not in index:
                        index[reader] = low[reader] = len(index)
                        stack.append(reader)
                        walk.append((reader, self._readers(reader)))
                        break
                    if reader not in finished and index[reader] < low[bundle]:
                        low[bundle] = index[reader]
                else:
                    self._step()
                    walk.pop()
                    if walk and low[bundle] < low[walk[-1][0]]:
                        low[walk[-1][0]] = low[bundle]
                    if low[bundle] == index[bundle]:
                        group = [stack.pop()]
                        while group[-1] != bundle:
                            group.append(stack.pop())
                        finished.update(group)
                        found.append(group)
        found.reverse()
        return found


class _Contributions:
    """What the instances of a bundle contribute, and the totals of its groups."""

    def __init__(self, formulas: Sequence[Formula], pools: Sequence[Any]) -> None:
        self._formulas, self._pools = formulas, pools
        self._found: dict[int, tuple[int, list[Any]]] = {}  # by instance: its rule and its solutions
        self._plain: Counter[Row] = Counter()
        self._totals: dict[tuple[int, Row], list[Total]] = {}
        self._is_whole = False  # whether a rule needs all values of a group at once

    def set(self, instance: int, number: int, solutions: list[Any]) -> None:
        """Replace the contribution of an instance."""
        self.remove(instance)
        self._found[instance] = number, solutions
        self._count(number, solutions, 1)

    def remove(self, instance: int) -> None:
        """Remove the contribution of an instance, if it has one."""
        number, solutions = self._found.pop(instance, (0, []))
        self._count(number, solutions, -1)

    def _count(self, number: int, solutions: list[Any], sign: int) -> None:
        formula = self._formulas[number]
        if not formula.is_aggregate:
            for row in solutions:
                self._plain[row] += sign
                if not self._plain[row]:
                    del self._plain[row]
        elif not formula.is_additive:
            self._is_whole = self._is_whole or bool(solutions)
        else:
            for key, measured in solutions:
                totals = self._totals.get((number, key))
                if totals is None:
                    types = map(formula.value_type, formula.aggregates)
                    totals = self._totals[number, key] = [Total(type_ == "float") for type_ in types]
                for total, values in zip(totals, measured, strict=True):
                    total.add(values[0] if values else None, sign)
                if not totals[0].count:
                    del self._totals[number, key]

    def rows(self, leaders: dict[Any, Formula]) -> Rows:
        """The facts of the bundle."""
        rows = set(self._plain)
        for (number, key), totals in self._totals.items():
            row = self._formulas[number].of_totals(key, totals)
            if row is not None:
                rows.add(row)
        groups: dict[tuple[Any, Row], list[Any]] = {}
        for number, solutions in self._found.values() if self._is_whole else ():
            if self._formulas[number].is_aggregate and not self._formulas[number].is_additive:
                for key, measured in solutions:
                    groups.setdefault((self._pools[number], key), []).append(measured)
        for (pool, key), measured in groups.items():
            row = leaders[pool].results(key, measured)
            if row is not None:
                rows.add(row)
        return tuple(sorted(rows))


def _pool(formula: Formula, number: int) -> Any:
    """Rules of one relation share their groups if they have the same min and max in the same columns."""
    kinds = tuple((i, arg.kind) for i, arg in formula.aggregates_at)
    if kinds and all(kind in ("min", "max") for _, kind in kinds):
        return formula.rule.head.predicate, kinds
    return number


def _slices(rule: GroundRule) -> list[tuple[str, int, int]]:
    """The columns of the head's key and of the keys of what an instance reads."""
    found, at = [(rule.head, 0, rule.width)], rule.width
    for name, _, width in rule.literals:
        found.append((name, at, at + width))
        at += width
    return found


def _merged(from_key: Sequence[bool], key: Row, row: Row) -> Row:
    """The columns of a fact."""
    keys, values = iter(key), iter(row)
    return tuple([next(keys) if is_key else next(values) for is_key in from_key])


def _link(links: list[Links], at: int, instance: int) -> None:
    there = links[at]
    if isinstance(there, set):
        there.add(instance)
    elif isinstance(there, list):
        there.append(instance)
        if len(there) > LISTED:
            links[at] = set(there)
    else:
        links[at] = [instance]


def _unlink(links: list[Links], at: int, instance: int) -> None:
    there = links[at]
    assert not isinstance(there, tuple)
    there.remove(instance)


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _nothing() -> None:
    """Do nothing: no thread waits."""
