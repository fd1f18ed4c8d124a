"""From an image to a partition: records, dictionary and clock as they were.

Law: rows stay where they were; tables and free lists are filled by the kernel, indexes when the rules that use them
come.
"""

from __future__ import annotations

from tidelog.kernel import layout as at
from tidelog.partition.partition import Partition
from tidelog.store.image import Image


def fill_partition(partition: Partition, image: Image) -> None:
    """Give an empty partition the facts of an image; the image's records are the partition's from now on."""
    for name, relation in image.relations.items():
        if not relation.is_empty():
            number = partition.add_relation(name, relation.arity)
            partition.relations.load(number, relation.records, relation.rows)
            partition.relations.directory[number, at.RANK_BASE] = relation.base
    partition.dictionary.restore(image.entries)
    partition.raise_clock(image.clock)
