"""What touches the page through element ids, as plans and pure values without I/O.

- `element`: an element that has been found and checked; every action starts from one.
- `receipt`: what an action did.
- `keyboard`: keys, chords, key events; which keys a page has down.
- `focusing`: focus_element. `text_entry`: type_text, press_chord, key_down, key_up.
- `controls`: what kind of control an element is, and why it cannot be acted on.
- `forms`: fill, fill_form, set_checked (`checking`), clear_element. `choosing`: select_option. `files`: set_input_files.
- `reading`: read_outer_html, read_text, read_attributes.
"""
