// @include control_at
// For functions on a node: whether it is an inner part of a password field: the text that was typed stands in
// it.
const typed = at !== this && isPassword(at);
