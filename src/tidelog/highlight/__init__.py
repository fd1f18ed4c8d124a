"""Colours for programs: the words of the language, and a Pygments lexer and a TextMate grammar that use them.

Law: reading a program does not require this package, and nothing here imports a parser; tests keep the two consistent.
"""
