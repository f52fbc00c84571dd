"""Memory systems: what is written to them, and what they give back for a query.

``protocol`` says what a memory is; one file a system; ``registry`` finds them by name, ``metered``
measures them all in the same way, ``contract`` checks any of them.
"""
