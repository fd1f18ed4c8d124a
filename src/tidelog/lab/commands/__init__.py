"""The commands of the lab, one module each."""
