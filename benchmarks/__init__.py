"""What a capture costs, measured against the browser's own floor: `python -m benchmarks`.

- `pages`: the pages, generated. `server`: serves them on loopback.
- `floor`: the least that any client must ask for. `measure`: one page, floor and capture in turn.
- `replaying`: the client's own share, without a browser. `memory`: a thousand captures in one process.
  `imports`: what `import hybridsnap` costs.
- `table`: results as text, and the bounds. `__main__`: the command line.

Figures are measured in the run that prints them; none is written down here but the bounds.
"""
