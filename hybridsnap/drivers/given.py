"""What a driver is handed: the wrong thing is refused before anything is begun, in words of the caller's."""

from __future__ import annotations


def check_given(given: object, attribute: str, wanted: str) -> None:
    """See that something is what is wanted, by what such a thing has.

    Args:
        given: whatever was handed over.
        attribute: what each such thing has.
        wanted: it in words.

    Raises:
        TypeError: it is something else.
    """
    if not hasattr(given, attribute):
        came = "None" if given is None else f"of type {type(given).__name__}"
        raise TypeError(f"{wanted} is wanted, and what came is {came}")


def check_id(element_id: object) -> None:
    """See that an element is named by a text.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(element_id, str):
        raise TypeError(
            "an element id, a ref or a selector is wanted, and what came is"
            f" {'None' if element_id is None else f'of type {type(element_id).__name__}'}"
        )
