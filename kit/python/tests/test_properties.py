"""What holds for any request."""

from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sitewire import WebhookError, construct_event, verify_source_request
from sitewire.testing import EXAMPLE, sign_delivery

NAMES = ["X-Sitewire-Signature", "webhook-id", "webhook-timestamp", "webhook-signature"]
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
# Also texts that cannot be encoded, and parts that look like a genuine header.
values = st.lists(st.sampled_from(["v1,", "v1a,", "sha256=", " ", "0", "a" * 64, "1772366400", ",", "."]) | st.text())


def fault(body, headers, secret):
    with pytest.raises(WebhookError) as error:
        construct_event(body, headers, [secret])
    return error.value.fault


@given(body=st.binary(), secret=texts)
def test_any_bytes_that_are_signed_verify(body, secret):
    # Random bytes are no event: only a body whose signature is valid is judged.
    assert fault(*sign_delivery(body, secret), secret) == "invalid-body"


@given(name=texts, secret=texts)
def test_any_event_that_is_signed_is_returned(name, secret):
    from dataclasses import replace

    event = replace(EXAMPLE, name=name)
    delivery = sign_delivery(event, secret)
    assert construct_event(*delivery, ["another", secret]) == event


@given(body=st.binary(min_size=1), bit=st.integers(min_value=0))
def test_a_flipped_bit_does_not_verify(body, bit):
    flipped = bytearray(body)
    flipped[bit // 8 % len(body)] ^= 1 << bit % 8
    assert fault(bytes(flipped), sign_delivery(body, "a secret").headers, "a secret") == "mismatch"


@given(secret=texts, other=texts)
def test_another_secret_does_not_verify(secret, other):
    # HMAC fills short keys with zero bytes, so these two are the same key.
    assume(secret.rstrip("\0") != other.rstrip("\0"))
    assert fault(*sign_delivery(EXAMPLE, secret), other) == "mismatch"


@given(headers=st.dictionaries(st.sampled_from(NAMES) | st.text(), values.map("".join)), body=st.binary())
def test_no_headers_raise_anything_but_a_webhook_error(headers, body):
    assert fault(body, headers, "a secret") in ("missing", "malformed", "mismatch")
    with pytest.raises(WebhookError) as error:
        verify_source_request("GET", "https://api.partner.example/items", headers, ["a secret"])
    assert error.value.fault in ("missing", "malformed", "outdated", "mismatch")


@given(body=st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_body_raises_anything_but_a_webhook_error(body):
    with suppress(WebhookError):
        construct_event(*sign_delivery(body, "a secret"), ["a secret"])
