"""The functions that waiting calls in a page's isolated worlds: what a frame shows, and when it changes.

Accessors are taken off the prototypes: the named parts of a form or a document hide its own properties.
What is kept between two calls stands in the isolated world, which the page's script does not see.
"""

from __future__ import annotations

from hybridsnap.injected import script

#: The characters that are left out of text before it is compared: they do not show.
UNSEEN = "\u00ad\u200b-\u200f\u2060\ufeff"

LOOK = script("look_for_texts")
CHANGED = script("wait_for_change")
END = script("stop_looking_for_texts")
DISPLAYED = script("displayed")
