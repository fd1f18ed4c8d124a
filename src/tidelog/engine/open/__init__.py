"""Opening: which runtime, which state, how many partitions."""
