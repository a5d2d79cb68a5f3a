"""What every adapter promises. A test of an adapter inherits from it, and provides `start`."""

import io
import json
from dataclasses import replace

import pytest
from sitewire.testing import EXAMPLE, sign_delivery

SECRET = "a secret"
LIMIT = 65_536


class Endless(io.RawIOBase):
    """A body of which no adapter may read more than it needs."""

    def __init__(self):
        self.given = 0

    def readable(self):
        return True

    def readinto(self, buffer):
        self.given += len(buffer)
        return len(buffer)

    def readall(self):
        raise AssertionError("the whole body was read at once")


class AdapterContract:
    """`self.start(handle, secrets, **options)` mounts the adapter, and returns an object with two functions:

    `post(body, headers)` and `post_endless(stream)` return the status and the body of the response. `answer(body, headers)`
    returns the headers of the response to a `post`, with names in lower case.
    """

    @pytest.fixture
    def events(self):
        return []

    @pytest.fixture
    def client(self, events):
        return self.start(events.append, [SECRET])

    def test_an_event_reaches_the_function(self, client, events):
        assert client.post(*sign_delivery(EXAMPLE, SECRET)) == (204, b"")
        assert events == [EXAMPLE]

    @pytest.mark.parametrize(
        ("change", "fault"),
        [
            (lambda headers: headers.pop("X-Sitewire-Signature"), "missing"),
            (lambda headers: headers.update({"X-Sitewire-Signature": "sha256=" + "A" * 64}), "malformed"),
            (lambda headers: headers.update({"X-Sitewire-Signature": "sha256=" + "a" * 64}), "mismatch"),
        ],
    )
    def test_a_request_that_is_not_genuine(self, client, events, change, fault):
        body, headers = sign_delivery(EXAMPLE, SECRET)
        change(headers)
        status, response = client.post(body, headers)
        assert (status, json.loads(response), events) == (401, {"fault": fault}, [])

    def test_a_signed_body_that_is_no_event(self, client, events):
        status, response = client.post(*sign_delivery(b"{}", SECRET))
        assert (status, json.loads(response), events) == (400, {"fault": "invalid-body"}, [])

    def test_the_limit_of_a_body(self, client, events):
        largest = sign_delivery(EXAMPLE, SECRET).body.ljust(LIMIT)
        assert client.post(*sign_delivery(largest, SECRET))[0] == 204
        assert client.post(*sign_delivery(largest + b" ", SECRET))[0] == 413
        assert events == [EXAMPLE]

    def test_a_body_beyond_the_limit_is_not_read(self, client, events):
        stream = Endless()
        assert client.post_endless(stream)[0] == 413
        assert stream.given <= 2 * LIMIT
        assert events == []

    def test_an_error_of_the_function_is_a_500(self):
        def handle(event):
            raise RuntimeError("no database")

        assert self.start(handle, [SECRET]).post(*sign_delivery(EXAMPLE, SECRET))[0] == 500

    def test_a_coroutine_function_is_awaited(self, events):
        async def handle(event):
            events.append(event)

        assert self.start(handle, [SECRET]).post(*sign_delivery(EXAMPLE, SECRET))[0] == 204
        assert events == [EXAMPLE]

    def test_secrets_of_a_function_rotate_without_a_restart(self, events):
        secrets = ["old"]
        client = self.start(events.append, lambda: secrets)
        assert client.post(*sign_delivery(EXAMPLE, "new"))[0] == 401
        secrets.append("new")
        assert client.post(*sign_delivery(EXAMPLE, "new"))[0] == 204
        secrets.clear()
        assert client.post(*sign_delivery(EXAMPLE, "new"))[0] == 500

    @pytest.mark.parametrize("secrets", [[], [""], ["a secret", ""]])
    def test_an_application_with_an_empty_secret_does_not_start(self, secrets):
        with pytest.raises(ValueError, match="secret"):
            self.start(print, secrets)

    def test_the_event_has_the_id_of_its_delivery(self, events):
        body, headers = sign_delivery(EXAMPLE, SECRET, id="d1")
        changed = {**headers, "X-Sitewire-Delivery": "d2"}
        renamed = {**headers, "X-Acme-Signature": headers["X-Sitewire-Signature"], "X-Acme-Delivery": "d3"}
        without = {name: value for name, value in headers.items() if name != "X-Sitewire-Delivery"}
        for given, options in [
            (changed, {}),
            (renamed, {"header": "x-acme-signature"}),
            ({**headers, "X-Proof": headers["X-Sitewire-Signature"]}, {"header": "X-Proof"}),
            (without, {}),
        ]:
            assert self.start(events.append, [SECRET], **options).post(body, given)[0] == 204
        assert [event.delivery for event in events] == ["d2", "d3", "", ""]

    def test_the_challenge_of_a_new_address_is_returned_if_the_delivery_is_genuine(self):
        for secret, name, value, options in [
            (SECRET, "x-sitewire-challenge", "Ab_9-", {}),
            (SECRET, "x-sitewire-challenge", "a, b", {}),
            (SECRET, "x-sitewire-challenge", "", {}),
            ("forged", "x-sitewire-challenge", "Ab_9-", {}),
        ]:
            body, headers = sign_delivery(EXAMPLE, secret)
            answer = self.start(print, [SECRET], **options).answer(body, {**headers, name: value})
            returned = value if (secret, value) == (SECRET, "Ab_9-") else None
            assert answer.get(name) == returned

    def test_another_name_of_the_service(self, events):
        client = self.start(events.append, [SECRET], header="X-Acme-Signature")
        body, headers = sign_delivery(replace(EXAMPLE, name="Konditorei"), SECRET)
        headers["X-Acme-Signature"] = headers.pop("X-Sitewire-Signature")
        assert client.post(body, headers)[0] == 204
        assert [event.name for event in events] == ["Konditorei"]
