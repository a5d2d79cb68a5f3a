"""The event `site.ready`, and how it is read from a body."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Any, NoReturn

from sitewire.errors import WebhookError


@dataclass(frozen=True)
class SiteReady:
    """A site that was bought through your sales channel is paid and ready."""

    event: str
    """Always `site.ready`."""
    channel: str
    """Your sales channel."""
    reference: str
    """The `data-ref` that you passed to the purchase frame: use it to find your own user."""
    site_url: str
    """The URL of the new site. It is the key for processing an event once."""
    console_url: str
    """The URL of the site's management console."""
    name: str
    """The name of the site."""
    email: str = field(repr=False)
    """The contact e-mail address of the site's owner. Personal data, so `repr` does not show it."""
    created_at: str
    """The creation time in UTC, such as `2026-03-01T12:00:00+00:00`."""
    delivery: str = field(default="", compare=False)
    """The id of the delivery that the event came in, or "" if the header is missing.

    Of two deliveries of a site, the one with the greater id, as text, has the newer content.
    """


FIELDS = tuple(one.name for one in fields(SiteReady) if one.name != "delivery")
"""The names of the fields of a body, in the order of the service."""


def parse_event(body: bytes, delivery: str) -> SiteReady:
    """Return the event in a verified body. Unknown fields are ignored.

    Raises WebhookError with the fault `invalid-body` if the body is not JSON in UTF-8, or no `site.ready`.
    """
    try:
        # Decoded here, because json.loads would accept UTF-16 and UTF-32, too. Integers are read as floats, because
        # int refuses those of more than 4,300 digits, which are JSON; the event has no numbers.
        value: Any = json.loads(body.decode("utf-8"), parse_constant=_reject, parse_int=float)
    except (ValueError, RecursionError):
        # The error is not chained: its message and its `doc` would repeat the body.
        raise _invalid("it is not JSON in UTF-8") from None
    if not isinstance(value, dict) or value.get("event") != "site.ready":
        raise _invalid("its field event is not site.ready")
    event: dict[str, Any] = {name: value.get(name) for name in FIELDS}
    for name, text in event.items():
        if not isinstance(text, str):
            raise _invalid(f"its field {name} is missing or not a text")
    return SiteReady(**event, delivery=delivery)


def _reject(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _invalid(why: str) -> WebhookError:
    return WebhookError(
        "invalid-body",
        f"The signature is valid, but the body is no site.ready event: {why}. Respond 400. "
        "If the operator sends new events, look for a newer version of this library.",
    )
