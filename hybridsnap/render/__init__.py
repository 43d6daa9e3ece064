"""Rows to text, one module per format.

- What a format is made of: `content` (what it may look at), `select` (which rows), `line_document`, `tokens`,
  `budget_tree` and `budget` (budgets), `rendering` (the text, and what stands behind it), `formats`,
  `clean` (what no page text may do to a line).
- The formats: `tree`, `role`, `ai`, `aria`, `webarena`, `controls` (on `selectors`), `html`, `xml` (on
  `document`, the hybrid tree; `queries` asks it), `json_text`; `report` for the report.
- Beside them: `nodes` (one element), `coverage`, `match`, `diff`, `changes` and `since` (two snapshots),
  `view`, `boxes` and `labels` (for people).
"""
