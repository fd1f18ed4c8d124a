"""Rewrites from what a user may write to what the checks read: components, inlining, scopes, witnesses, hops."""
