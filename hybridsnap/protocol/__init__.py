"""The wire: plans and the batches they ask for, constructors for the bulk commands, their replies.

Layout: `codec` (bytes ↔ messages, one codec per encoding; JSON's), `cbor` (CBOR's) on `cbor_decoder`, which
is compiled where that can be, `plan` (commands, batches, plans), `replies` (the fields that are read),
`ax_tree` (the same of accessibility nodes) with `ax_reply` and `ax_vocabulary`, `commands` and
`input_commands` (one constructor for each command that the engine sends).
"""
