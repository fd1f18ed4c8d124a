"""The coordinator: several partitions, in this process or elsewhere."""
