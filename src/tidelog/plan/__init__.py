"""From core rules to steps: join order, keys and indexes.

Law: any order finds the same supports; a plan decides only how many facts are visited. Nothing here touches facts.
"""
