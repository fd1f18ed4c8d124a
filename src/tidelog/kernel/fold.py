"""Folds: count, sum, mean, min and max of groups, each group a row of a table with its accumulators.

Law (D12): what a group shows depends on its values alone, never on the order in which they arrive. Sums are exact:
words of 64 bits, in two's complement, the lowest first; integers have two of them, floats as many as the exponents in
use require (a *window*, which Python widens), in units of 2^-1074, with infinities and NaN counted separately. What is
shown is rounded once. A row of a counted relation has a *weight*, its number of supports: it is folded as that many
equal rows. A min or max counts the rows that have the best value; when the last of them is removed, the
group is searched again.

The row of a group: its key, the place (+ 1) of its copy in the journal, its number of values, its accumulators. The
journal holds the number and the accumulators of every group that the epoch touched, as they were before it, unless
there were none. A group without values is freed when the epoch is committed.
"""

from __future__ import annotations

from tidelog.kernel.aggregate import order_key
from tidelog.kernel.index import HASH_SEED, drop_entry, finish_hash, first_row, home, is_full, mix_cell
from tidelog.kernel.layout import ARITY, LINKS, LOW32, MAX_KEY, NEW, REC, ROWS, WIDTH
from tidelog.kernel.memory import add, compiled, inlined, load, load32, prefetch, store, subtract
from tidelog.kernel.scalar import NAN_BITS

# What is accumulated, and what is shown of it.
COUNTS, INTEGERS, UNSIGNEDS, FLOATS, BEST = range(5)
NUMBER, TOTAL, WRAPPED, ROUNDED, MEAN, BEST_VALUE = range(6)

# The fields of a fold. From COLUMNS on: the columns of its key, then for each head column the place in the key, or -1.
(
    TAB,
    SLOTS,
    GROUPS,
    CAP,
    USED,
    LIVE,
    FREE,
    JOURNAL,
    JCAP,
    JROWS,
    SPAN,  # cells of a group
    KIND,
    SHOWS,
    NKEY,
    VALUE,
    ORDER,
    BASE,  # of floats: the first word of the window, and how many there are
    WORDS,
    LOWEST,  # words that a value needs beyond the window
    HIGHEST,
    NHEAD,
    SPARE,  # address of some words
    FRESH,  # 1: there were no groups when the epoch began, so that nothing goes to the journal
    WEIGHED,  # 1: rows have weights
    COLUMNS,
) = range(25)
MOST_WORDS = 34  # of all floats, with room for carries
BATCH = 64  # records whose groups are prefetched
SPARE_WORDS = max(MOST_WORDS + 2, BATCH)
CROWDED = 1 << 12  # groups beyond which they are not near
INFINITY_BITS = 0x7FF0000000000000
_SIGN = -(2**63)
_FRACTION = (1 << 52) - 1
_EXPONENTS = 0x7FF
_PART_BITS = 10  # of a weight: times the 53 bits of a float, it fits a word
_PART = (1 << _PART_BITS) - 1
_CARRIES = 40  # bits above a value that its group may carry to
UNIT = -1074  # the exponent of the lowest bit of the first word of floats


@inlined
def hash_group(state, at):
    """The hash of the key of the record at an address."""
    mixed = HASH_SEED
    for i in range(state[NKEY]):
        mixed = mix_cell(mixed, load(at, state[COLUMNS + i]))
    return finish_hash(mixed)


@inlined
def has_key(state, group, at, keys):
    """Whether a group has the key of the record at an address."""
    for i in range(keys):
        cell = load(group, i)
        if cell != load(at, state[COLUMNS + i]):
            return False
    return True


@compiled
def make_group(state, at, tag):
    """A new group for the record at an address, without values; the caller has checked that there is room."""
    groups, span, keys, slots = state[GROUPS], state[SPAN], state[NKEY], state[SLOTS]
    row = state[FREE] - 1
    if row >= 0:
        state[FREE] = load(groups, row * span + keys)
    else:
        row = state[USED]
        state[USED] = row + 1
    state[LIVE] += 1
    for i in range(keys):
        store(groups, row * span + i, load(at, state[COLUMNS + i]))
    for i in range(keys, span):
        store(groups, row * span + i, 0)
    place = home(tag, slots)
    while load(state[TAB], place) != 0:
        place += 1
        if place == slots:
            place = 0
    store(state[TAB], place, (tag << 32) | (row + 1))
    return row


