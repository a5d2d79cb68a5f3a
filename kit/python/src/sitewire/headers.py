"""How headers are read, whatever framework they come from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from sitewire.errors import WebhookError


class Headers(Protocol):
    """Headers of a request: a dict, or the headers of Flask, Django, FastAPI, aiohttp, http.server and others."""

    def items(self) -> Iterable[tuple[str, object]]:
        """Return the pairs of name and value. A header that came twice can be in it twice."""


def read_headers(headers: Headers, names: list[str]) -> list[str]:
    """Return the value of each named header. The case of names does not matter.

    Raises WebhookError with the fault `missing` or `malformed`.
    """
    found: dict[str, list[object]] = {name.lower(): [] for name in names}
    for name, value in headers.items():
        if value is not None:
            found.get(name.lower(), []).append(value)
    for name, values in zip(names, found.values()):
        if values in ([], [""]):
            raise WebhookError(
                "missing",
                f"The header {name} is missing or empty, so nothing proves who sent this request. Respond 401. "
                "If genuine deliveries lack it, look for a proxy that removes it.",
            )
    texts = [values[0] for values in found.values() if len(values) == 1 and isinstance(values[0], str)]
    if len(texts) < len(names):
        raise malformed("A header of the signature came more than once, or is not a text")
    return [str(text) for text in texts]


def read_once(headers: Headers, name: str) -> str:
    """Return the value of a header, or "" if it is not there once."""
    try:
        return read_headers(headers, [name])[0]
    except WebhookError:
        return ""


def read_beside(headers: Headers, signature: str, word: str) -> tuple[str, str]:
    """Return name and value of another header of the service, such as X-Sitewire-Delivery beside X-Sitewire-Signature."""
    name = re.sub("-signature$", f"-{word}", signature, flags=re.IGNORECASE)
    return name, "" if name == signature else read_once(headers, name)


def malformed(what: str) -> WebhookError:
    """Return the error for a header of another form than the service sends."""
    return WebhookError(
        "malformed",
        f"{what}, so the service did not send it like this. Respond 401. "
        "If it happens to genuine deliveries, look for a proxy or code that changes headers.",
    )
