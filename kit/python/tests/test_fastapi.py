import json
from types import SimpleNamespace

import asgi
from adapter_contract import SECRET, AdapterContract
from fastapi import FastAPI
from sitewire.fastapi import on_site_ready
from sitewire.testing import EXAMPLE, sign_delivery


class TestFastAPI(AdapterContract):
    def start(self, handle, secrets, **options):
        app = FastAPI()
        app.post("/webhook")(on_site_ready(secrets, **options)(handle))
        return SimpleNamespace(
            app=app,
            post=lambda body, headers: asgi.post(app, [body], headers.items())[:2],
            answer=lambda body, headers: asgi.post(app, [body], headers.items())[2],
            post_endless=lambda stream: asgi.post(app, iter(lambda: stream.read(1_000), None), [])[:2],
        )

    def test_a_header_that_came_twice(self, client, events):
        body, headers = sign_delivery(EXAMPLE, SECRET)
        status, response, _ = asgi.post(client.app, [body], [*headers.items()] * 2)
        assert (status, json.loads(response), events) == (401, {"fault": "malformed"}, [])

    def test_the_endpoint_is_described(self):
        app = FastAPI()

        @app.post("/webhook", status_code=204)
        @on_site_ready([SECRET])
        def store(event):
            pass

        (operation,) = app.openapi()["paths"]["/webhook"].values()
        assert operation["summary"] == "Store"
        assert "parameters" not in operation
