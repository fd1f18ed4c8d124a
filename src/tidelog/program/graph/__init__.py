"""Properties of whole relations in a program: dependencies, strata, keys, choices, lifetimes, constraints."""
