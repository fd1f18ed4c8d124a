"""Demand: relations of which only the demanded facts are evaluated."""
