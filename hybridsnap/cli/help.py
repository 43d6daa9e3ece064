"""What ``hybridsnap act --help`` says of actions."""

from __future__ import annotations

import textwrap

from hybridsnap.act.actions import ACTIONS

#: Actions that have steps of WebArena's, or a face of their own.
_AS_STEPS = frozenset(
    {"click", "hover", "type", "clear", "select_option", "set_input_files", "press", "scroll", "goto"}
    | {"go_back", "go_forward"}
)
_IN_JSON_ONLY = textwrap.fill(
    ", ".join(name for name in ACTIONS if name not in _AS_STEPS), width=104, subsequent_indent="  "
)

ACT_WORDS = f"""\
actions, as WebArena writes them, with ids of a snapshot:
  'click [0-29]'  'hover [0-29]'  'type [0-5] [some text] [1]' (1: Enter after it)
  'clear [0-5]'  'select [0-7] [an option]'  'upload [0-9] [a path]'  'press [Ctrl+a]'
  'scroll [down]'  'goto [https://…]'  'go_back'  'go_forward'
  'new_tab'  'tab_focus [0]'  'close_tab'
or as JSON, with the arguments of Page's methods:
  '{{"action": "click", "element": "form.login button", "count": 2}}'
  '{{"action": "fill_form", "entries": [{{"id": "0-5", "value": "Ada"}}, {{"id": "0-8", "value": true}}]}}'
  '{{"action": "answer_dialog", "accept": false}}'
in JSON only:
  {_IN_JSON_ONLY}

tabs: of several, 'tab_focus [n]' chooses the one that the actions after it are done on; 'close_tab' at the
  beginning closes the one that is shown. Neither needs --target-id. The numbers are in the first line of
  hybridsnap snapshot --cdp ENDPOINT --target-id ID --format webarena
dialogs: answer_dialog stands after the action that opens it; one that is open at the end is dismissed. One
  that was open before belongs to the client that saw it open; 'goto [https://…]' closes it (but for a
  beforeunload, which wants answer_dialog). A goto that a page holds up with one fails, unless
  '{{"action": "answer_dialog", "accept": true}}' stands after it
--json: one list on stdout, with a receipt (or what was read) of each action, in order. When one fails, the
  list is one line of stderr, and its last entry is
  {{"error": {{"type": "StaleElement", "message": …, "fields": {{…}}, "remedy": …}}}}

examples:
  hybridsnap snapshot --cdp http://127.0.0.1:9222 --format json -o seen.json
  hybridsnap act http://127.0.0.1:9222 'click [0-29]' --snapshot seen.json --diff
  hybridsnap act http://127.0.0.1:9222 'tab_focus [1]' 'scroll [down]' 'close_tab'
  hybridsnap act https://example.com '{{"action": "click", "element": "a.csv"}}' --download files

exit codes: 0 done, 2 wrong usage, 1 anything else (what was done before is on stderr)"""
