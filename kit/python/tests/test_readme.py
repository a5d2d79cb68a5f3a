"""The code in the README works."""

import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import asgi
import pytest
from sitewire import WebhookError
from sitewire.testing import EXAMPLE, sign_delivery

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")


def run(name):
    """Execute the block of code with this name, and return what it defines."""
    (code,) = re.findall(f"```python {name}\n(.*?)```", README, re.DOTALL)
    defined = {"__name__": "__main__"}
    exec(code, defined)
    return defined


@pytest.fixture
def secret(monkeypatch):
    monkeypatch.setenv("SITEWIRE_SECRETS", "an older secret,a secret")
    return "a secret"


def test_flask(secret, capsys):
    client = run("receiver.py")["app"].test_client()
    run("testing")["test_a_site_is_stored"](client, secret)
    assert client.post("/webhook").status_code == 401
    assert capsys.readouterr().out == "site ready: https://bakery.example/\n"


def test_django(secret, capsys):
    import test_django
    from django.conf import settings
    from django.test import Client
    from django.urls import path

    settings.SITEWIRE_SECRETS = [secret]
    test_django.urlpatterns[:] = [path("webhook", run("django")["site_ready"])]
    body, headers = sign_delivery(EXAMPLE, secret)
    client = Client(HTTP_X_SITEWIRE_SIGNATURE=headers["X-Sitewire-Signature"])
    assert client.post("/webhook", body, "application/json").status_code == 204
    assert capsys.readouterr().out == "site ready: https://bakery.example/\n"


def test_fastapi(secret, capsys):
    app = run("fastapi")["app"]
    body, headers = sign_delivery(EXAMPLE, secret)
    assert asgi.post(app, [body], headers.items())[0] == 204
    assert asgi.post(app, [body], [])[0] == 401
    assert capsys.readouterr().out == "site ready: https://bakery.example/\n"


def test_another_framework(secret, capsys):
    receive = run("other")["receive"]
    assert receive(*sign_delivery(EXAMPLE, secret), [secret]) == 204
    assert receive(*sign_delivery(b"{}", secret), [secret]) == 400
    assert receive(b"", {}, [secret]) == 401
    assert capsys.readouterr().out == "site ready: https://bakery.example/\n"


def test_a_data_source():
    with pytest.raises(WebhookError):
        run("source")["require_service"]({}, ["a secret"])


@contextmanager
def trigger(*responses):
    """Respond to one call after the other, and yield the address and the list of calls."""
    left, calls = list(responses), []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            calls.append(self.path)
            status, headers = left.pop(0)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/connectors/hook/7/a-token/", calls
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def waits(monkeypatch):
    waits = []
    monkeypatch.setattr("time.sleep", waits.append)
    return waits


def test_a_call_of_the_trigger_is_repeated_when_it_says(waits):
    with trigger((503, {"Retry-After": "1"}), (503, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}), (202, {})) as (url, calls):
        run("trigger")["call_trigger"](url)
    assert (waits, calls) == ([1, 60], ["/connectors/hook/7/a-token/"] * 3)


def test_a_call_without_a_response_is_repeated(waits):
    with trigger() as (url, _):
        pass
    with pytest.raises(RuntimeError, match="none of 8 calls"):
        run("trigger")["call_trigger"](url)
    assert waits == [60] * 8


def test_a_replaced_address_of_the_trigger_is_not_called_again(waits):
    with trigger((404, {})) as (url, calls):
        with pytest.raises(RuntimeError, match="404") as error:
            run("trigger")["call_trigger"](url)
    assert (waits, len(calls)) == ([], 1)
    assert "a-token" not in str(error.value)
