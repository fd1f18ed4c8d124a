"""Ordered indexes: the rows of a relation in the order of one column, among those that agree on some others.

Laws. A live row below the index's LINKED is in the order exactly once, or waits at the head of it to be inserted; rows
from there on wait like those of any index (`kernel.maintain`). Rows are ordered by the cells of their key columns, the
last of them by the order of its type, and then by their numbers, so that every row has one place. Each has four links
(``row + 1``, 0 for none): the rows after and before it, so that a cursor is not disturbed by insertions, and its
children in a search tree. The tree is a treap: the priority of a row is a hash of its number, so that its depth does
not depend on the order in which rows arrive.

The root, the first waiting row and whether rows wait to be sorted are stored where other indexes have their table of
keys, which all threads share. A row that is reused while others read only joins the waiting ones.
"""

from __future__ import annotations

from tidelog.kernel.atomic import observe, swap
from tidelog.kernel.layout import (
    ARITY,
    COLS,
    DONE,
    GROW_RELATION,
    KTAB,
    LINKED,
    LINKS,
    LIVE,
    LIVE_ROWS,
    LOW32,
    NCOLS,
    ORDER,
    REC,
    REL,
    ROWS,
    SLICE,
    WIDTH,
)
from tidelog.kernel.memory import compiled, inlined, load, load32, store, store32
from tidelog.kernel.scalar import AS_FLOAT, AS_UNSIGNED

AFTER, BEFORE, LEFT, RIGHT = range(4)  # the links of a row
ROOT, WAITING, UNSORTED = range(3)  # cells of the head
PUT = 1 << 13  # rows put into the order in one call of the kernel (D19)
MANY = 64  # rows that are sorted rather than inserted one by one, if they are a considerable share of all
SHARE = 8
HAS_LOW, ABOVE_LOW, HAS_HIGH, BELOW_HIGH = 1, 2, 4, 8  # of the bounds of a range
LEAST, GREATEST = -(2**63), 2**63 - 1


@inlined
def order_cell(kind, cell):
    """A signed number for a cell, in the order of its type; `partition.memory.ordered_rows` has the same."""
    if kind == AS_UNSIGNED:
        return cell ^ LEAST
    if kind == AS_FLOAT:
        return cell ^ ((cell >> 63) & GREATEST)
    return cell


@inlined
def _row_at(links, node, side):
    """The row (+ 1) that a link of ``node`` (a row + 1) leads to."""
    return load32(links, 4 * (node - 1) + side) & LOW32


@inlined
def _set_link(links, node, side, row):
    store32(links, 4 * (node - 1) + side, row)


@inlined
def _set_child(head, links, parent, side, row):
    """Hang a row below another one, or make it the root."""
    if parent == 0:
        store(head, ROOT, row)
    else:
        _set_link(links, parent, side, row)


@inlined
def _priority(node):
    """A hash of 32 bits; nothing overflows, which the compiler assumes when numbers are compared."""
    mixed = ((node ^ (node >> 16)) * 0x45D9F3B) & LOW32
    mixed = ((mixed ^ (mixed >> 16)) * 0x45D9F3B) & LOW32
    return mixed ^ (mixed >> 16)


@inlined
def _comes_before(directory, indexes, index, rel, one, other):
    """Whether a row (+ 1) comes before another one in the order."""
    records, width = directory[rel, REC], directory[rel, WIDTH]
    a, b = (one - 1) * width, (other - 1) * width
    last = indexes[index, NCOLS] - 1
    for i in range(last):
        x, y = load(records, a + indexes[index, COLS + i]), load(records, b + indexes[index, COLS + i])
        if x != y:
            return x < y
    column, kind = indexes[index, COLS + last], indexes[index, ORDER] - 1
    x, y = order_cell(kind, load(records, a + column)), order_cell(kind, load(records, b + column))
    if x != y:
        return x < y
    return one < other


