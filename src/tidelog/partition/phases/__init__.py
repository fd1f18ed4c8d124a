"""The phases in which a stratum is updated after a change: retract, gain, clean up, rebuild, fold, exchange."""
