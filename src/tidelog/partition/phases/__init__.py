"""The phases in which a stratum follows a change: retract, gain, clean up, rebuild, fold, exchange."""
