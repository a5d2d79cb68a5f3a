"""Receives `site.ready` in Flask 3.1 or newer."""

from __future__ import annotations

from typing import Callable

from flask import Response, current_app, jsonify, make_response, request
from sitewire.errors import WebhookError
from sitewire.event import SiteReady
from sitewire.receiver import BODY_LIMIT, receiver
from sitewire.secrets import Secrets


def on_site_ready(
    secrets: Secrets,
    *,
    header: str = "X-Sitewire-Signature",
    limit: int = BODY_LIMIT,
) -> Callable[[Callable[[SiteReady], object]], Callable[[], Response]]:
    """Turn a function of a SiteReady into a view. Put it below the route, and let the route accept POST only.

    The response is 204 after the function has returned, 401 or 400 with the fault as JSON if the request is not
    genuine, and 413 if the body is larger than `limit` bytes. An error of the function is the application's error 500,
    and the service delivers again. `header` is as of `construct_event`.

    Raises TypeError or ValueError if a secret is unusable.
    """
    receive = receiver(secrets, header)

    def decorate(handle: Callable[[SiteReady], object]) -> Callable[[], Response]:
        def view() -> Response:
            # From here on, Flask reads no more than that. It responds 413, or cuts a chunked body there.
            request.max_content_length = limit + 1
            body = request.get_data()
            if len(body) > limit:
                return Response(status=413)
            try:
                event, answer = receive(body, request.headers)
            except WebhookError as error:
                return make_response(jsonify(fault=error.fault), error.status)
            current_app.ensure_sync(handle)(event)
            return Response(status=204, headers=answer)

        # Flask names a route after its function. functools.wraps would also promise a parameter.
        view.__name__ = handle.__name__
        return view

    return decorate
