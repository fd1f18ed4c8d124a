"""The memory layout: the fields of the tables that the kernel reads.

A relation's facts are records of ``arity + 2`` cells: the columns, then the *state* cell (rank and flags), then the
*counts* cell (``all`` and ``low``). The invariants I1 and I2 of the design speak of these two cells:

    state  = rank << 8 | flags          rank counts from the relation's RANK_BASE
    counts = all << 32 | low

A rank is a depth and a clock, compared in that order as one number: depth << 30 | clock. A clock that overflows starts
again, and depths that run out continue as plain numbers: what is above its body stays above it.

Flags. OLD: present at the last committed epoch. NEW: present now. VISIBLE: joins of the own stratum see the fact.
BATCH: the fact is in the batch being fired. BASE: asserted. TOUCHED: the journal holds the record as it was,
or it did not exist and the relation is FRESH.
LIVE: the record is in use. EXPOSED: the candidate of a min or max supports the value that its group shows.
Between epochs every live record is OLD, NEW and VISIBLE.
This module holds numbers only.
"""

from __future__ import annotations

OLD, NEW, VISIBLE, BATCH, BASE, TOUCHED, LIVE, EXPOSED = 1, 2, 4, 8, 16, 32, 64, 128
FLAG_BITS = 8
FLAGS = (1 << FLAG_BITS) - 1
PRESENCE = OLD | NEW | VISIBLE | BATCH  # what an accept mask is indexed by
LOW32 = 0xFFFFFFFF
CLOCK_BITS = 30
CLOCKS = (1 << CLOCK_BITS) - 1
DEEPEST = 1 << 54  # ranks have 55 bits and a sign; from here on they are not assigned depth by depth
ONE_SUPPORT = 1 << 32  # in the counts cell

# Fields of a relation in the directory.
REC, WIDTH, ARITY, CAP, ROWS, LIVE_ROWS, FREE, TAB, SLOTS, JOURNAL, JCAP, JROWS, FIRST = range(13)
RANK_BASE, CANDIDATES = 13, 14
PLACE = 15  # the column whose hash owns a fact, or one of the two below
FRESH = 16  # 1: the relation held no record when the epoch began, so that nothing goes to the journal
COUNTED = 17  # 1: the number of supports of a fact is part of what its only readers, folds, read
DIRECTORY_FIELDS = 18
SINGLE, MIRRORED = -1, -2  # all facts on partition 0; on every partition (`rewrite.place.placement`)

# Fields of an index. COLS is the first of its key columns.
# LINKED: rows from there on are not linked. ORDER: 1 + how the last key column is ordered, 0 for chains by hash.
REL, NCOLS, LINKS, KTAB, KSLOTS, KEYS, FOLLOWING, LINKED, ORDER, COLS = range(10)
MAX_KEY = 24
INDEX_FIELDS = COLS + MAX_KEY

# Fields of the machine state, one cell each; they survive between slices.
(
    CLOCK,  # the greatest depth assigned or seen, with the clock: no rank assigned or seen is above
    QUEUE,  # address, capacity, first not fired, one past last of the queue of facts to fire
    QCAP,
    QHEAD,
    QTAIL,
    OUT,  # address, capacity in messages, stride, number of messages, number applied
    OUTCAP,
    STRIDE,
    OUTN,
    APPLIED,
    PHASE,
    STAGE,
    ITEM,  # the batch: next item, end, next trigger
    END,
    TRIGGER,
    PC,  # the join: program counter (-1: none), direction
    FORWARD,
    LASTROW,
    BUDGET,  # rows that this slice may still visit
    NEED,  # what must grow, or the place of an error
    SUSPENDED,
    REVIVED,
    VISITED,
    FACTS,  # number of facts that became present
    SCRATCH,  # address of a scratch area for keys
    HEAP,  # address, capacity and number of candidates to expose, best first
    HCAP,
    HTAIL,
    OPENED,  # address, capacity and number of groups that show nothing
    OCAP,
    OTAIL,
    STALE,  # address, capacity and number of exposed candidates that were improved upon
    SCAP,
    STAIL,
    CLEANING,  # 1: clean-up, groups may show only what they showed before
    HIDDEN,  # groups that clean-up has hidden and not restored
    PEEK,  # 1: exposed candidates are read, not changed
    BATCHES,  # batches fired in this epoch, and how many there may be (0: any number)
    MOST_BATCHES,
    PARTITIONS,  # how many partitions there are (0 and 1: this one only), and which one this is
    OWN,
    AWAY,  # address, capacity and number of messages for other partitions
    AWAYCAP,
    AWAYN,
    ROUTED,  # 1: the messages in OUT are all for this partition
    COUNTS,  # address of what every step did, beside its code, and of the rows that every rule visited
    VISITS,
    PLAN,  # place of the code of the plan that was started last
    SHARE_FROM,  # items of a batch from which on it is shared among threads (0: never)
    OWN_READ,  # 1: a plan of the phase reads a relation of its own stratum besides its trigger
    ASK_AHEAD,  # 1: the first look-up of a plan reads a large table, which is prefetched
    SHOWN,  # flags that facts get when they become present: VISIBLE if no plan can observe the difference
    IDS,  # the dictionary (`kernel.texts`): addresses of table (0: none) and records, mask of places, records to read
    ID_RECORDS,
    ID_MASK,
    ID_COUNT,
    AWAYTAB,  # address and mask of the table that finds leaving messages
    AWAYMASK,
    COARSE,  # 1: facts of one depth share a rank, so that messages about them can be merged
    BLOCK,  # address of the block (`kernel.blocks`), its plan, how many bindings wait there
    BLOCK_PLAN,
    BLOCK_FILLED,
    TAIL_PLACE,  # where the tail of the plan begins that was started last, 0 if it is not carried out in blocks
) = range(63)
STATE_FIELDS = 63

