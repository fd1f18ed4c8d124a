"""The requests that a runtime and its nodes serve, in this process or elsewhere."""
