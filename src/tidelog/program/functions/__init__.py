"""The functions of the language: what each computes, its types, and the table that names them."""
