"""Notebooks: `%load_ext tidelog` gives `%%tidelog` cells and magics with the words of the prompt.

Law: what a word does is done by `cli.repl`; here is only how it is called and how its answer is shown.
"""
