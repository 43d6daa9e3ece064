"""What touches the page through element ids, as plans and pure values without I/O.

From a name to an element:

- `element_history`: what snapshots have shown, with `snapshot_node_ids`, `shown_rows`, `shown_documents`;
  `history_store`: of the last targets. `identity`: role and name of one node. `context`: the item that an
  element stands in, with `nearby_texts`, `context_finding`, `structure`; `element_facts`: what is compared
  with the page.
- `naming`: from an id, ref or selector to an `element`; `verification`: the proof that it is what was
  shown; `suggestions`: what else may be meant.

`actions`: the table of actions (`actions.spec` says what an action is); each names its plan, one of those
below. `input_state`: which keys are down.

One action, from its beginning to its end:

- `perform`: resolve, `observer`, act, settle, look; `finding`: the element, while documents come and go;
  `readiness`: waiting until it can be acted on; `piggyback`: what is asked together with its identity;
  `receipt`: the outcome.
- `pointer`: clicks; `dragging`, `dropping` (the end of a drag), `touch`; `hit_target` (a free point),
  `press_guard`, `geometry`, `refusals`.
- `scrolling`; `highlight`. `mouse`: button by button. `selecting`.
- `remote_call`: scripts (`hybridsnap.injected`) on nodes of the page.
- `keyboard`: keys, chords, key events. `focusing`, `text_entry`: typing. `controls`: kinds of them.
- `forms`: fill, fill_form, set_value, clear; `checking`, `choosing` (options), `listboxes`, `files`,
  `sliders`.
- `reading`: markup, text, attributes.

Beside actions: `conditions`, `element_conditions` and `waiting`, `evaluate` with `values` and
`script_element` (scripts).
"""
