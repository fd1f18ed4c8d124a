"""The server: an engine behind HTTP, with tokens, limits and feeds.

Law: a request sees one committed epoch, and waits for no epoch unless it asks for one; whatever is sent, the answer is
the one asked for or an error with a code; nothing that is sent names a file of the server. Read in this order:
`application` (a request on its way), `service` (what requests share), `routes` (what can be asked).
"""
