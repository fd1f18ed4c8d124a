"""What may be asked of a runtime and of its nodes, here or elsewhere."""
