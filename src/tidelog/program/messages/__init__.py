"""What the checks of a program report: catalogues of codes, and names that are nearest to a misspelt one."""
