"""What touches the page through element ids, as plans and pure values without I/O.

From a name to an element:

- `bindings`: what snapshots have shown, with `held_nodes`; `memory`: of the last targets. `identity`: role
  and name of one node.
- `naming`: from an id, ref or selector to an `element` that is proven; `successors`: what else may be meant.

One action, from its beginning to its end:

- `perform`: resolve, `watch`, act, settle, look; `receipt`: what came of it.
- `pointer`: clicks, drags; `aiming` (a free point, guarded), `bystanders` (guards in other frames), `probes`,
  `geometry`, `calling`, `refusals`.
- `scrolling` with `scroll_probes`; `highlight`.
- `keyboard`: keys, chords, key events. `focusing`, `text_entry`: typing. `controls`: kinds of them.
- `forms`: fill, fill_form, clear; `checking`, `choosing` (options), `files`.
- `reading`: markup, text, attributes.

Beside actions: `waiting` with `page_text` (conditions), `evaluate` with `values` (scripts).
"""
