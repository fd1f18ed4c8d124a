"""Spark sessions: found or made, and looked at before partitions move in.

Law (D17): what would fail later is refused at once, by the name of the setting.
"""
