"""What is measured; `catalogue` lists it by name."""
