"""Demand: relations of which only what is asked for is evaluated."""
