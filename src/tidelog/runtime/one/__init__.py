"""The embedded runtime: one partition in this process."""
