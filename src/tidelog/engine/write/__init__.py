"""Writing: epochs are collected, prepared, committed, recorded and published."""
