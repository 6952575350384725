"""Lists, a page at a time or record by record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from typing_extensions import TypedDict

T = TypeVar("T")


class Page(TypedDict, Generic[T]):
    """One page of a list."""

    items: list[T]
    totalCount: int
    """Matching records over all pages."""
    offset: int
    top: int


def iterate(offset: int | None, fetch: Callable[[int], Page[T]]) -> Iterator[T]:
    """Every record from ``offset`` on, each page fetched when its first record is asked for.

    Ends by the API's rule: when ``offset + len(items) >= totalCount``; an empty page ends it too.
    """
    start = offset or 0
    while True:
        page = fetch(start)
        yield from page["items"]
        start += len(page["items"])
        if not page["items"] or start >= page["totalCount"]:
            return
