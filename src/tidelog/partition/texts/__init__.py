"""The values behind the ids of symbols, lists and records: the dictionary of a partition."""
