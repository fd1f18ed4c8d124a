"""Path expressions as rules: automata, forms of closures, and the names of the resulting relations."""
