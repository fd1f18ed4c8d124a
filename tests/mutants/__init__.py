"""Tests that cannot be fooled: small mistakes put into the code on purpose, and whether a test notices."""
