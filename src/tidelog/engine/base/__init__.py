"""What every part of the engine builds on: committed versions, facts of arguments, metrics, times."""
