"""Compiled loops over arrays of 64-bit cells: records, indexes, joins, supports, min and max.

Law: a kernel touches only its arguments, holds no interpreter lock, and returns after a slice of work. Nothing here
knows Datalog, types or Python values; this package imports no other part of Tidelog.
"""

from tidelog.kernel import warm as warm  # which every kernel needs at its first call
