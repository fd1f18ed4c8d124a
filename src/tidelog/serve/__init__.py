"""The server: an engine behind HTTP, with tokens, limits and feeds.

Law: a request sees one committed epoch, and waits for no epoch unless it commits one; every request is answered with
the requested data or an error with a code; no request can name a file of the server. Read in this order:
`application` (how a request is handled), `service` (what requests share), `routes` (the operations).
"""
