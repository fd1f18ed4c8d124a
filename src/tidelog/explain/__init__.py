"""How rules run and what they cost, for people.

Law: an explanation is a value computed from the state of the engine; computing it changes nothing.
"""
