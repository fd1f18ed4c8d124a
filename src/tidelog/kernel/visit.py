"""Visits of plain strata, one after the other in one call: the path of an epoch of few rows.

Law: the strata that a change reaches are visited lower ones first, in the two phases of the design (section 3), and
what each of them changes is collected and announced to its readers. Facts, counts and ranks are changed exactly as by
the phases of `partition.phases`, step by step. A call stops where something must grow, a function is needed, a stratum
is not charted or is visited elsewhere; the next one resumes there. LARGE: the epoch is not small after all.

A *chart* is a stratum as cells: whether it is plain, its members, the plans that changes of relations trigger, the
bounds of sizes within which these plans are kept, and its rules. The *trip* is the position of the epoch.
"""

from __future__ import annotations

import time

from tidelog.kernel.atomic import clock
from tidelog.kernel.batches import change_facts, fire_batch, mark, run_queue
from tidelog.kernel.layout import (
    ARITY,
    ASSERT_LOWER,
    ASSERT_SAME,
    BASE,
    BUDGET,
    DONE,
    END,
    FIRST,
    FLAG_BITS,
    FOLLOWING,
    FRESH,
    GROW_RELATION,
    ITEM,
    JOURNAL,
    JROWS,
    LINKED,
    LIVE_ROWS,
    LOW32,
    NEED,
    NEW,
    OLD,
    PC,
    PHASE,
    PLAN,
    QHEAD,
    QTAIL,
    QUEUE,
    RANK_BASE,
    REC,
    RETRACT_LOWER,
    RETRACT_SAME,
    REVIVED,
    ROWS,
    SLICE,
    STAGE,
    SUSPENDED,
    TRIGGER,
    VISIBLE,
    WIDTH,
)
from tidelog.kernel.maintain import catch_up
from tidelog.kernel.memory import compiled, inlined, load
from tidelog.kernel.settle import commit, gains_counted
from tidelog.kernel.support import revive

# What a call returns besides the statuses of `kernel.layout`.
UNKNOWN, UNCHARTED, ELSEWHERE, LARGE, ROOM = range(32, 37)

# Fields of the trip.
(
    STEP,
    STRATUM,  # that is visited
    WAITING,  # strata on the agenda
    GIVEN,  # changes of base facts, and how many of them are on the agenda
    TAKEN,
    CHANGES,  # relations that changed, and how many of them were announced
    ANNOUNCED,
    ITEMS,  # items and cells of these changes
    CELLS,
    VISITS,  # strata visited
    STAMP,  # of the epoch: marks with another one are old
    PLACE,  # member or relation that the step is at
    BEGUN,  # 1: what runs there was begun
    LOST,  # 1: the stratum loses something
    MOST,  # rows that the visit of one stratum may examine, and facts that may be lost to it at once
    MOST_LOST,
    SLICES,  # strata that this call may still visit
    WANTED,  # what is unknown, uncharted, or how much room is needed
    TIME,  # address of two cells for the clock, and when the visit began
    SINCE,
    LOST_BEFORE,  # facts suspended and revived before the visit
    REVIVED_BEFORE,
) = range(22)
TRIP_FIELDS = 22

# The steps of a visit.
(
    NEXT,
    ENTER,
    DELETE,
    LOSE_LOWER,
    LOSE_NEGATED,
    LOSE_OWN,
    REVIVE,
    GAIN_LOWER,
    GAIN_NEGATED,
    INSERT,
    GAIN_OWN,
    LINK,
    COLLECT,
    ANNOUNCE,
) = range(14)

