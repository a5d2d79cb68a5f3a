"""The library agrees with the vectors that all languages share."""

import base64
import json
from dataclasses import asdict
from pathlib import Path

import pytest
from sitewire import WebhookError, construct_event, verify_source_request

VECTORS = Path(__file__).parents[2] / "vectors"


def vectors(name):
    # Those of the scheme standard-webhooks are for its own libraries.
    read = json.loads((VECTORS / name).read_text("utf-8"))
    return [pytest.param(one, id=one["name"]) for one in read if one.get("scheme") != "standard-webhooks"]


@pytest.mark.parametrize("vector", vectors("deliveries.json") + vectors("secrets.json"))
def test_delivery(vector):
    def construct():
        body = base64.b64decode(vector["body"], validate=True)
        return construct_event(body, vector["headers"], vector["secrets"])

    if "refused" in vector:
        with pytest.raises(ValueError, match="secret"):
            construct()
    elif "fault" in vector:
        with pytest.raises(WebhookError) as error:
            construct()
        assert error.value.fault == vector["fault"], vector["why"]
        assert error.value.status == (400 if vector["fault"] == "invalid-body" else 401)
    else:
        event = asdict(construct())
        del event["delivery"]  # It is not in the body.
        assert event == vector["event"], vector["why"]


@pytest.mark.parametrize("vector", vectors("sources.json"))
def test_request_to_a_source(vector):
    def verify():
        request = (vector["method"], vector["url"], vector["headers"])
        verify_source_request(*request, vector["secrets"], now=vector["now"])

    if "fault" in vector:
        with pytest.raises(WebhookError) as error:
            verify()
        assert error.value.fault == vector["fault"], vector["why"]
    else:
        verify()
