"""The engine: from replies to rows, as plans without I/O.

Layout, in the order in which data flows: `frames` (sessions and frame trees → frame context, ordinals),
`dom` (getDocument, hydration, a session's index) on `xpath`, `ax` (decorate and prune the AX tree, on the
one table of `roles`), `merge` (frames in document order, XPath prefixes, splice), `capture` (the plans).
"""