# What is known of a relation: its stratum, where its readers are listed, the epoch of its marks, and those: its change,
# and what is inserted and deleted, each by number + 1.
R_STRATUM, R_READERS, R_STAMP, R_CHANGE, R_INSERTED, R_DELETED, RELATION_FIELDS = range(7)
# What is known of a stratum: its chart, its order, and the last epoch that reached it.
S_CHART, S_ORDER, S_SEEN, STRATUM_FIELDS = range(4)
# A change of base facts: relation, sign, address of the rows, how many.
G_RELATION, G_SIGN, G_ROWS, G_COUNT, GIVEN_FIELDS = range(5)
# The net change of a relation: its first item, items inserted and deleted, the first of their cells.
N_RELATION, N_FIRST, N_INSERTED, N_DELETED, N_CELLS, CHANGE_FIELDS = range(6)
# A visit: stratum, chart, facts suspended and revived, supports, nanoseconds.
V_STRATUM, V_CHART, V_SUSPENDED, V_REVIVED, V_SUPPORTS, V_TIME, VISIT_FIELDS = range(7)
# A chart: whether it is plain, where its parts are, number of members, members. A list of triggers: number of relations
# and of plans, (relation, first, last) each, plans. Sizes: number, (relation, low, high) each. Rules: number, numbers.
C_PLAIN, C_LOWER, C_NEGATED, C_OWN, C_SIZES, C_RULES, C_COUNT, C_MEMBERS = range(8)

CLOCK = time.CLOCK_MONOTONIC


@inlined
def nanoseconds(trip):
    """The time now."""
    clock(CLOCK, trip[TIME])
    return load(trip[TIME], 0) * 1000000000 + load(trip[TIME], 1)


