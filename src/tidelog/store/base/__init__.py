"""What every part of a state folder builds on: stores, frames, locks, headers, notes."""
