"""How rules run and what they cost, told to people.

Law: an explanation is a value made of what the engine holds; making it changes nothing.
"""