@compiled
def put_row(directory, indexes, index, rel, row):
    """Put a row into the order."""
    head, links, mine = indexes[index, KTAB], indexes[index, LINKS], row + 1
    priority = _priority(mine)
    node, parent, side, before, after = load(head, ROOT), 0, 0, 0, 0
    while node != 0 and _priority(node) >= priority:
        parent = node
        if _comes_before(directory, indexes, index, rel, mine, node):
            side, after = LEFT, node
        else:
            side, before = RIGHT, node
        node = _row_at(links, node, side)
    _set_child(head, links, parent, side, mine)
    lower, lower_side, upper, upper_side = mine, LEFT, mine, RIGHT
    while node != 0:  # what hung there is divided into what comes before the row and what comes after
        if _comes_before(directory, indexes, index, rel, mine, node):
            _set_link(links, upper, upper_side, node)
            upper, upper_side, after = node, LEFT, node
            node = _row_at(links, node, LEFT)
        else:
            _set_link(links, lower, lower_side, node)
            lower, lower_side, before = node, RIGHT, node
            node = _row_at(links, node, RIGHT)
    _set_link(links, lower, lower_side, 0)
    _set_link(links, upper, upper_side, 0)
    _set_link(links, mine, AFTER, after)
    _set_link(links, mine, BEFORE, before)
    if after != 0:
        _set_link(links, after, BEFORE, mine)
    if before != 0:
        _set_link(links, before, AFTER, mine)


@compiled
def take_row_out(directory, indexes, index, rel, row):
    """Remove a row from the order; waiting rows are inserted first, since it may be one of them."""
    put_waiting(directory, indexes, index, rel)
    head, links, mine = indexes[index, KTAB], indexes[index, LINKS], row + 1
    node, parent, side = load(head, ROOT), 0, 0
    while node != mine:
        parent = node
        side = LEFT if _comes_before(directory, indexes, index, rel, mine, node) else RIGHT
        node = _row_at(links, node, side)
    left, right = _row_at(links, mine, LEFT), _row_at(links, mine, RIGHT)
    while left != 0 and right != 0:
        if _priority(left) >= _priority(right):
            _set_child(head, links, parent, side, left)
            parent, side = left, RIGHT
            left = _row_at(links, left, RIGHT)
        else:
            _set_child(head, links, parent, side, right)
            parent, side = right, LEFT
            right = _row_at(links, right, LEFT)
    _set_child(head, links, parent, side, left + right)  # one of them is none
    after, before = _row_at(links, mine, AFTER), _row_at(links, mine, BEFORE)
    if after != 0:
        _set_link(links, after, BEFORE, before)
    if before != 0:
        _set_link(links, before, AFTER, after)


@compiled
def let_wait(indexes, index, row):
    """Let a reused row wait for its insertion; several threads may do this at once."""
    head, links = indexes[index, KTAB], indexes[index, LINKS]
    while True:
        first = observe(head, WAITING)
        _set_link(links, row + 1, LEFT, first)
        if swap(head, WAITING, first, row + 1):
            return


@compiled
def put_waiting(directory, indexes, index, rel):
    """Insert the reused rows."""
    head, links = indexes[index, KTAB], indexes[index, LINKS]
    node = load(head, WAITING)
    store(head, WAITING, 0)
    while node != 0:
        following = _row_at(links, node, LEFT)
        put_row(directory, indexes, index, rel, node - 1)
        node = following


@compiled
def forget_order(indexes, index):
    """Empty the order."""
    for cell in (ROOT, WAITING, UNSORTED):
        store(indexes[index, KTAB], cell, 0)


@compiled
def put_rows(directory, indexes, index):
    """Insert waiting rows: DONE when none is left, SLICE when there are more."""
    rel = indexes[index, REL]
    put_waiting(directory, indexes, index, rel)
    row, rows = indexes[index, LINKED], directory[rel, ROWS]
    end = min(rows, row + PUT)
    records, width, arity = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY]
    while row < end:
        if load(records, row * width + arity) & LIVE != 0:
            put_row(directory, indexes, index, rel, row)
        row += 1
    indexes[index, LINKED] = row
    return DONE if row == rows else SLICE


