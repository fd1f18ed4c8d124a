"""Benchmarks of Tidelog: ``python -m benchmarks --help``."""
