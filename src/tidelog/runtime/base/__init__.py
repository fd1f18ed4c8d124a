"""What every runtime builds on: requests, outcomes, typed calls, interrupts, the reach of a change."""
