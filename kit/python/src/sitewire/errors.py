"""What can be wrong with a request."""

from __future__ import annotations

from typing import Literal

Fault = Literal["missing", "malformed", "outdated", "mismatch", "invalid-body"]


class WebhookError(Exception):
    """A request that must not be processed. The message repeats nothing of the request or the secret.

    `fault` says what is wrong. The faults are judged in this order:

    - `missing`: a header of the signature is missing or empty.
    - `malformed`: a header of the signature does not have the form that the service sends.
    - `outdated`: the signed time is too far from this machine's clock (only of a request to a data source).
    - `mismatch`: no secret signed these bytes.
    - `invalid-body`: a secret signed these bytes, but they are no `site.ready` event.
    """

    def __init__(self, fault: Fault, message: str) -> None:
        """Store the fault, and a message that says what happened, why, and what to do."""
        super().__init__(message)
        self.fault: Fault = fault

    @property
    def status(self) -> int:
        """The HTTP status to respond with: 400 for `invalid-body`, otherwise 401."""
        return 400 if self.fault == "invalid-body" else 401