# Phases: which state of the lower strata and of the own stratum a join reads (design, section 3).
RETRACT_LOWER, RETRACT_SAME, ASSERT_LOWER, ASSERT_SAME, NEW_RULE, OLD_RULE, CLEAN_RETRACT = range(7)
PHASES = 7

# What a slice returns.
DONE, SLICE, GROW_RELATION, GROW_QUEUE, GROW_LISTS, CALL, FAULT, BROKEN, OVER, GROW_AWAY, SHARE, OVERCOUNTED = range(12)

# Steps. Every step: op, length, how far back the previous generator is (0: none), then its own fields.
LOOKUP, ONE, BETWEEN, SCAN, NEGATE, COMPARE, COMPUTE, RANGE, APPLY, EXPOSE, EMIT, MEET = range(12)
S_OP, S_LEN, S_BACK, S_GEN, S_REL, S_SAME, S_ACCEPT = range(7)
S_INDEX = S_ACCEPT + PHASES
S_NKEY = S_INDEX + 1
S_NBIND = S_NKEY + 1
S_KEYS = S_NBIND + 1
BIND, CHECK = 0, 1
# A meet is followed by four visits that belong to it: a list and the one fact that must be there for each of its rows,
# and the same with the two relations exchanged; only one of the two pairs is carried out (`kernel.meet`).
# The key of a visit between bounds: registers of the first columns, of the lower and of the upper bound, and which
# bounds there are (`kernel.ordered_index`).

# A function whose results are known for some rows of the fact that its arguments follow from: the first row, how many,
# the address of two cells for each (1 if it is known, and the result), and the generator of that fact (0: the trigger).
# A function of structures (`kernel.structures`): which one, the id of the constructor (0: a record), and the place of
# the part that is read, or the hash that a new id starts from; behind the keys, what is read of other constructors.
A_FIRST, A_ROWS, A_CELLS, A_GEN, A_WAY, A_TAG, A_PLACE = range(S_ACCEPT, S_ACCEPT + 7)

# An expose step: relation of candidates, whether it is of the own stratum, relation of shown groups, order of values,
# value register, where the candidate's row is found (generator, or 0: the trigger), memory of `compare` and its index,
# number of group registers, those registers, the column of the value, and the number of columns that decide between
# equal values; each of them: order, register, column, memory of `compare` and its index.
E_REL, E_SAME, E_SHOWN, E_ORDER, E_VALUE, E_ROW, E_MEMORY, E_INDEX, E_NGROUP, E_GROUP = range(3, 13)
T_ORDER, T_VALUE, T_COLUMN, T_MEMORY, T_INDEX, TIE = range(6)

# The work of a step is counted beside its code, from its first cell on: how often it was entered, rows visited, rows
# that passed. For the head of a plan: facts that triggered it, those that matched, and those for which it was skipped.
# Counts only grow.
ENTERED, SEEN, PASSED = 0, 1, 2
TRIGGERED, MATCHED, SKIPPED = 0, 1, 2

# The head of a plan: rule number, number of bindings of the trigger, 1 if it finds nothing in the batch that is fired,
# where its tail begins (`kernel.blocks`; 0: none), bindings (column, mode, register), then steps.
P_RULE, P_NBIND, P_IDLE, P_TAIL, P_BINDS = 0, 1, 2, 3, 4

# A message: relation, highest body rank, hash, columns.
M_REL, M_RANK, M_HASH, M_COLS = range(4)
EVERYWHERE = 1 << 32  # in M_REL: the rule fires on every partition, and each keeps what it owns
# A message for another partition: its number, relation, rank, supports, columns. One that arrives has the last three.
A_TO, A_REL, A_RANK, A_COUNT, A_COLS = range(5)
