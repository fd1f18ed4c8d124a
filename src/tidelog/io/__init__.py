"""Rows and files: data in any form that people have it, as columns of cells, and back.

Law (D14): a column has one type and no nulls, and what comes in with a type goes out with it. Nothing here knows rules.
"""
