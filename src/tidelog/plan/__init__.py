"""Planning, from core rules to steps: join order, keys and indexes.

Law: any order finds the same supports; a plan determines only how many facts are visited. Nothing here accesses facts.
"""
