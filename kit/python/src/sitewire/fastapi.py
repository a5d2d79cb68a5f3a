"""Receives `site.ready` in FastAPI, and in Starlette."""

from __future__ import annotations

from collections.abc import Awaitable
from inspect import isawaitable
from typing import Callable

from sitewire.errors import WebhookError
from sitewire.event import SiteReady
from sitewire.receiver import BODY_LIMIT, receiver
from sitewire.secrets import Secrets
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response


def on_site_ready(
    secrets: Secrets,
    *,
    header: str = "X-Sitewire-Signature",
    limit: int = BODY_LIMIT,
) -> Callable[[Callable[[SiteReady], object]], Callable[[Request], Awaitable[Response]]]:
    """Turn a function of a SiteReady, `def` or `async def`, into an endpoint. Put it below the route.

    The response is 204 after the function has returned, 401 or 400 with the fault as JSON if the request is not
    genuine, and 413 if the body is larger than `limit` bytes. An error of the function is the application's error 500,
    and the service delivers again. `header` is as of `construct_event`.

    Raises TypeError or ValueError if a secret is unusable.
    """
    receive = receiver(secrets, header)

    def decorate(handle: Callable[[SiteReady], object]) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            body = bytearray()
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    return Response(status_code=413)
            try:
                # In a thread, because a function of secrets may wait, for instance for a database.
                event, answer = await run_in_threadpool(receive, bytes(body), request.headers)
            except WebhookError as error:
                return JSONResponse({"fault": error.fault}, error.status)
            # A coroutine function only makes its coroutine in the thread. It then runs here.
            result = await run_in_threadpool(handle, event)
            if isawaitable(result):
                await result
            return Response(status_code=204, headers=answer)

        # FastAPI names a route after its function. functools.wraps would also promise the function's parameter.
        endpoint.__name__ = handle.__name__
        return endpoint

    return decorate
