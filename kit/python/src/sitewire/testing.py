"""Makes genuine deliveries, for the tests of your own receiver."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
import uuid
from typing import NamedTuple

from sitewire.event import FIELDS, SiteReady
from sitewire.secrets import secret_keys

EXAMPLE = SiteReady(
    event="site.ready",
    channel="acme",
    reference="user-4711",
    site_url="https://bakery.example/",
    console_url="https://console.bakery.example/",
    name="Bäckerei",
    email="owner@bakery.example",
    created_at="2026-03-01T12:00:00+00:00",
)
"""An event for tests. Change fields with `dataclasses.replace(EXAMPLE, name="Konditorei")`."""


class SignedDelivery(NamedTuple):
    """What the service sends."""

    body: bytes
    headers: dict[str, str]


def sign_delivery(event: SiteReady | bytes, secret: str, *, id: str | None = None) -> SignedDelivery:
    """Return the body and the headers of a first attempt, without those of Standard Webhooks.

    Args:
        event: The event, or the bytes of a body, which can be anything.
        secret: The channel's signing secret.
        id: The id of the delivery. Default: `event.delivery`, or a new one, which is greater than those before.

    Raises:
        TypeError, ValueError: The secret is empty or not a text.
    """
    (key,) = secret_keys([secret])
    if id is None:
        id = getattr(event, "delivery", "") or _new_id()
    body = event if isinstance(event, bytes) else _serialise(event)
    return SignedDelivery(
        body,
        {
            "Content-Type": "application/json",
            "X-Sitewire-Signature": "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest(),
            "X-Sitewire-Delivery": id,
            "X-Sitewire-Attempt": "1",
        },
    )


def _new_id() -> str:
    """Return a UUID of version 7 that is greater than those of microseconds ago."""
    milliseconds, nanoseconds = divmod(time.time_ns(), 1_000_000)
    head = milliseconds << 16 | 0x7000 | nanoseconds * 4096 // 1_000_000
    return str(uuid.UUID(int=head << 64 | 0b10 << 62 | uuid.uuid4().int & (1 << 62) - 1))


def _serialise(event: SiteReady) -> bytes:
    return json.dumps({name: getattr(event, name) for name in FIELDS}, ensure_ascii=False, separators=(",", ":")).encode()
