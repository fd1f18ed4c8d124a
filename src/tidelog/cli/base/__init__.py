"""What every command builds on: options, how a command ends, what it prints, where it runs."""