@inlined
def touch_group(state, row):
    """Copy a group to the journal before it first changes in an epoch."""
    mark = state[GROUPS] + 8 * (row * state[SPAN] + state[NKEY])
    if load(mark, 0) != 0:
        return
    length, number = state[SPAN] - state[NKEY], state[JROWS]
    entry = state[JOURNAL] + 8 * number * length
    store(entry, 0, row)
    for i in range(1, length):
        store(entry, i, load(mark, i))
    store(mark, 0, number + 1)
    state[JROWS] = number + 1


@inlined
def add_words(words, first, count, low, high, above):
    """Add to a number the words ``low`` and ``high`` at ``first``, and ``above`` (0 or -1) at all that follow."""
    carry = 0
    for i in range(first, count):
        part = above
        if i == first:
            part = low
        elif i == first + 1:
            part = high
        elif part + carry == 0:
            return
        before = load(words, i)
        partial = add(before, part)[0]
        total = add(partial, carry)[0]
        overflow = (partial ^ _SIGN) < (before ^ _SIGN) or (total ^ _SIGN) < (partial ^ _SIGN)
        store(words, i, total)
        carry = 1 if overflow else 0


@inlined
def add_float(state, at, cell, weight):
    """Add a float a number of times, or subtract it; False if the window is too narrow."""
    exponent = (cell >> 52) & _EXPONENTS
    if exponent == _EXPONENTS:
        place = 2 if cell == NAN_BITS else (1 if cell < 0 else 0)
        store(at, place, load(at, place) + weight)
        return True
    mantissa, position = cell & _FRACTION, 0
    if exponent != 0:
        mantissa, position = mantissa | (_FRACTION + 1), exponent - 1
    if mantissa == 0:
        return True
    if (cell < 0) != (weight < 0):
        mantissa = -mantissa
    first = (position >> 6) - state[BASE]
    last = ((position + 53 + _CARRIES) >> 6) - state[BASE]
    if first < 0 or last >= state[WORDS]:
        state[LOWEST], state[HIGHEST] = first + state[BASE], last + state[BASE]
        return False
    left = abs(weight)
    while left != 0:
        part = mantissa * (left & _PART)
        shift, above = position & 63, part >> 63
        high = above if shift == 0 else part >> (64 - shift)
        add_words(at + 24, (position >> 6) - state[BASE], state[WORDS], part << shift, high, above)
        left >>= _PART_BITS
        position += _PART_BITS
    return True


@inlined
def multiple(cell, weight, unsigned):
    """An integer times a weight below 2^32, as two words."""
    upper = (cell >> 32) & LOW32 if unsigned else cell >> 32
    low, middle = (cell & LOW32) * abs(weight), upper * abs(weight)
    total = add(low, middle << 32)[0]
    carry = 1 if (total ^ _SIGN) < (low ^ _SIGN) else 0
    high = ((middle >> 32) & LOW32 if unsigned else middle >> 32) + carry
    if weight < 0:
        return subtract(0, total)[0], ~high + (1 if total == 0 else 0)
    return total, high


@inlined
def add_integer(at, cell, weight, unsigned):
    """Add an integer a number of times, or subtract it."""
    low, above = cell, 0 if unsigned else cell >> 63
    if weight == -1:
        low = subtract(0, cell)[0]
        above = -1 if cell > 0 or (unsigned and cell != 0) else 0
    elif weight != 1:
        low, above = multiple(cell, weight, unsigned)
    before = load(at, 0)
    total = add(before, low)[0]
    carry = 1 if (total ^ _SIGN) < (before ^ _SIGN) else 0
    store(at, 0, total)
    store(at, 1, add(add(load(at, 1), above)[0], carry)[0])


@inlined
def add_candidate(at, order, cell, sign):
    """Count a row with this value; an unknown best value (its count is 0) stays unknown."""
    best, count = load(at, 0), load(at, 1)
    if sign < 0:
        if cell == best and count > 0:
            store(at, 1, count - 1)
    elif count > 0:
        if cell == best:
            store(at, 1, count + 1)
        elif order_key(order, cell) < order_key(order, best):
            store(at, 0, cell)
            store(at, 1, 1)


