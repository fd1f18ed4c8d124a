"""The log of epochs, snapshots, and the logs of pieces."""
