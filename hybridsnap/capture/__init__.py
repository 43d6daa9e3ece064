"""The engine: from replies to rows, as plans without I/O.

Layout, in the order in which data flows:

- `frames` (sessions and frame trees → frame context, ordinals), `dom` (getDocument, hydration, a session's
  index) on `xpath`, `pruning` (which AX nodes become rows), `ax` (the rows; `ax_node` reads one node) on
  the one table of `roles` (`aria_words`: in ARIA's words), `element_ids`, `merge` (frames in document order,
  XPath prefixes, splice), `paths` (id → XPath).
- `reading` (what sessions answer), `session` (the plan for one), `assembly` (readings → one capture),
  `capture` (the plans for a page); `passwords`, `shadow` and `ignore` (what is left out).
- `scope` (focus) on `selectors` (`role_selectors`: by role and name), `queries`, `node_resolver` and
  `partial_ax`; `pointing` (element at a point, active element).
- `hints`, `clickable`, `unrendered`: of what has no name, what only script makes clickable, and what is
  rendered when it is scrolled to, or not at all.
- `layout` (boxes, marks) on `layout_snapshot` (the reply), `geometry` (to the main viewport), `occlusion`
  (hit tests).
"""
