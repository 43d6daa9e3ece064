"""The trio client, the default driver.

From the wire up:

- `transport` (the seam) with `websocket` and `pipe`; `wire` (one transport for several connections, opened
  again when it drops) and `shared_wires` (who shares one); `connection` (calls, sessions, events), `channel`
  (a plan's way over it), `background_call` (without a plan).
- `endpoint` (addresses), `browsers`, `launcher` and `watchdog` (a browser of our own and its end), `launch`
  (how users begin) on `context_manager_errors`.
- `browser`: browsers, contexts, pages; `browser_services`, `metrics`; `tabs`, `tab_tracker`, `creation`.
- `attachment`: what a page's sessions tell; `workers`: sessions of its workers; `page_context`: what the
  parts of a page are built with; `changes`.

What a page does:

- `document_methods` on `navigating`, `history`, `external_protocols`, `waits` and `snapshots`.
- `pointer_methods` and `input_methods` on `action_runner`, `settling`, `page_events`, `console_errors`;
  `requests` (as data); `first_answers`: what `settling` and `navigating` wait for in a new document.
- `evaluator`, `evaluation`, `evaluation_connections`: scripts. `pictures`, `printing`: as files.
- `dialogs` on `dialog_tracker`, `downloads` on `download_tracker`, `choosers`, `file_names`.
- `other_names`: what stands for names of other libraries.

Its parts:

- `console` on `console_feed`, `console_messages`, `console_record`.
- `page_network` on `network`, `request_log`, `request_records`, `har`; `routes` and `interception`.
- `subscriptions` and `flood`: what both share.
- `storage` on `profile_storage`, `storage_state`. `emulation` on `emulation_settings`, `devices`;
  `viewport`.
- `tracing` (`trace_summary` sums up what `trace_events` reads); `screencast`.
"""
