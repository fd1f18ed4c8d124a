"""The well-founded model of the instances of rules, kept while instances are added and removed.

Law (`graph.well_founded`): an instance is a head and the atoms and negations that it depends on. An atom is true if all
literals of one of its instances are true, and false if it belongs to an unfounded set: each instance of such an atom
has a false literal, or a positive one in the set. What remains is undefined. Atoms that depend on each other form a
group; groups have places, and what a group depends on has lower places. So a change is followed upwards: a group is
solved again if an instance of it or the truth of an atom below changed, and groups above it are reached only if the
truth of one of its atoms changed.

1. Places stay valid when instances are removed. For an added instance that contradicts them, the groups above the one
   place and those below the other are searched in turn until either search ends; the groups that it found move. Groups
   on a new cycle are joined. A group whose cycle is gone is still solved correctly, as any set of atoms is whose other
   dependencies are final; such groups are divided when there are many.
2. The model is a function of the instances: an epoch is undone by the inverse change, a restart loads them again. The
   inverse change is carried out when the model is next used; if that is for the same change, as after an epoch that was
   tried as a small one or after a preview, neither is.
"""

from __future__ import annotations

import gc
import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from tidelog.errors.counts import counted
from tidelog.kernel.cells import Cells
from tidelog.program.graph.well_founded import TRUE_FACT, UNDEFINED_FACT
from tidelog.program.values.term import GroundRule

FALSE, UNDECIDED, TRUE = 0, 1, 2  # so that the truth of a conjunction is the least, and of a negation 2 - truth
NO_ROWS: Cells = np.zeros((0, 0), np.int64)
INFINITE = float("inf")
NOWHERE = -1  # the group of an atom whose place is not known
SHARE = 4  # if more than one in this many instances changes, everything is solved again; 0: never
SPARE = 1000  # atoms in joined groups before these are divided again
SLICE = 4096  # steps between two looks at the clock
ATOM_BYTES, INSTANCE_BYTES = 600, 400  # measured

Key = int | tuple[int, ...]  # the arguments of an atom; a single one is not wrapped
Change = tuple[Sequence[Cells], Sequence[Cells]]  # inserted and deleted instances, by rule


