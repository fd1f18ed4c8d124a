"""One node: its state, the two phases of a stratum, changes of rules, and the undoing of an epoch."""
