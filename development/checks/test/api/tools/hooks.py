"""Extends schemathesis for the console: a check of rejections, and requests that must not be sent."""

import os
import random
import uuid

import requests
import schemathesis

# The answers that depend on what exists and on the API key, not on the form of the request.
STATES = {401, 403, 404, 409, 410, 412, 429}

chance = random.Random(20260301)

OWN_ID = requests.get(
    os.environ["SITEWIRE_API"] + "/v1/keys",
    headers={"Authorization": f"Bearer {os.environ['SITEWIRE_API_KEY']}"},
    timeout=10,
).json()["data"][0]["id"]


@schemathesis.hook
def filter_case(context, case):
    """Leaves out the revocation of the key that this run uses."""
    return case.path_parameters.get("id") != OWN_ID


@schemathesis.hook
def before_call(context, case, kwargs):
    """Makes most requests acceptable, because a rejected one shows little of the operation."""
    if case.meta is None or not case.meta.generation.mode.is_positive or chance.random() < 0.1:
        return
    if "Idempotency-Key" in (case.headers or {}):
        case.headers["Idempotency-Key"] = str(uuid.uuid4())
    # What is drawn fits no resource's state. What a link fills in does, and is kept.
    if case.meta.phase.name.value != "stateful":
        (case.headers or {}).pop("If-Match", None)
        (case.query or {}).pop("cursor", None)
    for field in ("address", "source"):
        url = case.body.get(field) if isinstance(case.body, dict) else None
        if isinstance(url, str) and url.lower().startswith("http://"):
            case.body[field] = "https" + url[4:]


@schemathesis.check
def rejected_for_a_named_reason(context, response, case):
    """A request that fits the schema is rejected only with a message of `x-rejections`."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    status = response.status_code
    if status < 400 or status >= 500 or status in STATES:
        return
    if status == 422 and response.json()["code"] == "idempotency-key-reused":
        return
    document = case.operation.schema.raw_schema
    named = set(reasons(case.operation.definition.raw, document))
    errors = response.json().get("errors") if status == 400 else None
    for error in errors or [{"message": f"status {status}"}]:
        if not any(reason in error["message"] for reason in named):
            raise AssertionError(f"Rejected for a reason that the schema does not name: {error['message']}")


def reasons(value, document, seen=None):
    """The `x-rejections` within a part of the document, and within what it refers to."""
    seen = set() if seen is None else seen
    if isinstance(value, list):
        for item in value:
            yield from reasons(item, document, seen)
    if not isinstance(value, dict):
        return
    yield from value.get("x-rejections", [])
    reference = value.get("$ref")
    if isinstance(reference, str) and reference not in seen:
        seen.add(reference)
        target = document
        for step in reference.removeprefix("#/").split("/"):
            target = target[step]
        yield from reasons(target, document, seen)
    for name, item in value.items():
        if name != "responses":
            yield from reasons(item, document, seen)
