"""A simulated run on a network: its inputs, its verdict, what is printed, and the page that plays it.

Law: the run is decided by program, topology, changes, algorithm, schedule and seed, and by nothing else.
"""
