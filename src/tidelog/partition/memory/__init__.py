"""The memory of relations: records, indexes, the journal of an epoch, queues and messages."""
