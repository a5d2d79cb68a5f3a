"""Large and deep requests are refused, and quickly."""

import pytest
from sitewire import WebhookError, construct_event, verify_source_request
from sitewire.testing import EXAMPLE, sign_delivery

SECRET = "a secret"
EVENT = sign_delivery(EXAMPLE, SECRET).body
LARGE = 5 << 20


def fault(body, headers):
    with pytest.raises(WebhookError) as error:
        construct_event(body, headers, [SECRET])
    return error.value.fault


def fault_of_source(headers):
    with pytest.raises(WebhookError) as error:
        verify_source_request("GET", "https://api.partner.example/items", headers, [SECRET], now=1772366400)
    return error.value.fault


def test_a_large_body():
    assert fault(b"\xff" * LARGE, sign_delivery(EXAMPLE, SECRET).headers) == "mismatch"
    assert fault(*sign_delivery(b"\xff" * LARGE, SECRET)) == "invalid-body"


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
    source = {"webhook-id": "7_1", "webhook-timestamp": "1772366400", "webhook-signature": "v1,x"}
    for name in source:
        assert fault_of_source({**source, name: large}) in ("malformed", "mismatch")


@pytest.mark.parametrize("value", [["sha256="], b"sha256=", 7, ("a", "b")])
def test_a_header_that_is_not_a_text(value):
    assert fault(EVENT, {"X-Sitewire-Signature": value}) == "malformed"


def test_a_header_that_came_twice():
    class Twice:
        def items(self):
            names = ["X-Sitewire-Signature", "webhook-id", "webhook-timestamp", "webhook-signature"]
            return [(name, "1") for name in names] * 2

    assert fault(EVENT, Twice()) == "malformed"
    assert fault_of_source(Twice()) == "malformed"
    assert fault(EVENT, {"X-Sitewire-Signature": None}) == "missing"
