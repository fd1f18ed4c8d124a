"""What a program says about whole relations: dependencies, strata, keys, choices, lifetimes, constraints."""
