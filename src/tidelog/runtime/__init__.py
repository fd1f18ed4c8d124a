"""Where partitions live and how an epoch is carried out: so far in this process, called directly.

Law: an epoch's work is a value; a runtime carries it out whole, or raises and is as it was before.
"""
