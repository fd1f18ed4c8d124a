"""Programs in an editor: a language server, and what it knows about a text during typing."""