@inlined
def change_group(state, kind, at, group, weight):
    """Add the record at an address to its group (1) or remove it (-1); False if the window is too narrow.

    A weight other than 1 represents that many records; a min or max has none.
    """
    count = load(group, 0)
    if kind == FLOATS:
        if not add_float(state, group + 8, load(at, state[VALUE]), weight):
            return False
    elif kind == BEST:
        if count == 0:
            store(group, 1, load(at, state[VALUE]))
            store(group, 2, 1)
        else:
            add_candidate(group + 8, state[ORDER], load(at, state[VALUE]), weight)
    elif kind != COUNTS:
        add_integer(group + 8, load(at, state[VALUE]), weight, kind == UNSIGNEDS)
    store(group, 0, count + weight)
    return True


@inlined
def look_ahead(state, records, width, flags, flag, items, first, last, tags):
    """Hash the keys of a batch, -1 for records that are skipped, and prefetch the memory needed to find them."""
    table, slots, groups, span = state[TAB], state[SLOTS], state[GROUPS], state[SPAN]
    for i in range(first, last):
        at = records + 8 * width * (items[i] & LOW32 if flag == 0 else i)
        tag = -1
        if flag <= 0 or load(at, flags) & flag != 0:
            tag = hash_group(state, at)
            prefetch(table, home(tag, slots))
        store(tags, i - first, tag)
    if state[LIVE] < CROWDED:
        return
    for i in range(first, last):
        tag = load(tags, i - first)
        if tag >= 0:
            entry = load(table, home(tag, slots))
            prefetch(groups, ((entry & LOW32) - 1) * span)


@inlined
def has_room(state):
    """Whether one more group fits, and its copy in the journal."""
    if is_full(state[LIVE], state[SLOTS]) or (state[FREE] == 0 and state[USED] >= state[CAP]):
        return False
    return state[FRESH] == 1 or state[JROWS] < state[JCAP]


@inlined
def weight_of(state, at, flags, flag, weights, i, sign):
    """What a record counts for."""
    if state[WEIGHED] == 0:
        return sign
    return weights[i] if flag == 0 else sign * (load(at, flags + 1) >> 32)


@compiled
def fold_batch(state, records, width, flags, flag, items, weights, first, last, sign, tags):
    """Fold a batch whose keys are hashed; returns where it stopped: ``last``, or before if room is missing."""
    table, slots, groups, span, keys = state[TAB], state[SLOTS], state[GROUPS], state[SPAN], state[NKEY]
    kind, fresh = state[KIND], state[FRESH]
    for i in range(first, last):
        tag = load(tags, i - first)
        if tag < 0:
            continue
        at = records + 8 * width * (items[i] & LOW32 if flag == 0 else i)
        weight = weight_of(state, at, flags, flag, weights, i, sign)
        if weight == 0:
            continue
        place, row = home(tag, slots), -1
        entry = load(table, place)
        while entry != 0:
            if (entry >> 32) & LOW32 == tag:
                row = (entry & LOW32) - 1
                if has_key(state, groups + 8 * row * span, at, keys):
                    break
                row = -1
            place += 1
            if place == slots:
                place = 0
            entry = load(table, place)
        if row < 0 or (fresh == 0 and load(groups, row * span + keys) == 0):
            if not has_room(state):
                return i
            if row < 0:
                row = make_group(state, at, tag)
            if fresh == 0:
                touch_group(state, row)
        if not change_group(state, kind, at, groups + 8 * (row * span + keys + 1), weight):
            return i
    return last


@compiled
def fold_rows(state, records, width, flags, flag, items, weights, first, last, sign):
    """Fold records into their groups; returns where it stopped: ``last``, or before if room is missing.

    With a ``flag`` all records that have it in the cell ``flags`` are folded, with -1 all; with 0 those of ``items``.
    Where rows have weights, those of ``items`` are in ``weights``, the others' in the cell after ``flags``.
    """
    tags = state[SPARE]
    while first < last:
        end = min(first + BATCH, last)
        look_ahead(state, records, width, flags, flag, items, first, end, tags)
        stopped = fold_batch(state, records, width, flags, flag, items, weights, first, end, sign, tags)
        if stopped < end:
            return stopped
        first = end
    return last


@inlined
def bit_length(word):
    """The number of bits of a word that is not 0, up to its highest."""
    if word < 0:
        return 64
    length, step = 1, 32
    while step > 0:
        if word >> (length - 1 + step) != 0:
            length += step
        step >>= 1
    return length


