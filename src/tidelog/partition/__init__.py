"""One partition: the memory of its relations, and the two phases in which a stratum is updated after a change.

Law: I1 and I2 hold after every committed epoch, and an epoch that is undone leaves no trace. How partitions are called,
and from where, is decided in `runtime`.
"""
