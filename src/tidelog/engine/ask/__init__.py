"""Questions that need an engine for trials: causes, the past, what would happen if."""
