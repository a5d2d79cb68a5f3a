"""A fault of the receiver is no WebhookError: it must not look like a forged request."""

import pytest
from sitewire import WebhookError, construct_event, verify_source_request
from sitewire.testing import EXAMPLE, sign_delivery

BODY, HEADERS = sign_delivery(EXAMPLE, "a secret")
SOURCE = ("GET", "https://api.partner.example/items", {})


@pytest.mark.parametrize("secrets", [[], (), None, iter([]), ["\udcff"], ["whsec_\udcff"]])
def test_no_secret_or_one_that_is_no_key(secrets):
    with pytest.raises(ValueError, match="secret") as error:
        construct_event(BODY, HEADERS, secrets)
    assert "\udcff" not in str(error.value)


@pytest.mark.parametrize("secrets", ["a secret", b"a secret", [None], [b"a secret"], [7]])
def test_a_secret_that_is_no_text(secrets):
    with pytest.raises(TypeError, match="secret"):
        construct_event(BODY, HEADERS, secrets)
    with pytest.raises(TypeError, match="secret"):
        verify_source_request(*SOURCE, secrets)


def test_an_empty_secret_is_no_key_of_a_source():
    with pytest.raises(ValueError, match="empty"):
        verify_source_request(*SOURCE, [""])


@pytest.mark.parametrize("body", [BODY.decode(), {"event": "site.ready"}, None])
def test_a_body_that_was_decoded_or_parsed(body):
    with pytest.raises(TypeError, match="raw bytes"):
        construct_event(body, HEADERS, ["a secret"])


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_bytes_of_another_kind(kind):
    assert construct_event(kind(BODY), HEADERS, ["a secret"]) == EXAMPLE


def test_a_tolerance_that_is_no_number_of_seconds_accepts_nothing():
    headers = {"webhook-id": "7_1", "webhook-timestamp": "1772366400", "webhook-signature": "v1,x"}
    with pytest.raises(WebhookError) as error:
        verify_source_request(*SOURCE[:2], headers, ["a secret"], tolerance_seconds=float("nan"))
    assert error.value.fault == "outdated"


def test_no_message_repeats_the_request_or_the_secret():
    messages = []
    for headers in [{}, {"X-Sitewire-Signature": "forged"}, sign_delivery(EXAMPLE, "another").headers]:
        with pytest.raises(WebhookError) as error:
            construct_event(BODY, headers, ["a-secret"])
        messages.append(str(error.value))
    with pytest.raises(WebhookError) as error:
        construct_event(*sign_delivery(b"owner@bakery.example", "a-secret"), ["a-secret"])
    messages.append(str(error.value))
    assert all("Respond 40" in message for message in messages)
    assert not any(text in " ".join(messages) for text in ["forged", "a-secret", "another", "bakery"])
    assert EXAMPLE.email not in repr(EXAMPLE)
