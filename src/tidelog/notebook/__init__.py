"""Notebooks: `%load_ext tidelog` adds `%%tidelog` cells and magics with the commands of the REPL.

Law: the commands are implemented in `cli.repl`; this package only calls them and shows their results.
"""
