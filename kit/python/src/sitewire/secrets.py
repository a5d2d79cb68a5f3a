"""Which signing secrets can be used."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Callable, Union

Secrets = Union[Sequence[str], Callable[[], Sequence[str]]]
"""The signing secrets of a handler. A function is called for each request, so that a rotation needs no restart."""


def secret_keys(secrets: Sequence[str]) -> list[bytes]:
    """Return the key of each secret: its text in UTF-8, or what follows `whsec_`, decoded. Nothing is trimmed.

    Raises TypeError or ValueError if there is no secret, or one is empty, not a text or in a wrong form.
    """
    if isinstance(secrets, (str, bytes)):
        raise TypeError("The secrets are one text, but must be a list of texts. Pass [secret] instead of secret.")
    keys = [_key(secret) for secret in secrets or ()]
    if not keys:
        raise ValueError("There is no signing secret, so no request could be verified. Set your channel's secret.")
    return keys


def _key(secret: str) -> bytes:
    if not isinstance(secret, str):
        raise TypeError("A signing secret is not a text. Pass it as str, exactly as the operator gave it to you.")
    if not secret:
        raise ValueError("A signing secret is empty, so anybody could sign. Set your channel's secret.")
    if secret.startswith("whsec_"):
        return _decode(secret[len("whsec_") :])
    try:
        return secret.encode("utf-8")
    except UnicodeEncodeError:
        # The error is not chained: it would repeat the secret.
        raise ValueError("A signing secret is not UTF-8. Set it exactly as the operator gave it to you.") from None


def _decode(text: str) -> bytes:
    """Return the key of a secret in the form that libraries of Standard Webhooks take."""
    try:
        key = base64.b64decode(text)
    except ValueError:
        key = b""
    # Compared, because b64decode ignores what is not base64.
    if key and base64.b64encode(key) == text.encode():
        return key
    raise ValueError(
        "A signing secret begins with whsec_, but the rest is not base64. Pass it exactly as it was shown, in either form."
    )
