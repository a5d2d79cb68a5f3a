"""What the adapters of all frameworks have in common."""

from __future__ import annotations

from typing import Callable

from sitewire.event import SiteReady
from sitewire.headers import Headers
from sitewire.secrets import Secrets, secret_keys
from sitewire.verify import Scheme, construct_event, require_scheme

BODY_LIMIT = 65_536
"""The default limit of a body in bytes. Deliveries are far smaller."""


def receiver(
    secrets: Secrets, scheme: Scheme, tolerance_seconds: float, header: str
) -> Callable[[bytes, Headers], SiteReady]:
    """Return `construct_event` with everything filled in but the request.

    Raises TypeError or ValueError for an unusable argument, so that an application with an empty secret stops at its
    start. Secrets that a function returns are judged with each request.
    """
    require_scheme(scheme)
    if not callable(secrets):
        secret_keys(secrets)

    def construct(body: bytes, headers: Headers) -> SiteReady:
        current = secrets() if callable(secrets) else secrets
        return construct_event(
            body, headers, current, scheme=scheme, tolerance_seconds=tolerance_seconds, header=header
        )

    return construct
