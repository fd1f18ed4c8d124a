"""A partition's part of a certificate: its own facts of one stratum, checked where they are stored.

Law: the check is that of `verify`, applied to facts decoded here from the frozen copy. The answer is valid only if
every fact is on the partition that owns it; it contains a digest of each relation that all partitions hold, so that the
caller can check that all copies are equal. The share of such a relation consists of the facts that this partition owns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tidelog.io.columns import decode_column
from tidelog.kernel.cells import Cells
from tidelog.partition.base.owner import owners_of
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.program.values.state import FactState, Row
from tidelog.runtime.node.node import Node
from tidelog.runtime.protocol.frozen_facts import BATCH, Counts, Records
from tidelog.verify.local_strata import LocalStratum, check_part
from tidelog.verify.report import Violation

Facts = dict[Row, FactState]


@dataclass(frozen=True, slots=True)
class PartAnswer:
    """What a partition found: whether it owns its facts, digests of mirrored relations, and the check."""

    in_place: bool
    mirrored: dict[str, str]
    violation: Violation | None = None
    supports: int = 0


def answer_part(part: LocalStratum, records: Records, node: Node) -> PartAnswer:
    """Check a part of a certificate."""
    sizes, number, partitions = records.sizes, node.partition.number, node.partition.partitions
    facts: dict[str, Facts] = {}
    mirrored: dict[str, str] = {}
    for name, home in part.homes.items():
        facts[name] = {}
        source = part.shares.get(name, name)
        held = list(_batches(records, source, sizes.get(source, 0)))
        owned = [] if home is None else [owners_of(cells[:, home], partitions) == number for cells, *_ in held]
        if home is None or name in part.shares:
            mirrored[source] = mirrored.get(source) or _digest(held)
        elif not all(mask.all() for mask in owned):
            return PartAnswer(False, {})
        if name in part.shares:
            held = [tuple(column[mask] for column in batch) for batch, mask in zip(held, owned, strict=True)]
        for batch in held:
            facts[name].update(decoded(batch, part.schema[name], node.partition.dictionary))
    return PartAnswer(True, mirrored, *check_part(part, facts, node.partition.functions))


def _batches(records: Records, name: str, size: int) -> Iterator[Counts]:
    return (records.counts(name, first, BATCH) for first in range(0, size, BATCH))


def _digest(batches: list[Counts]) -> str:
    """A digest of a relation, independent of the order of its facts: columns, and which facts are asserted."""
    if not batches:
        return ""
    rows: Cells = np.concatenate([np.column_stack([cells, *bases.reshape(1, -1)]) for cells, _, _, _, bases in batches])
    return hashlib.sha256(np.ascontiguousarray(rows[np.lexsort(rows.T[::-1])]).tobytes()).hexdigest()


def decoded(counts: Counts, types: tuple[str | None, ...], dictionary: Dictionary) -> Facts:
    """Facts with their counts, as values."""
    cells, *numbers = counts
    columns = [decode_column(cells[:, i], type_, dictionary) for i, type_ in enumerate(types)]
    rows = list(zip(*columns, strict=True)) if columns else [()] * len(cells)
    states = zip(*(part.tolist() for part in numbers), strict=True)
    return {row: FactState(*values) for row, values in zip(rows, states, strict=True)}


def agree(answers: list[PartAnswer]) -> bool:
    """Whether the answers of partitions amount to a check of the whole: all facts in place, and all copies equal."""
    alike: list[Mapping[str, str]] = [answer.mirrored for answer in answers]
    return all(answer.in_place for answer in answers) and all(held == alike[0] for held in alike)
