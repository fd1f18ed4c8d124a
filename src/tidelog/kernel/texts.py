"""Texts under their ids: a table from id to record, records with the address of the bytes, and copies of those bytes.

Law (D15): a text is kept once, under the id that `xxhash` computes or that is given with it, and never moves. An id
that exists with other bytes, or with bytes of another kind, is a clash, which is reported before anything of its row is
kept. A record is written before the table shows it, so that concurrent readers see complete records.

A record is the id, the address of the bytes, and their number times four plus the kind (text, list, broken text, cells
of a structure). A place in the table holds the upper half of the id and, below it, the number of the record plus one; 0
is empty.
"""

from __future__ import annotations

from tidelog.kernel.memory import byte, compiled, prefetch, store_byte, store_word, word
from tidelog.kernel.xxhash import hash_bytes, hash_cell

ID, ADDRESS, SIZE, RECORD_WIDTH = 0, 1, 2, 3
COUNT, FREE, LEFT, CLASH, ROOM_WIDTH = 0, 1, 2, 3, 4  # records, next free byte and how many, record that clashed or -1
KINDS = 4
STRUCTURE = 3  # the kind of the cells of a structure
BATCH = 16  # texts between prefetching a place in the table and reading it
_LOW32 = 0xFFFFFFFF


@compiled
def _same_bytes(left, right, length):
    at = 0
    while at + 8 <= length:
        if word(left + at) != word(right + at):
            return False
        at += 8
    while at < length:
        if byte(left + at) != byte(right + at):
            return False
        at += 1
    return True


@compiled
def _copy_bytes(source, target, length):
    at = 0
    while at + 8 <= length:
        store_word(target + at, word(source + at))
        at += 8
    while at < length:
        store_byte(target + at, byte(source + at))
        at += 1


@compiled
def _find(cell, table, records):
    """The record with an id, or else -1 minus the empty place where it would be."""
    mask = len(table) - 1
    place = cell & mask
    while True:
        entry = table[place]
        if entry == 0:
            return -1 - place
        if (entry ^ cell) & ~_LOW32 == 0:
            number = (entry & _LOW32) - 1
            if records[number, ID] == cell:
                return number
        place = (place + 1) & mask


@compiled
def enter_texts(texts, offsets, start, seed, kinds, cells, table, where, records, room):
    """Enter texts stored one after the other; returns the row where it stopped: the end, a lack of room, or a clash.

    Text ``i`` is bytes ``offsets[i]`` to ``offsets[i + 1]`` after the address ``texts``. With a ``seed`` its id becomes
    ``cells[i]``, and all are texts; with 0 ids and kinds are given. The places of a batch in the table, which is at
    the address ``where``, are prefetched before the first of them is read.
    """
    room[CLASH] = -1
    mask, count = len(table) - 1, len(cells)
    while start < count:
        end = min(start + BATCH, count)
        for row in range(start, end):
            if seed != 0:
                length = offsets[row + 1] - offsets[row]
                cells[row] = hash_bytes(texts + offsets[row], length, hash_cell(length, seed))
            prefetch(where, cells[row] & mask)
        for row in range(start, end):
            source, length = texts + offsets[row], offsets[row + 1] - offsets[row]
            cell, size = cells[row], length * KINDS + (kinds[row] if seed == 0 else 0)
            found = _find(cell, table, records)
            if found >= 0:
                if records[found, SIZE] != size or not _same_bytes(records[found, ADDRESS], source, length):
                    room[CLASH] = found
                    return row
                continue
            number = room[COUNT]
            if number == len(records) or 2 * number >= len(table) or length > room[LEFT]:
                return row
            _copy_bytes(source, room[FREE], length)
            records[number, ID], records[number, ADDRESS], records[number, SIZE] = cell, room[FREE], size
            table[-1 - found] = (cell & ~_LOW32) | (number + 1)
            room[FREE] += length
            room[LEFT] -= length
            room[COUNT] += 1
        start = end
    return count


@compiled
def fill_table(table, where, records, count):
    """Enter all records into an empty table, which is at the address ``where``."""
    mask = len(table) - 1
    for number in range(count):
        if number + BATCH < count:
            prefetch(where, records[number + BATCH, ID] & mask)
        cell = records[number, ID]
        table[-1 - _find(cell, table, records)] = (cell & ~_LOW32) | (number + 1)


@compiled
def find_texts(cells, table, where, records, numbers):
    """The record of each id, -1 where there is none."""
    mask, count = len(table) - 1, len(cells)
    for i in range(count):
        if i + BATCH < count:
            prefetch(where, cells[i + BATCH] & mask)
        numbers[i] = max(_find(cells[i], table, records), -1)


@compiled
def measure_texts(numbers, records, ends):
    """Where the bytes of some records begin and end if they are copied; returns how many are not texts."""
    end, others = 0, 0
    for i in range(len(numbers)):
        size = records[numbers[i], SIZE]
        end += size // KINDS
        others += 1 if size % KINDS != 0 else 0
        ends[i + 1] = end
    return others


@compiled
def copy_texts(numbers, records, target):
    """Copy the bytes of some records to an address, one after the other."""
    for i in range(len(numbers)):
        length = records[numbers[i], SIZE] // KINDS
        _copy_bytes(records[numbers[i], ADDRESS], target, length)
        target += length
