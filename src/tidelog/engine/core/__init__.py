"""The core: the parts of an engine."""
