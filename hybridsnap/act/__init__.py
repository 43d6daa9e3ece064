"""What touches the page, as plans and pure values without I/O: `keyboard` (keys, chords, key events)."""