@inlined
def half_quotient(word, rest, divisor):
    """A digit of 32 bits and the rest of a long division, given the rest before it and the next digit."""
    if divisor >> 31 == 0:
        digit = (rest << 32) | word
        quotient = digit // divisor
        return quotient, digit - quotient * divisor
    quotient = 0
    for i in range(31, -1, -1):
        rest = (rest << 1) | ((word >> i) & 1)
        quotient <<= 1
        if rest >= divisor:
            rest -= divisor
            quotient |= 1
    return quotient, rest


@compiled
def rounded(words, count, unit, divisor, spare):
    """The bits of the float nearest to a number of ``count`` words, in units of 2^unit, divided by ``divisor``.

    Halves are rounded to the even neighbour. ``spare`` has room for two more words.
    """
    negative, carry, sticky = load(words, count - 1) < 0, 1, False
    store(spare, 0, 0)
    store(spare, 1, 0)
    for i in range(count):
        word = load(words, i)
        if negative:
            word = add(~word, carry)[0]
            carry = 1 if carry == 1 and word == 0 else 0
        store(spare, i + 2, word)
    count += 2
    rest = 0
    if divisor != 1:
        for i in range(count - 1, -1, -1):
            word = load(spare, i)
            upper, rest = half_quotient((word >> 32) & LOW32, rest, divisor)
            lower, rest = half_quotient(word & LOW32, rest, divisor)
            store(spare, i, (upper << 32) | lower)
        sticky = rest != 0
    top = count - 1
    while top >= 0 and load(spare, top) == 0:
        top -= 1
    if top < 0:
        return 0
    highest = 64 * top + bit_length(load(spare, top)) - 1
    lowest = max(highest + unit - 128 - 52, UNIT)  # the exponent of the last bit of the result
    place = lowest - unit + 128
    first, shift = place >> 6, place & 63
    mantissa = (load(spare, first) >> shift) & ((1 << (64 - shift)) - 1 if shift != 0 else -1)
    if shift != 0 and first + 1 < count:
        mantissa |= load(spare, first + 1) << (64 - shift)
    if highest - place < 63:
        mantissa &= (1 << (highest - place + 1)) - 1 if highest >= place else 0
    half = (load(spare, (place - 1) >> 6) >> ((place - 1) & 63)) & 1
    if half == 1:
        below = (place - 1) >> 6
        sticky = sticky or load(spare, below) & ((1 << ((place - 1) & 63)) - 1) != 0
        for i in range(below):
            sticky = sticky or load(spare, i) != 0
        if sticky or mantissa & 1 == 1:
            mantissa += 1
    if mantissa == 0:
        return 0
    if mantissa > _FRACTION:
        if mantissa >> 53 != 0:
            mantissa >>= 1
            lowest += 1
        exponent = lowest - UNIT + 1
        mantissa = INFINITY_BITS if exponent >= _EXPONENTS else (exponent << 52) | (mantissa & _FRACTION)
    return mantissa | _SIGN if negative else mantissa


@inlined
def rounded_float(state, at, divisor):
    """The sum of the floats of a group, divided."""
    plus, minus = load(at, 0), load(at, 1)
    if load(at, 2) != 0 or (plus != 0 and minus != 0):
        return NAN_BITS
    if plus != 0:
        return INFINITY_BITS
    if minus != 0:
        return INFINITY_BITS | _SIGN
    if state[WORDS] == 0:
        return 0
    return rounded(at + 24, state[WORDS], 64 * state[BASE] + UNIT, divisor, state[SPARE])


@compiled
def shown(state, at):
    """The cell that a group with values shows, and whether it has one: a sum may overflow its type."""
    count, shows, kind = load(at, 0), state[SHOWS], state[KIND]
    if shows == NUMBER:
        return count, True
    low = load(at, 1)
    if shows in (BEST_VALUE, WRAPPED):
        return low, True
    if shows == TOTAL:
        return low, load(at, 2) == (0 if kind == UNSIGNEDS else low >> 63)
    divisor = count if shows == MEAN else 1
    if kind == FLOATS:
        return rounded_float(state, at + 8, divisor), True
    return rounded(at + 8, 2, 0, divisor, state[SPARE]), True


@inlined
def write_head(state, row, cell, to):
    """Write the head fact of a group."""
    group, places = state[GROUPS] + 8 * row * state[SPAN], COLUMNS + state[NKEY]
    for i in range(state[NHEAD]):
        place = state[places + i]
        store(to, i, cell if place < 0 else load(group, place))


