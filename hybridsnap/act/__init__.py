"""What touches the page through element ids, as plans and pure values without I/O.

- `element`: an element that has been found and checked; every action starts from one.
- `receipt`: what an action did.
- `keyboard`: keys, chords, key events.
"""
