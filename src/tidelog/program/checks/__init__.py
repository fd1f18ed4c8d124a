"""Checks that look at rules one by one: safety, order, monotone aggregates, termination, notices."""
