"""Cells that several threads change at the same time.

Law: each of these is atomic; what a thread wrote before it *published* something (`swap`, `publish`) is seen by every
thread that sees the published value. Addresses are those of `memory`.

``fetch_add(address, index, value)`` adds to a cell and returns what it was before; ``swap(address, index, expected,
value)`` replaces the expected content of a cell and returns whether it was there; ``observe(address, index)`` is a cell
as another thread may have published it; ``publish(address, index, value)`` sets a cell for others to see.
``give_way()`` yields the processor to other threads, ``sleep(microseconds)`` releases it for a while.
``clock(kind, address)`` writes the time to two cells: seconds and nanoseconds.
"""

from __future__ import annotations

from tidelog.kernel.memory import Instruction

fetch_add, swap = Instruction("fetch_add"), Instruction("swap")
observe, publish = Instruction("observe"), Instruction("publish")
give_way, sleep, clock = Instruction("give_way"), Instruction("sleep"), Instruction("clock")
