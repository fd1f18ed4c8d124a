"""The engine: an epoch is collected, prepared and committed; views are read.

Law: after every epoch the state equals evaluation of the current rules over the current base facts from scratch; an
epoch commits whole or leaves no trace. Read in this order: `epoch`, `prepare`, `commit`.
"""
