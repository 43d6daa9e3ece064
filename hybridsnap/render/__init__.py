"""Rows to text, one room per format: `tree` (the outline), `clean` (what no page text may do to a line)."""
