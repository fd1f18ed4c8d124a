"""The reports of the checks of a program: catalogues of codes, and the names nearest to a misspelt one."""
