"""Rules as the tables that the kernel interprets: steps, strata, folds, and the machine that runs them."""
