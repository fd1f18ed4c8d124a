"""What commands print: tables, answers, changes, logs."""
