"""Types of columns, variables and expressions: how they are declared, inferred and assigned."""
