"""Passes from the user's program to the rules to evaluate (`elaborate.ELABORATE`), and components."""
