"""Which signing secrets can be used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable, Union

Secrets = Union[Sequence[str], Callable[[], Sequence[str]]]
"""The signing secrets of a handler. A function is called for each request, so that a rotation needs no restart."""


def secret_keys(secrets: Sequence[str]) -> list[bytes]:
    """Return the key of each secret: all of its text in UTF-8. Nothing is trimmed or decoded.

    Raises TypeError or ValueError if there is no secret, or one is empty or not a text.
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
    try:
        return secret.encode("utf-8")
    except UnicodeEncodeError:
        # The error is not chained: it would repeat the secret.
        raise ValueError("A signing secret is not UTF-8. Set it exactly as the operator gave it to you.") from None
