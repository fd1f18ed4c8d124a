"""What every part of a partition builds on: limits, owners, blocks, net changes, counters."""
