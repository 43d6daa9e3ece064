"""Rows to text, one module per format.

- What a format is made of: `content` (what it may look at), `select` (which rows), `line_document`, `tokens`,
  `budget_tree`, `budget` and `folds` (budgets), `rendering` (the text, and what stands behind it), `formats`.
- The formats: `tree`, `role`, `ai` (its steps: `ai_item`, `ai_text`, `ai_sections`, `ai_tables`), `aria`,
  `webarena`, `controls` (on `selectors`), `html`, `xml` (on `document`, the hybrid tree; `queries` asks it),
  `json_text`; `report` for the report.
- Beside them: `nodes` (one element), `coverage`, `match`, `diff`, `changes` and `since` (two snapshots),
  `view`, `boxes` and `labels` (for people).
"""
