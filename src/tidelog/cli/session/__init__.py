"""A program that runs from its inputs to its outputs, under a script of changes."""
