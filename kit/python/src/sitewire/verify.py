"""Verifies the signature of a delivery, and of a request to a data source."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from collections.abc import Sequence

from sitewire.errors import WebhookError
from sitewire.event import SiteReady, parse_event
from sitewire.headers import Headers, malformed, read_beside, read_headers
from sitewire.secrets import secret_keys


def construct_event(
    raw_body: bytes,
    headers: Headers,
    secrets: Sequence[str],
    *,
    header: str = "X-Sitewire-Signature",
) -> SiteReady:
    """Verify a delivery and return its event.

    Args:
        raw_body: The bytes of the body as they arrived, before any parser.
        headers: The headers of the request. The case of names does not matter.
        secrets: Your channel's signing secrets, at least one. During a rotation, the old and the new one.
        header: The name of the header, if the operator runs the service under another name.

    Raises:
        WebhookError: The request must not be processed. Its `fault` says why, its `status` what to respond.
        TypeError, ValueError: A fault of the receiver: the body is not bytes, or an argument or a secret is unusable.
    """
    keys = secret_keys(secrets)
    if not isinstance(raw_body, (bytes, bytearray, memoryview)):
        raise TypeError(
            "The body was decoded or parsed, but a signature covers the raw bytes. Take request.get_data() in Flask, "
            "request.body in Django, await request.body() in FastAPI, before anything else reads the body."
        )
    body = bytes(raw_body)
    _verify_sitewire(body, headers, keys, header)
    return parse_event(body, read_beside(headers, header, "Delivery")[1])


def verify_source_request(
    method: str,
    url: str,
    headers: Headers,
    secrets: Sequence[str],
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> None:
    """Verify a request of the service to your data source. It returns if the request is genuine.

    Args:
        method: The method of the request.
        url: The connection's source, exactly as the service shows it. Take it from your configuration: behind a
            proxy, your server may see another scheme or host.
        headers: The headers of the request. The case of names does not matter.
        secrets: The connection's signing secrets, at least one. During a replacement, the old and the new one.
        tolerance_seconds: How far the signed time may be from `now`, in both directions.
        now: Unix time in seconds. Default: this machine's clock.

    Raises:
        WebhookError: Respond 401. Its `fault` is `missing`, `malformed`, `outdated` or `mismatch`.
        TypeError, ValueError: A fault of the receiver: a secret is unusable.
    """
    text = f'"{method} {url}"'.encode()
    _verify_standard_webhooks(text, headers, secret_keys(secrets), tolerance_seconds, now)


def _verify_sitewire(body: bytes, headers: Headers, keys: list[bytes], header: str) -> None:
    (signature,) = read_headers(headers, [header])
    # fullmatch, because "$" would let a newline at the end pass.
    if not re.fullmatch("sha256=[0-9a-f]{64}", signature):
        raise malformed(f"The header {header} is not sha256= and 64 lowercase hexadecimal digits")
    expected = [b"sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest().encode() for key in keys]
    _require_match([signature.encode()], expected)


def _verify_standard_webhooks(
    body: bytes, headers: Headers, keys: list[bytes], tolerance: float, now: float | None
) -> None:
    id_, timestamp, signature = read_headers(headers, ["webhook-id", "webhook-timestamp", "webhook-signature"])
    # A full stop in the id would let the same bytes be divided in another way.
    if "." in id_:
        raise malformed("The header webhook-id contains a full stop")
    if not re.fullmatch("[0-9]{1,10}", timestamp):
        raise malformed("The header webhook-timestamp is not the whole seconds since 1970")
    if not re.fullmatch(r"v[0-9]+[a-z]?,\S+( v[0-9]+[a-z]?,\S+)*", signature):
        raise malformed("The header webhook-signature is not version,signature, separated by single spaces")
    # Written so that a NaN is outdated.
    if not abs((time.time() if now is None else now) - int(timestamp)) <= tolerance:
        raise WebhookError(
            "outdated",
            "The signed time is further from this machine's clock than the tolerance, so a captured request may have "
            "been sent again. Respond 401. If it happens to genuine deliveries, correct this machine's clock.",
        )
    # Any header can be encoded with surrogatepass, also one that is not UTF-8.
    signed = f"{id_}.{timestamp}.".encode("utf-8", "surrogatepass") + body
    expected = [b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in keys]
    _require_match(signature.encode("utf-8", "surrogatepass").split(b" "), expected)


def _require_match(given: list[bytes], expected: list[bytes]) -> None:
    # A list and not a generator: each pair is compared, so the time taken does not reveal which secret matched.
    if not any([hmac.compare_digest(one, other) for one in given for other in expected]):
        raise WebhookError(
            "mismatch",
            "No secret signed these bytes. Respond 401. If it happens to genuine deliveries, verify the raw bytes "
            "before any parser, and compare the secret with the operator's. During a rotation, pass the old and the "
            "new one.",
        )
