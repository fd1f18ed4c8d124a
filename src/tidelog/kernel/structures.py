"""Records and variants: made, read and tested where the dictionary keeps their parts.

Law (D31): the id of a structure is a chain of hashes over the cells of its parts, and its entry holds these cells, so
that reading a part is one look-up and making a value that exists is another. The dictionary is only read here, up to
the number of entries that Python has shown; a value that is not among them is made by Python.
"""

from __future__ import annotations

from tidelog.kernel.layout import A_PLACE, A_TAG, A_WAY, ID_COUNT, ID_MASK, ID_RECORDS, IDS, LOW32, S_KEYS, S_NKEY
from tidelog.kernel.memory import compiled, inlined, load, word
from tidelog.kernel.texts import ADDRESS, ID, KINDS, RECORD_WIDTH, SIZE, STRUCTURE
from tidelog.kernel.xxhash import hash_cell

MAKES, READS, TESTS = 1, 2, 3
NIL = 0


@inlined
def entry_of(machine, cell):
    """The address of the record of an id, 0 if it is not among those shown."""
    table, records, mask = machine[IDS], machine[ID_RECORDS], machine[ID_MASK]
    place = cell & mask
    entry = load(table, place)
    while entry != 0:
        number = (entry & LOW32) - 1
        at = records + 8 * RECORD_WIDTH * number
        if (entry ^ cell) & ~LOW32 == 0 and number < machine[ID_COUNT] and load(at, ID) == cell:
            return at
        place = (place + 1) & mask
        entry = load(table, place)
    return 0


@inlined
def made_structure(machine, code, pc, registers):
    """The id of a structure with the parts in the registers of a step, and whether it exists."""
    count, tag, cell = code[pc + S_NKEY], code[pc + A_TAG], code[pc + A_PLACE]
    for i in range(count):
        cell = hash_cell(registers[code[pc + S_KEYS + i]], cell)
    entry, first = entry_of(machine, cell), 0 if tag == 0 else 1
    if entry == 0 or load(entry, SIZE) != 8 * (count + first) * KINDS + STRUCTURE:
        return cell, False
    parts = load(entry, ADDRESS)
    if tag != 0 and word(parts) != tag:
        return cell, False
    for i in range(count):
        if word(parts + 8 * (first + i)) != registers[code[pc + S_KEYS + i]]:
            return cell, False
    return cell, True


@compiled
def structure(machine, code, pc, registers):
    """The result of a function of structures, and whether it is known here."""
    if machine[IDS] == 0:
        return 0, False
    way, tag = code[pc + A_WAY], code[pc + A_TAG]
    if way == MAKES:
        return made_structure(machine, code, pc, registers)
    other = 0 if way == TESTS else code[pc + S_KEYS + code[pc + S_NKEY]]
    cell = registers[code[pc + S_KEYS]]
    if cell == NIL:
        return other, True
    entry = entry_of(machine, cell)
    if entry == 0 or load(entry, SIZE) % KINDS != STRUCTURE:
        return 0, False
    parts = load(entry, ADDRESS)
    if tag != 0 and word(parts) != tag:
        return other, True
    return 1 if way == TESTS else word(parts + 8 * code[pc + A_PLACE]), True


@compiled
def hash_structures(rows, seed, cells):
    """The ids of structures whose parts are rows of cells."""
    for i in range(len(cells)):
        cell = seed
        for j in range(rows.shape[1]):
            cell = hash_cell(rows[i, j], cell)
        cells[i] = cell
