"""How readers share a core with the writer: turns, replicas and pace."""
