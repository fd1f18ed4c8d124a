"""The placement of every relation, and the rules localised to it."""
