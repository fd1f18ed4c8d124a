"""Searches in the committed facts of a partition."""
