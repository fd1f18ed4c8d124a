"""Writing: an epoch is collected, prepared and committed, and what is recorded and published with it."""
