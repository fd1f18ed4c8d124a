"""Passes from what a user may write to the rules to evaluate (`elaborate.ELABORATE`), and components."""
