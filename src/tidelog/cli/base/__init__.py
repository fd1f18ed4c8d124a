"""What every command builds on: options, exit codes, output, and the place where it runs."""
