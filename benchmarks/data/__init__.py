"""Data of the benchmarks: seeded generators, and readers of files that come by path."""
