"""The change feed of a view in a topic of Kafka.

Law: every change is one message, and no message is written twice if a driver is lost and another continues. The
messages show which epochs the topic contains. Epochs are written one after the other, so only the last one can be
incomplete: after a start or a failure it is compared with the topic, and what is missing is written. (Within a write,
Spark's sink may repeat the messages of a task that fails; a repeated message is the same in key and value.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tidelog.io.feed import MakeDataFrame
from tidelog.io.view_files import Write
from tidelog.spark.table_feed import feed_failures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EPOCH = "epoch"


@dataclass(slots=True)
class TopicFeed:
    """Messages whose key is the fact, and whose value is the fact with its change and epoch, both as JSON.

    ``options`` are those of Spark's source and sink for Kafka. ``found`` is the last epoch that the topic contained
    when it was last read: it may be incomplete.
    """

    view: str
    topic: str
    options: Mapping[str, str]
    spark: SparkSession
    found: int = 0

    def last(self) -> int:
        """The last epoch that is certainly complete; the messages that the topic keeps are read."""
        with feed_failures(self.view, f"topic {self.topic}", "read"):
            first = self._messages().selectExpr(f"max(cast(get_json_object(value, '$.{EPOCH}') as bigint))").first()
            self.found = (first[0] if first else None) or 0
        return max(0, self.found - 1)

    def names(self, epoch: int) -> tuple[str, ...]:
        """Unknown: messages are not columns, and each epoch may have its own names."""
        return ()

    def put(self, epoch: int, write: Write, frame: MakeDataFrame) -> None:
        """Add the messages of an epoch, or those that are missing."""
        with feed_failures(self.view, f"topic {self.topic}", "written"), frame() as rows:
            key = f"to_json(struct({', '.join(f'`{name}`' for name in rows.columns[:-1])}))"
            messages = rows.selectExpr(f"{key} AS key", f"to_json(struct(*, {epoch}L AS `{EPOCH}`)) AS value")
            if epoch <= self.found:
                messages = messages.join(self._messages(), ["key", "value"], "left_anti")
            messages.write.format("kafka").options(**self.options).option("topic", self.topic).save()

    def _messages(self) -> DataFrame:
        """All messages of the topic, none if it does not exist yet: a pattern may match nothing."""
        pattern = f"\\Q{self.topic}\\E"
        source = self.spark.read.format("kafka").options(**self.options).option("subscribePattern", pattern)
        return source.load().selectExpr("cast(key as string) AS key", "cast(value as string) AS value")