@compiled
def net_results(state, first, last, lost, gained, counts):
    """Head facts that groups of the journal showed before and show now, if these differ; returns where it stopped.

    ``lost`` and ``gained`` are addresses, ``counts`` holds how many facts are there. It stops at a sum that overflows
    its type.
    """
    length, heads = state[SPAN] - state[NKEY], state[NHEAD]
    for i in range(first, last):
        entry = state[JOURNAL] + 8 * i * length
        row = load(entry, 0)
        now = state[GROUPS] + 8 * (row * state[SPAN] + state[NKEY] + 1)
        was, has = load(entry, 1) != 0, load(now, 0) != 0
        old, new, fits = 0, 0, True
        if has:
            new, fits = shown(state, now)
            if not fits:
                return i
        if was:
            old, fits = shown(state, entry + 8)
        if was == has and old == new:
            continue
        if was:
            write_head(state, row, old, lost + 8 * counts[0] * heads)
            counts[0] += 1
        if has:
            write_head(state, row, new, gained + 8 * counts[1] * heads)
            counts[1] += 1
    return last


@compiled
def all_results(state, first, last, found, counts):
    """The head facts of all groups; returns where it stopped, like `net_results`."""
    for row in range(first, last):
        at = state[GROUPS] + 8 * (row * state[SPAN] + state[NKEY] + 1)
        if load(at, 0) == 0:
            continue
        cell, fits = shown(state, at)
        if not fits:
            return row
        write_head(state, row, cell, found + 8 * counts[0] * state[NHEAD])
        counts[0] += 1
    return last


@inlined
def look_at(state, records, start, key):
    """Examine a row of a group that is searched again; keys longer than an index can be are compared."""
    for i in range(MAX_KEY, state[NKEY]):
        if load(records, start + state[COLUMNS + i]) != load(key, i):
            return
    group, cell = key + 8 * (state[NKEY] + 1), load(records, start + state[VALUE])
    if load(group, 2) == 0:
        store(group, 1, cell)
        store(group, 2, 1)
    else:
        add_candidate(group + 8, state[ORDER], cell, 1)


@compiled
def look_again(directory, indexes, rel, index, state, first, last):
    """Search groups of the journal that lost their best value, by an index on their key; -1: there is one group."""
    records, width, arity = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY]
    length = state[SPAN] - state[NKEY]
    for i in range(first, last):
        row = load(state[JOURNAL] + 8 * i * length, 0)
        key = state[GROUPS] + 8 * row * state[SPAN]
        group = key + 8 * (state[NKEY] + 1)
        if load(group, 0) == 0 or load(group, 2) != 0:
            continue
        if index < 0:
            for other in range(directory[rel, ROWS]):
                if load(records, other * width + arity) & NEW != 0:
                    look_at(state, records, other * width, key)
            continue
        cursor = first_row(directory, indexes, index, rel, key)
        while cursor != 0:
            if load(records, (cursor - 1) * width + arity) & NEW != 0:
                look_at(state, records, (cursor - 1) * width, key)
            cursor = load32(indexes[index, LINKS], 2 * (cursor - 1)) & LOW32


@compiled
def free_group(state, row):
    """Remove a group without values from the table."""
    group = state[GROUPS] + 8 * row * state[SPAN]
    mixed = HASH_SEED
    for i in range(state[NKEY]):
        mixed = mix_cell(mixed, load(group, i))
    place = home(finish_hash(mixed), state[SLOTS])
    while load(state[TAB], place) & LOW32 != row + 1:
        place += 1
        if place == state[SLOTS]:
            place = 0
    drop_entry(state[TAB], state[SLOTS], place)
    store(group, state[NKEY], state[FREE])
    store(group, state[NKEY] + 1, 0)
    state[FREE] = row + 1
    state[LIVE] -= 1


@compiled
def end_epoch(state, undo):
    """End the epoch: keep the groups, or with ``undo`` restore them; those without values are freed."""
    length = state[SPAN] - state[NKEY]
    for i in range(state[JROWS]):
        entry = state[JOURNAL] + 8 * i * length
        row = load(entry, 0)
        mark = state[GROUPS] + 8 * (row * state[SPAN] + state[NKEY])
        store(mark, 0, 0)
        for j in range(1, length if undo == 1 else 0):
            store(mark, j, load(entry, j))
        if load(mark, 1) == 0:
            free_group(state, row)
    state[JROWS] = 0
