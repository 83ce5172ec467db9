"""What arguments must be, where Python looks at them itself: an error names the argument and says what is wanted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import UnionType
from typing import Any

from ._heedful import Error

USES = ("enter", "index", "follow", "anchor", "archive", "snippet", "image", "translate", "train", "input")
"""What a page may be wanted for."""


def given(name: str, value: object, kinds: type | UnionType | tuple[type, ...], wanted: str) -> None:
    """Refuses a value that is of none of these types."""
    if not isinstance(value, kinds):
        raise TypeError(f"{name}: {wanted} is wanted, not {_kind(value)}")


def names(name: str, value: Any) -> list[str]:
    """Several texts, so that one is not taken for a list of letters."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise TypeError(f"{name}: a list of texts is wanted, not {_kind(value)}")
    texts = list(value)
    for text in texts:
        given(name, text, str, "text")
    return texts


def one_of(name: str, value: str, choices: Sequence[str]) -> None:
    """Refuses what is none of these."""
    if value not in choices:
        raise ValueError(f"{name}: one of {', '.join(choices)} is wanted, not {value!r}")


def setting(message: str) -> Error:
    """What is wrong with an argument, beside its type."""
    error = Error(message)
    error.kind = "setting"
    return error


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__
