"""Sends a request to an ASGI application, without a server."""

import asyncio
from contextlib import suppress


def post(app, chunks, headers):
    """Return the status, the body and the headers. `chunks` are read one after the other, and no more of them than are needed."""
    left, sent = iter(chunks), []

    async def receive():
        chunk = next(left, None)
        return {"type": "http.request", "body": chunk or b"", "more_body": chunk is not None}

    async def send(message):
        sent.append(message)

    pairs = [(name.lower().encode(), value.encode()) for name, value in headers]
    scope = {"type": "http", "method": "POST", "path": "/webhook", "headers": pairs, "query_string": b""}

    async def call():
        # Starlette sends a 500, and then raises the error once more for the server's log.
        with suppress(Exception):
            await app(scope, receive, send)

    asyncio.run(call())
    given = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent), given
