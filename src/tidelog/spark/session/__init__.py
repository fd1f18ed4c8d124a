"""Spark sessions: found or created, and checked before partitions start.

Law (D17): a session that would fail later is refused at once, and the setting is named.
"""