@compiled
def catch_up_ordered(directory, indexes, index):
    """Like `put_rows`; GROW_RELATION if enough rows wait that all should be sorted (`string_rows`)."""
    rel = indexes[index, REL]
    waiting = directory[rel, ROWS] - indexes[index, LINKED]
    if waiting > MANY and SHARE * waiting > directory[rel, LIVE_ROWS]:
        store(indexes[index, KTAB], UNSORTED, 1)
        return GROW_RELATION
    return put_rows(directory, indexes, index)


@inlined
def is_behind(directory, indexes, index):
    """Whether rows wait to be inserted."""
    return indexes[index, LINKED] < directory[indexes[index, REL], ROWS] or load(indexes[index, KTAB], WAITING) != 0


@compiled
def string_rows(indexes, index, order, first, end, spine, depth):
    """Link the rows of ``order``, which is sorted, from place ``first`` to ``end``; those before are linked.

    ``spine`` holds the rows from the root to the last one, each the right child of the one before, ``depth`` of them;
    returns how many there are now.
    """
    head, links = indexes[index, KTAB], indexes[index, LINKS]
    for place in range(first, end):
        node = order[place] + 1
        priority, below = _priority(node), 0
        while depth > 0 and _priority(spine[depth - 1]) < priority:
            depth -= 1
            below = spine[depth]
        _set_link(links, node, LEFT, below)
        _set_link(links, node, RIGHT, 0)
        _set_child(head, links, spine[depth - 1] if depth > 0 else 0, RIGHT, node)
        spine[depth] = node
        depth += 1
        _set_link(links, node, BEFORE, order[place - 1] + 1 if place > 0 else 0)
        _set_link(links, node, AFTER, order[place + 1] + 1 if place + 1 < len(order) else 0)
    return depth


@inlined
def lowest(kind, bounds, low):
    """The least number in the order that a range admits, and whether it admits any."""
    if bounds & HAS_LOW == 0:
        return LEAST, True
    place = order_cell(kind, low)
    if bounds & ABOVE_LOW == 0:
        return place, True
    return place + 1, place != GREATEST


@inlined
def highest(kind, bounds, high):
    """The greatest one, and whether there is any."""
    if bounds & HAS_HIGH == 0:
        return GREATEST, True
    place = order_cell(kind, high)
    if bounds & BELOW_HIGH == 0:
        return place, True
    return place - 1, place != LEAST


@compiled
def first_from(directory, indexes, index, rel, key, low):
    """The first row (+ 1) whose first columns are the cells at ``key`` and whose last is not below ``low``, or after.

    This is the first row that is not before such a place: it need not agree with the key.
    """
    records, width, links = directory[rel, REC], directory[rel, WIDTH], indexes[index, LINKS]
    last = indexes[index, NCOLS] - 1
    column, kind = indexes[index, COLS + last], indexes[index, ORDER] - 1
    node, found = load(indexes[index, KTAB], ROOT), 0
    while node != 0:
        start = (node - 1) * width
        is_before, is_same = False, True
        for i in range(last):
            cell, wanted = load(records, start + indexes[index, COLS + i]), load(key, i)
            if cell != wanted:
                is_before, is_same = cell < wanted, False
                break
        if is_same:
            is_before = order_cell(kind, load(records, start + column)) < low
        if is_before:
            node = _row_at(links, node, RIGHT)
        else:
            found = node
            node = _row_at(links, node, LEFT)
    return found


@inlined
def is_within(directory, indexes, index, rel, key, high, node):
    """Whether a row (+ 1) has the cells at ``key`` in its first columns and is not above ``high`` in the last."""
    records, start = directory[rel, REC], (node - 1) * directory[rel, WIDTH]
    last = indexes[index, NCOLS] - 1
    for i in range(last):
        if load(records, start + indexes[index, COLS + i]) != load(key, i):
            return False
    return order_cell(indexes[index, ORDER] - 1, load(records, start + indexes[index, COLS + last])) <= high
