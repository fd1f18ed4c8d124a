"""Benchmarks of the engine: ``python -m benchmarks.run --help``."""
