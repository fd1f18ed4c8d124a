"""Reading one committed epoch: views, queries, questions, pages."""
