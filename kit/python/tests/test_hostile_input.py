"""Large and deep requests are refused, and quickly."""

import pytest
from sitewire import WebhookError, construct_event
from sitewire.testing import EXAMPLE, sign_delivery

SECRET = "a secret"
EVENT = sign_delivery(EXAMPLE, SECRET).body
LARGE = 5 << 20


def fault(body, headers, scheme="sitewire"):
    with pytest.raises(WebhookError) as error:
        construct_event(body, headers, [SECRET], scheme=scheme)
    return error.value.fault


@pytest.mark.parametrize("scheme", ["sitewire", "standard-webhooks"])
def test_a_large_body(scheme):
    assert fault(b"\xff" * LARGE, sign_delivery(EXAMPLE, SECRET).headers, scheme) == "mismatch"
    assert fault(*sign_delivery(b"\xff" * LARGE, SECRET), scheme) == "invalid-body"


@pytest.mark.parametrize("nested", [b"[", b'{"a":'])
def test_deep_nesting(nested):
    assert fault(*sign_delivery(nested * 1_000_000, SECRET)) == "invalid-body"
    assert fault(*sign_delivery(EVENT[:-1] + b',"a":' + nested * 1_000_000, SECRET)) == "invalid-body"


def test_a_number_of_many_digits_in_an_unknown_field():
    body = EVENT[:-1] + b',"n":' + b"9" * 60_000 + b"}"
    assert construct_event(*sign_delivery(body, SECRET), [SECRET]) == EXAMPLE


@pytest.mark.parametrize("part", ["a", " ", "v1,a ", "v1,", "0", "\ud800", "ä"])
def test_large_headers(part):
    large = part * (LARGE // len(part))
    genuine = sign_delivery(EXAMPLE, SECRET).headers
    assert fault(EVENT, {**genuine, "X-Sitewire-Signature": large}) == "malformed"
    assert fault(EVENT, {**genuine, "X-Sitewire-Signature": "sha256=" + large}) == "malformed"
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"]:
        headers = {**genuine, name: large}
        assert fault(EVENT, headers, "standard-webhooks") in ("malformed", "mismatch")


@pytest.mark.parametrize("value", [["sha256="], b"sha256=", 7, ("a", "b")])
def test_a_header_that_is_not_a_text(value):
    assert fault(EVENT, {"X-Sitewire-Signature": value}) == "malformed"


def test_a_header_that_came_twice():
    class Twice:
        def items(self):
            return [*sign_delivery(EXAMPLE, SECRET).headers.items()] * 2

    assert fault(EVENT, Twice()) == "malformed"
    assert fault(EVENT, Twice(), "standard-webhooks") == "malformed"
    assert fault(EVENT, {"X-Sitewire-Signature": None}) == "missing"
