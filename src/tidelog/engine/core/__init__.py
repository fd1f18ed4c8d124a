"""The core: what an engine is made of."""
