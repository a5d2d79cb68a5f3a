"""What the adapters of all frameworks have in common."""

from __future__ import annotations

import re
from typing import Callable

from sitewire.event import SiteReady
from sitewire.headers import Headers, read_beside
from sitewire.secrets import Secrets, secret_keys
from sitewire.verify import construct_event

BODY_LIMIT = 65_536
"""The default limit of a body in bytes. Deliveries are far smaller."""


def receiver(secrets: Secrets, header: str) -> Callable[[bytes, Headers], tuple[SiteReady, dict[str, str]]]:
    """Return a function from a request to its event, and to the headers of the response after the event was stored.

    Raises TypeError or ValueError for an unusable argument, so that an application with an empty secret stops at its
    start. Secrets that a function returns are judged with each request.
    """
    if not callable(secrets):
        secret_keys(secrets)

    def receive(body: bytes, headers: Headers) -> tuple[SiteReady, dict[str, str]]:
        current = secrets() if callable(secrets) else secrets
        event = construct_event(body, headers, current, header=header)
        # The service sends it to a new address: who returns it agrees to get deliveries there.
        name, challenge = read_beside(headers, header, "Challenge")
        return event, {name: challenge} if re.fullmatch("[A-Za-z0-9_-]{1,200}", challenge) else {}

    return receive
