"""How rules run and what they cost, for people.

Law: an explanation is a value made of what the engine holds; making it changes nothing.
"""
