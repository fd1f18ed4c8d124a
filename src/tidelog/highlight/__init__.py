"""Colours for programs: the words of the language, a Pygments lexer and a TextMate grammar made of them.

Law: nothing here is needed to read a program, and nothing here imports what reads one; tests hold the two together.
"""
