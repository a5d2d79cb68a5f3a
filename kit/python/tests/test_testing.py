"""The helper for the tests of a receiver makes what the service sends."""

import json
import time
import uuid
from dataclasses import replace

import pytest
from sitewire import construct_event
from sitewire.testing import EXAMPLE, sign_delivery


def test_a_delivery_has_all_headers_and_the_body_of_the_service():
    body, headers = sign_delivery(EXAMPLE, "a secret", id="019aa000")
    assert body.startswith(b'{"event":"site.ready","channel":"acme",')
    assert "Bäckerei".encode() in body
    assert list(json.loads(body)) == [
        *("event", "channel", "reference", "site_url", "console_url", "name", "email", "created_at")
    ]
    assert {name: value for name, value in headers.items() if "ignature" not in name} == {
        "Content-Type": "application/json",
        "X-Sitewire-Delivery": "019aa000",
        "X-Sitewire-Attempt": "1",
    }
    assert construct_event(body, headers, ["a secret"]) == EXAMPLE


def test_each_delivery_has_its_own_id():
    ids = [sign_delivery(EXAMPLE, "a secret").headers["X-Sitewire-Delivery"] for _ in range(99)]
    assert ids == sorted(set(ids))
    assert {uuid.UUID(id).version for id in ids} == {7}
    assert abs(int(ids[0].replace("-", "")[:12], 16) / 1000 - time.time()) < 60
    assert sign_delivery(replace(EXAMPLE, delivery="d1"), "a secret").headers["X-Sitewire-Delivery"] == "d1"


def test_nobody_can_sign_with_an_empty_secret():
    with pytest.raises(ValueError, match="empty"):
        sign_delivery(EXAMPLE, "")
