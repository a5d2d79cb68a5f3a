from types import SimpleNamespace

from adapter_contract import SECRET, AdapterContract
from flask import Flask, request
from sitewire.flask import on_site_ready
from sitewire.testing import EXAMPLE, sign_delivery


def mount(handle, secrets, **options):
    app = Flask(__name__)
    app.post("/webhook", endpoint="webhook")(on_site_ready(secrets, **options)(handle))
    return app


class TestFlask(AdapterContract):
    def start(self, handle, secrets, **options):
        client = mount(handle, secrets, **options).test_client()

        def post(body, headers):
            response = client.post("/webhook", data=body, headers=headers)
            return response.status_code, response.data

        def answer(body, headers):
            response = client.post("/webhook", data=body, headers=headers)
            return {name.lower(): value for name, value in response.headers.items()}

        def post_endless(stream):
            # A chunked body, so without a length that would give its size away.
            environ = {"wsgi.input": stream, "wsgi.input_terminated": True}
            response = client.post("/webhook", environ_overrides=environ)
            return response.status_code, response.data

        return SimpleNamespace(post=post, answer=answer, post_endless=post_endless)


def test_a_hook_may_have_read_the_body():
    events = []
    app = mount(events.append, [SECRET])
    app.before_request(lambda: print(request.get_json()["name"]))
    body, headers = sign_delivery(EXAMPLE, SECRET)
    assert app.test_client().post("/webhook", data=body, headers=headers).status_code == 204
    assert events == [EXAMPLE]


def test_a_route_is_named_after_its_function():
    app = Flask(__name__)

    @app.post("/webhook")
    @on_site_ready([SECRET])
    def store(event):
        pass

    assert "store" in app.view_functions