@inlined
def schedule(trip, strata, agenda, stratum):
    """Put a stratum on the agenda, a heap by order, unless this epoch has reached it before."""
    if strata[stratum, S_SEEN] == trip[STAMP]:
        return
    strata[stratum, S_SEEN] = trip[STAMP]
    entry, place = ((strata[stratum, S_ORDER] + 1) << 32) | stratum, trip[WAITING]
    trip[WAITING] += 1
    while place > 0 and agenda[(place - 1) // 2] > entry:
        agenda[place] = agenda[(place - 1) // 2]
        place = (place - 1) // 2
    agenda[place] = entry


@inlined
def lowest(trip, agenda):
    """Remove the lowest stratum from the agenda."""
    found = agenda[0] & LOW32
    trip[WAITING] -= 1
    count, place = trip[WAITING], 0
    last = agenda[count]
    while True:
        child = 2 * place + 1
        if child + 1 < count and agenda[child + 1] < agenda[child]:
            child += 1
        if child >= count or agenda[child] >= last:
            break
        agenda[place] = agenda[child]
        place = child
    agenda[place] = last
    return found


@inlined
def mark_relation(trip, relations, rel, field, value):
    """Set a mark of a relation for this epoch."""
    if relations[rel, R_STAMP] != trip[STAMP]:
        relations[rel, R_STAMP] = trip[STAMP]
        relations[rel, R_CHANGE] = relations[rel, R_INSERTED] = relations[rel, R_DELETED] = 0
    relations[rel, field] = value


@inlined
def marked(trip, relations, rel, field):
    """A mark of a relation, 0 if it has none in this epoch."""
    return relations[rel, field] if relations[rel, R_STAMP] == trip[STAMP] else 0


@compiled
def take_given(trip, relations, strata, agenda, given):
    """Put the strata of the base facts that the epoch changes on the agenda first."""
    while trip[TAKEN] < trip[GIVEN]:
        number = trip[TAKEN]
        rel = given[number, G_RELATION]
        if relations[rel, R_STRATUM] < 0:
            trip[WANTED] = rel
            return UNKNOWN
        mark_relation(trip, relations, rel, R_INSERTED if given[number, G_SIGN] > 0 else R_DELETED, number + 1)
        schedule(trip, strata, agenda, relations[rel, R_STRATUM])
        trip[TAKEN] += 1
    return DONE


@compiled
def announce(trip, relations, strata, charts, agenda, changes):
    """Put the readers of changed relations on the agenda."""
    while trip[ANNOUNCED] < trip[CHANGES]:
        rel = changes[trip[ANNOUNCED], N_RELATION]
        if relations[rel, R_READERS] < 0:
            trip[WANTED] = rel
            return UNKNOWN
        mark_relation(trip, relations, rel, R_CHANGE, trip[ANNOUNCED] + 1)
        readers = relations[rel, R_READERS]
        for i in range(charts[readers]):
            schedule(trip, strata, agenda, charts[readers + 1 + i])
        trip[ANNOUNCED] += 1
    return DONE


@inlined
def changed(trip, relations, changes, rel, inserted):
    """How many facts of a relation were inserted, or deleted."""
    number = marked(trip, relations, rel, R_CHANGE)
    if number == 0:
        return 0
    return changes[number - 1, N_INSERTED] if inserted else changes[number - 1, N_DELETED]


@compiled
def enter(directory, machine, trip, relations, charts, changes, chart):
    """Begin a visit: find what is lost, and whether the plans fit and the losses are few."""
    sizes = chart + charts[chart + C_SIZES]
    for i in range(charts[sizes]):
        at = sizes + 1 + 3 * i
        live = directory[charts[at], LIVE_ROWS]
        if live < charts[at + 1] or live > charts[at + 2]:
            return UNCHARTED
    lost = 0
    for kind in range(2):
        triggers = chart + charts[chart + C_LOWER + kind]
        for i in range(charts[triggers]):
            lost += changed(trip, relations, changes, charts[triggers + 2 + 3 * i], kind == 1)
    if lost >= trip[MOST_LOST]:
        return LARGE
    for i in range(charts[chart + C_COUNT]):
        lost += marked(trip, relations, charts[chart + C_MEMBERS + i], R_DELETED)
    trip[LOST] = 1 if lost > 0 else 0
    trip[PLACE] = trip[BEGUN] = 0
    trip[LOST_BEFORE], trip[REVIVED_BEFORE] = machine[SUSPENDED], machine[REVIVED]
    trip[SINCE] = nanoseconds(trip)
    machine[QHEAD] = machine[QTAIL] = machine[STAGE] = 0
    machine[BUDGET] = trip[MOST]
    return DONE


@compiled
def change_given(directory, indexes, machine, trip, relations, charts, given, chart, phase, field):
    """Assert or retract the base facts that the epoch changes in the members of a stratum."""
    while trip[PLACE] < charts[chart + C_COUNT]:
        rel = charts[chart + C_MEMBERS + trip[PLACE]]
        number = marked(trip, relations, rel, field) - 1
        if number >= 0:
            if trip[BEGUN] == 0:
                machine[PHASE], machine[ITEM], machine[TRIGGER] = phase, 0, -1
                machine[END] = given[number, G_COUNT]
                trip[BEGUN] = 1
            status = change_facts(directory, indexes, machine, rel, given[number, G_ROWS], directory[rel, ARITY], BASE)
            if status != DONE:
                return status
            trip[BEGUN] = 0
        trip[PLACE] += 1
    trip[PLACE] = 0
    return DONE


@compiled
def fire_changes(
    directory,
    indexes,
    machine,
    code,
    registers,
    cursors,
    ranks,
    tally,
    spans,
    trip,
    relations,
    charts,
    items,
    changes,
    triggers,
    phase,
    inserted,
    sign,
):
    """Fire what inserted, or deleted, facts of other strata trigger."""
    while trip[PLACE] < charts[triggers]:
        at = triggers + 2 + 3 * trip[PLACE]
        rel = charts[at]
        count = changed(trip, relations, changes, rel, inserted)
        if count > 0:
            change = marked(trip, relations, rel, R_CHANGE) - 1
            first = changes[change, N_FIRST] + (0 if inserted else changes[change, N_INSERTED])
            plans = triggers + 2 + 3 * charts[triggers]
            if trip[BEGUN] == 0:
                machine[PHASE], machine[ITEM], machine[END] = phase, 0, count
                machine[TRIGGER], machine[STAGE] = -1, 0
                spans[rel, 0], spans[rel, 1] = 0, charts[at + 2] - charts[at + 1]
                trip[BEGUN] = 1
            status = fire_batch(
                directory,
                indexes,
                machine,
                code,
                registers,
                cursors,
                ranks,
                tally,
                items[first : first + count],
                spans,
                charts[plans + charts[at + 1] : plans + charts[at + 2]],
                sign,
            )
            if status != DONE:
                return status
            spans[rel, 1] = trip[BEGUN] = 0
        trip[PLACE] += 1
    trip[PLACE] = 0
    return DONE


@compiled
def fire_own(
    directory,
    indexes,
    machine,
    code,
    registers,
    cursors,
    ranks,
    tally,
    queue,
    spans,
    trip,
    charts,
    triggers,
    phase,
    sign,
):
    """Fire the queue, and what that puts on the queue, until it is empty."""
    count = charts[triggers]
    plans = triggers + 2 + 3 * count
    if trip[BEGUN] == 0:
        if machine[QHEAD] >= machine[QTAIL]:
            return DONE
        machine[PHASE], machine[ITEM] = phase, machine[QHEAD]
        for i in range(count):
            at = triggers + 2 + 3 * i
            spans[charts[at], 0], spans[charts[at], 1] = charts[at + 1], charts[at + 2]
        trip[BEGUN] = 1
    status = run_queue(
        directory,
        indexes,
        machine,
        code,
        registers,
        cursors,
        ranks,
        tally,
        queue,
        spans,
        charts[plans : plans + charts[triggers + 1]],
        sign,
    )
    if status != DONE:
        return status
    for i in range(count):
        at = triggers + 2 + 3 * i
        spans[charts[at], 0] = spans[charts[at], 1] = 0
    trip[BEGUN] = 0
    return DONE


@compiled
def merge_sorted(keys, values, first, middle, end, to):
    """Merge two sorted ranges into the cells from ``to`` on; the order of equal keys is kept."""
    left, right = first, middle
    for at in range(to, to + end - first):
        if left < middle and (right >= end or keys[left] <= keys[right]):
            keys[at], values[at] = keys[left], values[left]
            left += 1
        else:
            keys[at], values[at] = keys[right], values[right]
            right += 1


@compiled
def sort_pairs(keys, values, first, count):
    """Sort ``count`` pairs from ``first`` on by their keys; returns their new place. Uses as many cells after them."""
    here, there, width = first, first + count, 1
    while width < count:
        for start in range(0, count, 2 * width):
            middle, end = min(start + width, count), min(start + 2 * width, count)
            merge_sorted(keys, values, here + start, here + middle, here + end, there + start)
        here, there, width = there, here, 2 * width
    return here


@compiled
def revive_queue(directory, machine, trip, items, cells):
    """Revive suspended facts that still have supports, in order of old rank."""
    count, first = machine[QTAIL], max(trip[ITEMS], trip[CELLS])
    machine[QHEAD] = machine[QTAIL] = machine[STAGE] = 0
    if count == 0:
        return DONE
    if first + 2 * count > min(len(items), len(cells)):
        machine[QTAIL] = count
        trip[WANTED] = first + 2 * count
        return ROOM
    for i in range(count):
        item = load(machine[QUEUE], i)
        rel = item >> 32
        state = load(directory[rel, REC], (item & LOW32) * directory[rel, WIDTH] + directory[rel, ARITY])
        items[first + i] = item
        cells[first + i] = (state >> FLAG_BITS) + directory[rel, RANK_BASE]
    at = sort_pairs(cells, items, first, count)
    revive(directory, machine, items[at : at + count], count)
    return DONE


@compiled
def link_members(directory, indexes, machine, trip, charts, chart):
    """Link the new facts in indexes that no plan has read so far."""
    for i in range(charts[chart + C_COUNT]):
        rel = charts[chart + C_MEMBERS + i]
        index = directory[rel, FIRST]
        while index >= 0:
            while indexes[index, LINKED] < directory[rel, ROWS]:
                if catch_up(directory, indexes, index) == GROW_RELATION:
                    machine[NEED] = rel
                    return GROW_RELATION
            index = indexes[index, FOLLOWING]
    return DONE


@inlined
def collect_sign(directory, trip, items, cells, rel, rows, fresh, before, now):
    """Record the facts of a relation whose presence was ``before`` and is ``now``; returns their number (`settle`)."""
    records, width, arity, count = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY], 0
    for i in range(rows):
        row = i if fresh else load(directory[rel, JOURNAL], 3 * i)
        state = load(records, row * width + arity)
        counted = not fresh and now == NEW and gains_counted(directory, rel, i, row * width + arity, state)
        if counted or (state & OLD == before and state & NEW == now):
            items[trip[ITEMS]] = (rel << 32) | row
            trip[ITEMS] += 1
            for column in range(arity):
                cells[trip[CELLS]] = load(records, row * width + column)
                trip[CELLS] += 1
            count += 1
    return count


@compiled
def collect(directory, trip, charts, items, cells, changes, chart):
    """Collect the net changes of the members of a stratum."""
    count, wanted_items, wanted_cells = charts[chart + C_COUNT], trip[ITEMS], trip[CELLS]
    for i in range(count):
        rel = charts[chart + C_MEMBERS + i]
        rows = directory[rel, ROWS] if directory[rel, FRESH] == 1 else directory[rel, JROWS]
        wanted_items += rows
        wanted_cells += rows * directory[rel, ARITY]
    if wanted_items > len(items) or wanted_cells > len(cells) or trip[CHANGES] + count > len(changes):
        trip[WANTED] = max(wanted_items, wanted_cells, trip[CHANGES] + count)
        return ROOM
    for i in range(count):
        rel = charts[chart + C_MEMBERS + i]
        fresh = directory[rel, FRESH] == 1
        rows = directory[rel, ROWS] if fresh else directory[rel, JROWS]
        first, first_cell = trip[ITEMS], trip[CELLS]
        inserted = collect_sign(directory, trip, items, cells, rel, rows, fresh, 0, NEW)
        deleted = collect_sign(directory, trip, items, cells, rel, rows, fresh, OLD, 0)
        if inserted + deleted > 0:
            at = trip[CHANGES]
            changes[at, N_RELATION], changes[at, N_FIRST], changes[at, N_CELLS] = rel, first, first_cell
            changes[at, N_INSERTED], changes[at, N_DELETED] = inserted, deleted
            trip[CHANGES] = at + 1
    return DONE


@compiled
def note_visit(machine, tally, losses, trip, charts, log, chart):
    """Record what a visit did."""
    supports, rules = 0, chart + charts[chart + C_RULES]
    for i in range(charts[rules]):
        supports += tally[charts[rules + 1 + i]] + losses[charts[rules + 1 + i]]
    at = trip[VISITS]
    log[at, V_STRATUM], log[at, V_CHART], log[at, V_SUPPORTS] = trip[STRATUM], chart, supports
    log[at, V_SUSPENDED] = machine[SUSPENDED] - trip[LOST_BEFORE]
    log[at, V_REVIVED] = machine[REVIVED] - trip[REVIVED_BEFORE]
    log[at, V_TIME] = nanoseconds(trip) - trip[SINCE]
    trip[VISITS] = at + 1


@compiled
def visit_strata(
    directory,
    indexes,
    machine,
    code,
    registers,
    cursors,
    ranks,
    tally,
    losses,
    queue,
    spans,
    trip,
    relations,
    strata,
    charts,
    given,
    agenda,
    items,
    cells,
    changes,
    log,
):
    """Visit the strata on the agenda until it is empty, or until a visit must stop; it resumes where it stopped."""
    status = take_given(trip, relations, strata, agenda, given)
    while status == DONE:
        if trip[STEP] == ANNOUNCE:
            status = announce(trip, relations, strata, charts, agenda, changes)
            if status != DONE:
                break
            trip[STEP] = NEXT
        if trip[STEP] == NEXT:
            if trip[WAITING] == 0:
                break
            if trip[SLICES] <= 0:
                return SLICE
            if trip[VISITS] >= len(log):
                trip[WANTED] = trip[VISITS] + 1
                return ROOM
            trip[SLICES] -= 1
            trip[STRATUM] = lowest(trip, agenda)
            trip[STEP] = ENTER
        step, chart = trip[STEP], strata[trip[STRATUM], S_CHART]
        if chart < 0:
            return UNCHARTED
        if step == ENTER:
            if charts[chart + C_PLAIN] == 0:
                return ELSEWHERE
            status = enter(directory, machine, trip, relations, charts, changes, chart)
            if status == DONE:
                step = DELETE if trip[LOST] == 1 else GAIN_LOWER
        elif step in (DELETE, INSERT):
            phase = RETRACT_LOWER if step == DELETE else ASSERT_LOWER
            field = R_DELETED if step == DELETE else R_INSERTED
            status = change_given(directory, indexes, machine, trip, relations, charts, given, chart, phase, field)
        elif step in (LOSE_LOWER, LOSE_NEGATED, GAIN_LOWER, GAIN_NEGATED):
            gains = step >= GAIN_LOWER
            negated = step in (LOSE_NEGATED, GAIN_NEGATED)
            status = fire_changes(
                directory,
                indexes,
                machine,
                code,
                registers,
                cursors,
                ranks,
                tally if gains else losses,
                spans,
                trip,
                relations,
                charts,
                items,
                changes,
                chart + charts[chart + (C_NEGATED if negated else C_LOWER)],
                ASSERT_LOWER if gains else RETRACT_LOWER,
                gains != negated,
                1 if gains else -1,
            )
        elif step in (LOSE_OWN, GAIN_OWN):
            gains = step == GAIN_OWN
            own = chart + charts[chart + C_OWN]
            if charts[own] > 0:
                status = fire_own(
                    directory,
                    indexes,
                    machine,
                    code,
                    registers,
                    cursors,
                    ranks,
                    tally if gains else losses,
                    queue,
                    spans,
                    trip,
                    charts,
                    own,
                    ASSERT_SAME if gains else RETRACT_SAME,
                    1 if gains else -1,
                )
            elif not gains:
                mark(directory, queue, 0, machine[QTAIL], VISIBLE, 0)
        elif step == REVIVE:
            status = revive_queue(directory, machine, trip, items, cells)
        elif step == LINK:
            status = link_members(directory, indexes, machine, trip, charts, chart)
        else:
            status = collect(directory, trip, charts, items, cells, changes, chart)
            if status == DONE:
                note_visit(machine, tally, losses, trip, charts, log, chart)
        if status == DONE:
            trip[STEP] = step if trip[STEP] == ENTER else step + 1
    return LARGE if status == SLICE else status


@compiled
def begin_epoch(directory, machine, kept, tally, losses, visits, rows, bases):
    """Forget what the previous epoch left, and note the rows and the rank base of every relation."""
    for field in range(len(kept)):
        if kept[field] == 0:
            machine[field] = 0
    machine[PC] = machine[PLAN] = -1
    for rule in range(len(tally)):
        tally[rule] = losses[rule] = 0
    for rule in range(len(visits)):
        visits[rule] = 0
    for rel in range(len(rows)):
        rows[rel], bases[rel] = directory[rel, ROWS], directory[rel, RANK_BASE]
        directory[rel, FRESH] = 1 if directory[rel, ROWS] == 0 else 0


@compiled
def commit_visited(directory, indexes, charts, log, count):
    """Commit the members of all strata that were visited here: new facts become old."""
    for i in range(count):
        chart = log[i, V_CHART]
        if chart >= 0:
            for member in range(charts[chart + C_COUNT]):
                commit(directory, indexes, charts[chart + C_MEMBERS + member])
