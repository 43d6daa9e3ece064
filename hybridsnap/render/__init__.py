"""Rows to text, one module per format.

- What a format is made of: `content` (what it may look at), `select` (which rows), `detail` (how much of
  each), `line_document`, `tokens`, `opened` and `seen` (what a budget shows first, and last), `budget` (which
  lines are folded) on `budget_tree` (the worth of each) and `folds` (how a fold is printed), `rendering` (the
  text, and what stands behind it), `formats`.
- The formats: `outline` (named ``tree``; `tree` prints its lines), `role`, `ai` (its steps: `ai_item`,
  `ai_text` with `inline_text`, `ai_sections`, `ai_tables`), `aria` and `webarena` (on
  `ax_frames`), `controls` (on `selectors`), `html`, `xml` (on `document`, the hybrid tree; `queries` asks
  it), `records_format` (what `records_finding` with `records_columns`, and `records_tables` find on
  `records_rows`, as `records`), `json_text`; `report` for the report. `table_headers`: cells, for all that
  read tables; `table_cells`: their columns, where the order of cells does not say them.
- What they ask of the DOM: `dom`, `preformatted`, `datalists`; `unexposed`, `ignored_nodes`, `modals` and
  `unseen`: what the accessibility tree leaves out, and what a person does not see.
- Two snapshots: `match`, `diff`, `differences`, `moves`, `gone`, `telling` with `repeats`, `changes`,
  `diff_budget`, `since`.
- Beside them: `nodes` (one element), `locators`, `coverage`; `view`, `boxes`, `labels` and `masks` (for
  people).
"""
