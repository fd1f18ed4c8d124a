"""How an epoch is carried out, and where partitions live: one in this process, or several on nodes here or elsewhere.

Law: an epoch's work is a value; a runtime carries it out completely, or raises an error and is as it was before.
"""
