"""Placeholder docstring, to be written with the package."""
