"""Programs as frozen values: terms, literals, rules, paths, declarations, and the state of an engine as a value."""
