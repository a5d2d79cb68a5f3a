"""Makes genuine deliveries, for the tests of your own receiver."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
import uuid
from dataclasses import asdict
from typing import NamedTuple

from sitewire.event import SiteReady
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


def sign_delivery(
    event: SiteReady | bytes, secret: str, *, id: str | None = None, timestamp: int | None = None
) -> SignedDelivery:
    """Return the body and all headers of a first attempt, signed in both schemes.

    Args:
        event: The event, or the bytes of a body, which can be anything.
        secret: The channel's signing secret.
        id: The id of the delivery. Default: a new one.
        timestamp: The time of the attempt in whole Unix seconds. Default: now.

    Raises:
        TypeError, ValueError: The secret is empty or not a text.
    """
    (key,) = secret_keys([secret])
    id = str(uuid.uuid4()) if id is None else id
    timestamp = int(time.time()) if timestamp is None else timestamp
    body = event if isinstance(event, bytes) else _serialise(event)
    standard = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return SignedDelivery(
        body,
        {
            "Content-Type": "application/json",
            "X-Sitewire-Signature": "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest(),
            "X-Sitewire-Delivery": id,
            "X-Sitewire-Attempt": "1",
            "webhook-id": id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": "v1," + base64.b64encode(standard).decode(),
        },
    )


def _serialise(event: SiteReady) -> bytes:
    return json.dumps(asdict(event), ensure_ascii=False, separators=(",", ":")).encode()
