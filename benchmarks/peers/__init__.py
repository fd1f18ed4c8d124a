"""Other systems that are asked the same."""
