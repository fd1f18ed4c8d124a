"""The repl: its input, where an input ends, what it does and what is printed.

Law: the same texts mean the same in a terminal and in a pipe.
"""
