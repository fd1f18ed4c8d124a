"""One node: its state, the two phases of a stratum, changes of rules, and how an epoch is undone."""
