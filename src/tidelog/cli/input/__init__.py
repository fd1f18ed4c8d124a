"""What commands read: programs, facts, states, targets."""
