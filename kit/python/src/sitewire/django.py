"""Receives `site.ready` in Django 4.2 or newer."""

from __future__ import annotations

from inspect import iscoroutinefunction
from typing import Callable

from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from sitewire.errors import WebhookError
from sitewire.event import SiteReady
from sitewire.receiver import BODY_LIMIT, receiver
from sitewire.secrets import Secrets


def on_site_ready(
    secrets: Secrets,
    *,
    header: str = "X-Sitewire-Signature",
    limit: int = BODY_LIMIT,
) -> Callable[[Callable[[SiteReady], object]], Callable[[HttpRequest], HttpResponse]]:
    """Turn a function of a SiteReady into a view. It accepts POST only, and needs no CSRF token.

    The response is 204 after the function has returned, 401 or 400 with the fault as JSON if the request is not
    genuine, and 413 if the body is larger than `limit` bytes. An error of the function is the application's error 500,
    and the service delivers again. `header` is as of `construct_event`.

    Raises TypeError or ValueError if a secret is unusable.
    """
    receive = receiver(secrets, header)

    def decorate(handle: Callable[[SiteReady], object]) -> Callable[[HttpRequest], HttpResponse]:
        run = async_to_sync(handle) if iscoroutinefunction(handle) else handle

        @csrf_exempt
        @require_POST
        def view(request: HttpRequest) -> HttpResponse:
            # Not request.body, which would first read all that DATA_UPLOAD_MAX_MEMORY_SIZE allows.
            body = request.read(limit + 1)
            if len(body) > limit:
                return HttpResponse(status=413)
            try:
                event, answer = receive(body, request.headers)
            except WebhookError as error:
                return JsonResponse({"fault": error.fault}, status=error.status)
            run(event)
            return HttpResponse(status=204, headers=answer)

        return view

    return decorate
