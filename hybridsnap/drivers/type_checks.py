"""Arguments of the wrong type are refused in the caller's terms, before anything is begun."""

from __future__ import annotations


def check_has(given: object, attribute: str, wanted: str) -> None:
    """Check an argument by an attribute that all objects of the kind that is `wanted`, in words, have.

    Raises:
        TypeError: the argument has no such attribute.
    """
    if not hasattr(given, attribute):
        raise _wrong_type(wanted, given)


def check_id(element_id: object) -> None:
    """See that an element is named by a text.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(element_id, str):
        raise _wrong_type("an element id, a ref or a selector", element_id)


def _wrong_type(wanted: str, given: object) -> TypeError:
    return TypeError(f"expected {wanted}, got {'None' if given is None else f'a {type(given).__name__}'}")