class GroundModel:
    """The instances of a component's rules, and the truth of their atoms."""

    def __init__(self, rules: tuple[GroundRule, ...]) -> None:
        self.rules = rules
        self.is_loaded = False
        self._look_up: Callable[[], None] = _nothing
        self._steps = 0
        self._forget()

    def _forget(self) -> None:
        self.is_loaded = False
        names = {name for rule in self.rules for name in (rule.head, *(name for name, _, _ in rule.literals))}
        self._ids: dict[str, dict[Key, int]] = {name: {} for name in names}
        self._names: list[tuple[str, Key]] = []  # of each atom
        self._truth: list[int] = []
        self._bodies: list[set[int]] = []  # the instances that derive each atom
        self._uses: list[set[int]] = []  # the instances that read it
        self._free: list[int] = []  # numbers of atoms that no instance names any more
        self._instances: dict[int, tuple[int, tuple[int, ...]]] = {}  # head, literals: 2 * atom + is negated
        self._numbers: tuple[dict[Key, int], ...] = tuple({} for _ in self.rules)  # of instances, by rule and row
        self._next = 0
        self._group: list[int] = []  # of each atom: NOWHERE, itself if it is alone, or a number below
        self._members: dict[int, set[int]] = {}  # of groups of more than one atom, or of one that depends on itself
        self._last_group = NOWHERE
        self._place: dict[int, float] = {}  # of each group
        self._needs_places = False
        self._joined = self._cyclic = 0  # atoms in such groups, now and when they were last divided
        self._before: dict[int, int] = {}  # the truth before the epoch, of atoms that it changed
        self._gone: dict[tuple[str, Key], int] = {}  # the same for atoms that no instance names any more
        self._change: Change | None = None
        self._is_new = False  # the running epoch added the rules
        self._is_undone = False  # the last change is to be undone

    @property
    def memory(self) -> int:
        """Bytes held, approximately."""
        return len(self._names) * ATOM_BYTES + len(self._instances) * INSTANCE_BYTES

    def size_in_words(self) -> str:
        """The size of the model, for an explanation; nothing if it has no instances."""
        self._finish_undo()
        if not self.is_loaded:
            return "not read since the engine was opened"
        if not self._instances:
            return ""
        sizes = [len(group) for group in self._members.values()]
        undefined = sum(truth == UNDECIDED for truth in self._truth)
        cycles = f"{counted(len(sizes), 'cycle')} of up to {counted(max(sizes), 'fact')}" if sizes else "no cycles"
        groups = len(self._place)
        return (
            f"{counted(len(self._instances), 'instance')} of rules, {counted(groups, 'group')}, {cycles}, "
            f"{counted(undefined, 'undefined fact')}"
        )

    # Epochs

    def load(self, rows: Sequence[Cells], look_up: Callable[[], None], *, is_new: bool = False) -> None:
        """Read all instances, by rule; ``is_new``: the epoch added the rules."""
        self._forget()
        self._look_up = look_up
        with _uncollected():
            for number, found in enumerate(rows):
                for head, literals, key in self._read(number, found):
                    self._add(number, key, head, literals)
            self._solve(range(len(self._names)))
            self._divide()
        self._before.clear()
        self._change = None
        self.is_loaded = True
        self._is_new = is_new

    def advance(self, inserted: Sequence[Cells], deleted: Sequence[Cells], look_up: Callable[[], None]) -> None:
        """Change the instances, and the truth of all atoms that depend on them."""
        if self._is_undone and self._change is not None and _are_same(self._change, (inserted, deleted)):
            self._is_undone = False
            return
        self._finish_undo()
        self.is_loaded, self._is_new, self._look_up = False, False, look_up
        self._before.clear()
        self._gone.clear()
        self._replace(inserted, deleted)
        self._change = inserted, deleted
        self.is_loaded = True

    def undo(self) -> None:
        """Restore the model before the epoch."""
        if not self.is_loaded or self._is_new:
            self._forget()
        else:
            self._is_undone = self._change is not None

    def _finish_undo(self) -> None:
        if self._is_undone and self._change is not None:
            (inserted, deleted), self._look_up = self._change, _nothing
            self.is_loaded = False
            self._before.clear()
            self._gone.clear()
            self._replace(deleted, inserted)
            self.commit()
            self.is_loaded = True

    def commit(self) -> None:
        """The epoch is over."""
        self._before.clear()
        self._gone.clear()
        self._change, self._is_new, self._is_undone = None, False, False

    def all(self, relation: str, width: int) -> Cells:
        """All facts of a relation that are true or undefined, with their truth in the last column."""
        self._finish_undo()
        truth = self._truth
        return _rows(((key, truth[a]) for key, a in self._ids[relation].items() if truth[a]), width)

    def change(self, relation: str, width: int) -> tuple[Cells, Cells]:
        """The rows that `all` returned before the epoch and no longer does, and those that are new."""
        names, truth = self._names, self._truth
        before = [(names[a], old, truth[a]) for a, old in self._before.items() if old != truth[a]]
        before += [(name, old, FALSE) for name, old in self._gone.items() if old]
        own = [(key, old, new) for (name, key), old, new in before if name == relation]
        lost = _rows(((key, old) for key, old, _ in own if old), width)
        return lost, _rows(((key, new) for key, _, new in own if new), width)

    # Instances

    def _replace(self, inserted: Sequence[Cells], deleted: Sequence[Cells]) -> None:
        count = sum(map(len, inserted)) + sum(map(len, deleted))
        if SHARE * count > len(self._instances):
            with _uncollected():
                self._replace_most(inserted, deleted)
            return
        reached: set[int] = set()
        left: set[int] = set()
        for number, rows in enumerate(deleted):
            for _, _, key in self._read(number, rows):
                reached.add(self._remove(number, key, left))
        edges: list[tuple[int, int]] = []
        for number, rows in enumerate(inserted):
            for head, literals, key in self._read(number, rows):
                self._add(number, key, head, literals)
                self._locate(head, literals)
                edges += ((literal >> 1, head) for literal in literals)
                reached.add(head)
        for lower, upper in edges:
            self._order(lower, upper)
            if self._needs_places:
                self._divide()
                break
        self._follow(reached)
        for atom in left:
            self._drop(atom)
        if self._joined > 2 * self._cyclic + SPARE:
            self._divide()

    def _replace_most(self, inserted: Sequence[Cells], deleted: Sequence[Cells]) -> None:
        """Solve everything again."""
        before, left = list(self._truth), set[int]()
        for number, rows in enumerate(deleted):
            for _, _, key in self._read(number, rows):
                self._remove(number, key, left)
        for number, rows in enumerate(inserted):
            for head, literals, key in self._read(number, rows):
                self._add(number, key, head, literals)
        alive = [a for a in range(len(self._names)) if self._bodies[a] or self._uses[a]]
        for atom in left:
            if not (self._bodies[atom] or self._uses[atom]):
                self._truth[atom] = FALSE
        self._solve(alive)
        for atom, old in enumerate(before):
            if old != self._truth[atom]:
                self._before[atom] = old
        for atom in left:
            self._drop(atom)
        self._divide()

    def _read(self, number: int, rows: Cells) -> Iterator[tuple[int, tuple[int, ...], Key]]:
        """The head and the literals of instances, and their rows."""
        if not len(rows):
            return
        rule, at = self.rules[number], 0
        columns: list[list[int]] = []
        for name, width in ((rule.head, rule.width), *((name, width) for name, _, width in rule.literals)):
            columns.append(list(map(self._number_of(name), _keys(rows[:, at : at + width]))))
            at += width
        signs = [0 if positive else 1 for _, positive, _ in rule.literals]
        for key, head, *atoms in zip(_keys(rows), *columns, strict=True):
            self._step()
            yield head, tuple([2 * atom + sign for atom, sign in zip(atoms, signs, strict=True)]), key

    def _number_of(self, name: str) -> Callable[[Key], int]:
        ids = self._ids[name]

        def number_of(key: Key) -> int:
            found = ids.get(key)
            if found is not None:
                return found
            if self._free:
                atom = self._free.pop()
                self._names[atom] = (name, key)
            else:
                atom = len(self._names)
                self._names.append((name, key))
                self._truth.append(FALSE)
                self._bodies.append(set())
                self._uses.append(set())
                self._group.append(-1)
            ids[key] = atom
            return atom

        return number_of

    def _add(self, number: int, key: Key, head: int, literals: tuple[int, ...]) -> None:
        instance = self._next
        self._next += 1
        self._numbers[number][key] = instance
        self._instances[instance] = (head, literals)
        self._bodies[head].add(instance)
        for literal in literals:
            self._uses[literal >> 1].add(instance)

    def _remove(self, number: int, key: Key, left: set[int]) -> int:
        """Remove an instance, and note the atoms that no other names; returns its head."""
        instance = self._numbers[number].pop(key)
        head, literals = self._instances.pop(instance)
        self._bodies[head].discard(instance)
        for literal in literals:
            self._uses[literal >> 1].discard(instance)
        left.update(
            a for a in (head, *(literal >> 1 for literal in literals)) if not (self._bodies[a] or self._uses[a])
        )
        return head

    def _drop(self, atom: int) -> None:
        """Forget an atom, unless an instance names it again."""
        if self._bodies[atom] or self._uses[atom]:
            return
        name, key = self._names[atom]
        if atom in self._before:
            self._gone[name, key] = self._before.pop(atom)
        del self._ids[name][key]
        group, self._group[atom] = self._group[atom], NOWHERE
        members = self._members.get(group)
        if members is not None:
            members.discard(atom)
            self._joined -= 1
        if group != NOWHERE and not members:
            self._members.pop(group, None)
            del self._place[group]
        self._free.append(atom)

    # Truth

    def _step(self) -> None:
        self._steps += 1
        if self._steps % SLICE == 0:
            self._look_up()

    def _follow(self, atoms: Iterable[int]) -> None:
        """Solve the groups of these atoms, and those above whose atoms they change, lower ones first."""
        group_of, place, members = self._group, self._place, self._members
        waiting = {group_of[atom] for atom in atoms}
        heap = [(place[group], group) for group in waiting]
        heapq.heapify(heap)
        instances, uses = self._instances, self._uses
        while heap:
            _, group = heapq.heappop(heap)
            waiting.discard(group)
            self._step()
            inside = members.get(group)
            for atom in self._weigh(group) if inside is None else self._solve(inside):
                for instance in uses[atom]:
                    head = instances[instance][0]
                    above = group_of[head]
                    if above != group and above not in waiting:
                        waiting.add(above)
                        heapq.heappush(heap, (place[above], above))

    def _weigh(self, atom: int) -> Sequence[int]:
        """Find the truth of an atom that does not depend on itself; returns it if that changed."""
        instances, truth, best = self._instances, self._truth, FALSE
        for instance in self._bodies[atom]:
            worst = TRUE
            for literal in instances[instance][1]:
                found = TRUE - truth[literal >> 1] if literal & 1 else truth[literal >> 1]
                if found < worst:
                    worst = found
                    if not worst:
                        break
            if worst > best:
                best = worst
                if best == TRUE:
                    break
        if truth[atom] == best:
            return ()
        self._before.setdefault(atom, truth[atom])
        truth[atom] = best
        return (atom,)

    def _solve(self, atoms: Iterable[int]) -> list[int]:
        """Find the truth of atoms, given that of all others that they depend on; returns those whose truth changed."""
        instances, truth, own = self._instances, self._truth, dict.fromkeys(atoms, FALSE)
        for atom in own:
            own[atom], truth[atom] = truth[atom], UNDECIDED
        missing: dict[int, int] = {}  # by instance that may hold, the number of its literals that are not known to
        chances = dict.fromkeys(own, 0)  # by atom, the number of instances that may hold
        decided: list[int] = []
        is_circular = False
        for atom in own:
            self._step()
            for instance in self._bodies[atom]:
                open_literals = 0
                for literal in instances[instance][1]:
                    lower = literal >> 1
                    found = TRUE - truth[lower] if literal & 1 else truth[lower]
                    if found == FALSE and lower not in own:
                        break
                    if found != TRUE or lower in own:
                        open_literals += 1
                        is_circular = is_circular or (not literal & 1 and lower in own)
                else:
                    missing[instance] = open_literals
                    chances[atom] += 1
        for atom in own:
            if not chances[atom]:
                truth[atom] = FALSE
                decided.append(atom)
            elif not all(missing.get(i, 1) for i in self._bodies[atom]):
                truth[atom] = TRUE
                decided.append(atom)
        while True:
            self._spread(decided, missing, chances)
            if not is_circular:
                break
            decided = self._unfounded(own, missing)
            if not decided:
                break
        changed = [atom for atom, old in own.items() if truth[atom] != old]
        for atom in changed:
            self._before.setdefault(atom, own[atom])
        return changed

    def _spread(self, decided: list[int], missing: dict[int, int], chances: dict[int, int]) -> None:
        """Decide what follows from atoms whose truth was decided."""
        instances, truth, uses = self._instances, self._truth, self._uses
        while decided:
            atom = decided.pop()
            self._step()
            is_true = truth[atom] == TRUE
            for instance in uses[atom]:
                if instance not in missing:
                    continue
                head, literals = instances[instance]
                if truth[head] != UNDECIDED:
                    continue
                for literal in literals:
                    if literal >> 1 != atom or instance not in missing:
                        continue
                    if is_true != bool(literal & 1):
                        missing[instance] -= 1
                        if not missing[instance]:
                            truth[head] = TRUE
                            decided.append(head)
                    else:
                        del missing[instance]
                        chances[head] -= 1
                        if not chances[head]:
                            truth[head] = FALSE
                            decided.append(head)

    def _unfounded(self, own: dict[int, int], missing: dict[int, int]) -> list[int]:
        """Make the undecided atoms false that only support each other; returns them."""
        instances, truth = self._instances, self._truth
        needs: dict[int, int] = {}
        founded: set[int] = set()
        waiting: list[int] = []
        open_atoms = [atom for atom in own if truth[atom] == UNDECIDED]
        for atom in open_atoms:
            self._step()
            for instance in self._bodies[atom]:
                if instance in missing:
                    lower = {x >> 1 for x in instances[instance][1] if not x & 1}
                    needs[instance] = sum(x in own and truth[x] == UNDECIDED for x in lower)
                    if not needs[instance] and atom not in founded:
                        founded.add(atom)
                        waiting.append(atom)
        while waiting:
            atom = waiting.pop()
            for instance in self._uses[atom]:
                if instance in needs and any(x == 2 * atom for x in instances[instance][1]):
                    needs[instance] -= 1
                    head = instances[instance][0]
                    if not needs[instance] and head not in founded:
                        founded.add(head)
                        waiting.append(head)
        found = [atom for atom in open_atoms if atom not in founded]
        for atom in found:
            truth[atom] = FALSE
        return found

    # Groups and places

    def _locate(self, head: int, literals: Sequence[int]) -> None:
        """Give places to atoms that have none; one that had no instance so far is moved above those it depends on."""
        place, group_of = self._place, self._group
        lower = [literal >> 1 for literal in literals if literal >> 1 != head]
        for atom in lower:
            if group_of[atom] == NOWHERE:
                group_of[atom] = atom
                place[atom] = 0.0 if group_of[head] == NOWHERE else place[group_of[head]] - 1.0
        low = max((place[group_of[atom]] for atom in lower), default=0.0)
        if group_of[head] == NOWHERE:
            group_of[head] = head
            place[head] = low + 1.0
        elif len(self._bodies[head]) == 1 and group_of[head] == head and place[head] <= low:
            high = self._least_reader((head,))
            if low < high:
                self._move((head,), low, high)

    def _join(self, groups: Iterable[int], place: float) -> None:
        """Make one group of several, or of an atom that depends on itself."""
        self._last_group -= 1
        joined = self._members[self._last_group] = set[int]()
        for group in groups:
            own = self._members.pop(group, None)
            self._joined += own is None
            joined.update((group,) if own is None else own)
            del self._place[group]
        for atom in joined:
            self._group[atom] = self._last_group
        self._place[self._last_group] = place

    def _divide(self) -> None:
        """Find the groups and their places from the instances: Tarjan's strong components, lower ones first."""
        self._members, self._place, self._joined, self._needs_places = {}, {}, 0, False
        index: dict[int, int] = {}
        low: dict[int, int] = {}
        stack: list[int] = []
        finished: set[int] = set()
        place = 0.0
        for root in range(len(self._names)):
            if root in index or not (self._bodies[root] or self._uses[root]):
                continue
            walk = [(root, self._lower(root))]
            index[root] = low[root] = len(index)
            stack.append(root)
            while walk:
                atom, following = walk[-1]
                for lower in following:
                    if lower not in index:
                        index[lower] = low[lower] = len(index)
                        stack.append(lower)
                        walk.append((lower, self._lower(lower)))
                        break
                    if lower not in finished and index[lower] < low[atom]:
                        low[atom] = index[lower]
                else:
                    self._step()
                    walk.pop()
                    if walk and low[atom] < low[walk[-1][0]]:
                        low[walk[-1][0]] = low[atom]
                    if low[atom] == index[atom]:
                        place += 1.0
                        self._found(atom, stack, finished, place)
        self._cyclic = self._joined

    def _found(self, root: int, stack: list[int], finished: set[int], place: float) -> None:
        component = [stack.pop()]
        while component[-1] != root:
            component.append(stack.pop())
        finished.update(component)
        for atom in component:
            self._group[atom], self._place[atom] = atom, place
        if len(component) > 1 or root in self._lower(root):
            self._join(component, place)

    def _lower(self, atom: int) -> Iterator[int]:
        """The atoms that an atom depends on."""
        instances = self._instances
        return (literal >> 1 for instance in self._bodies[atom] for literal in instances[instance][1])

    def _order(self, lower: int, upper: int) -> None:
        """Make the place of an atom lower than that of another that depends on it, or join their groups.

        Either the groups above the upper one move above the lower one, or those below the lower one move below the
        upper one: whichever are found first.
        """
        place, below, above = self._place, self._group[lower], self._group[upper]
        if below == above:
            if below not in self._members:  # an atom that depends on itself
                self._join((below,), place[below])
            return
        low, high = place[above], place[below]
        if high < low:
            return
        up, down = {above}, {below}
        rising = self._search(up, self._readers, lambda group: place[group] <= high)
        falling = self._search(down, self._read_groups, lambda group: place[group] >= low)
        while True:
            if next(rising, True):
                break
            if next(falling, True):
                if above not in down:
                    self._move(sorted(down, key=place.__getitem__), self._highest_read(down), low)
                    return
                for _ in rising:
                    pass
                break
        if below in up:
            cycle = {below}
            for _ in self._search(cycle, self._read_groups, up.__contains__):
                pass
            up -= cycle
            self._join(cycle, high)
        if up:
            self._move(sorted(up, key=place.__getitem__), high, self._least_reader(up))

    def _search(
        self, found: set[int], following: Callable[[int], Iterator[int]], admits: Callable[[int], bool]
    ) -> Iterator[bool]:
        """Add what can be reached to the groups found, one step at a time."""
        waiting = list(found)
        while waiting:
            self._step()
            for group in following(waiting.pop()):
                if group not in found and admits(group):
                    found.add(group)
                    waiting.append(group)
            yield False

    def _move(self, groups: Sequence[int], low: float, high: float) -> None:
        """Move groups between two places and keep their order; if there is no room, all places are computed again."""
        if high == INFINITE:
            high = low + len(groups) + 1
        elif low == -INFINITE:
            low = high - len(groups) - 1
        step, last = (high - low) / (len(groups) + 1), low
        for i, group in enumerate(groups, 1):
            there = low + i * step
            if not last < there < high:
                self._needs_places = True
            self._place[group] = last = there

    def _least_reader(self, groups: Collection[int]) -> float:
        """The lowest place of a group that reads one of these and is none of them."""
        readers = {reader for group in groups for reader in self._readers(group)}
        return min((self._place[reader] for reader in readers.difference(groups)), default=INFINITE)

    def _highest_read(self, groups: Collection[int]) -> float:
        """The highest place of a group that one of these reads and that is none of them."""
        read = {other for group in groups for other in self._read_groups(group)}
        return max((self._place[other] for other in read.difference(groups)), default=-INFINITE)

    def _atoms_of(self, group: int) -> Iterable[int]:
        return self._members.get(group, (group,))

    def _readers(self, group: int) -> Iterator[int]:
        for atom in self._atoms_of(group):
            for instance in self._uses[atom]:
                yield self._group[self._instances[instance][0]]

    def _read_groups(self, group: int) -> Iterator[int]:
        for atom in self._atoms_of(group):
            for instance in self._bodies[atom]:
                for literal in self._instances[instance][1]:
                    yield self._group[literal >> 1]


def _are_same(one: Change, other: Change) -> bool:
    pairs = zip((*one[0], *one[1]), (*other[0], *other[1]), strict=True)
    return all(len(a) == len(b) and (not len(a) or np.array_equal(a, b)) for a, b in pairs)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Many objects are created and none is garbage: pause the search for cycles, a quarter of the time of a build."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _keys(rows: Cells) -> list[Key]:
    """The rows as keys."""
    return rows[:, 0].tolist() if rows.shape[1] == 1 else list(map(tuple, rows.tolist()))


def _rows(found: Iterable[tuple[Key, int]], width: int) -> Cells:
    """Arguments with their truth, as rows."""
    value = {TRUE: TRUE_FACT, UNDECIDED: UNDEFINED_FACT}
    rows = [(key, value[truth]) if isinstance(key, int) else (*key, value[truth]) for key, truth in found]
    return np.array(rows, np.int64).reshape(len(rows), width)


def _nothing() -> None:
    """Do nothing: no thread waits."""
