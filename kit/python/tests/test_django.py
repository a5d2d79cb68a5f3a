import io
from types import SimpleNamespace

import django
from adapter_contract import SECRET, AdapterContract
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client
from django.urls import path
from sitewire.django import on_site_ready
from sitewire.testing import EXAMPLE, sign_delivery

urlpatterns = []


def read_body(get_response):
    """A middleware as some applications have it."""

    def middleware(request):
        if "X-Read" in request.headers:
            assert request.body
        return get_response(request)

    return middleware


settings.configure(
    SECRET_KEY="only for tests",
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["*"],
    MIDDLEWARE=[f"{__name__}.read_body", "django.middleware.csrf.CsrfViewMiddleware"],
    LOGGING_CONFIG=None,
)
django.setup()


class TestDjango(AdapterContract):
    def start(self, handle, secrets, **options):
        urlpatterns[:] = [path("webhook", on_site_ready(secrets, **options)(handle))]
        client = Client(enforce_csrf_checks=True, raise_request_exception=False)

        def send(body, headers):
            names = {"HTTP_" + name.upper().replace("-", "_"): value for name, value in headers.items()}
            return client.post("/webhook", body, "application/json", **names)

        def post(body, headers):
            response = send(body, headers)
            return response.status_code, response.content

        def answer(body, headers):
            return {name.lower(): value for name, value in send(body, headers).headers.items()}

        def post_endless(stream):
            # Not with the Client, which reads the body before it sends it.
            environ = {
                "REQUEST_METHOD": "POST",
                "PATH_INFO": "/webhook",
                "SERVER_NAME": "localhost",
                "SERVER_PORT": "80",
                "CONTENT_LENGTH": str(5 << 20),
                "wsgi.input": stream,
                "wsgi.errors": io.StringIO(),
                "wsgi.url_scheme": "http",
            }
            started = []
            response = b"".join(WSGIHandler()(environ, lambda status, headers: started.append(int(status[:3]))))
            return started[0], response

        return SimpleNamespace(post=post, answer=answer, post_endless=post_endless)

    def test_a_middleware_may_have_read_the_body(self, client, events):
        body, headers = sign_delivery(EXAMPLE, SECRET)
        assert client.post(body, {**headers, "X-Read": "yes"})[0] == 204
        assert events == [EXAMPLE]

    def test_only_post(self, client):
        assert Client().get("/webhook").status_code == 405
