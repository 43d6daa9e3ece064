"""The wire: plans and the batches they ask for, constructors for the bulk commands, their replies.

Layout: `codec` (bytes ↔ messages, one codec per encoding), `plan` (commands, batches, plans), `replies` (the
fields that are read) on `ax_vocabulary`, `commands` and `input_commands` (one constructor for each command
that the engine sends).
"""
