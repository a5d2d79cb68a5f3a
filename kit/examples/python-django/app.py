"""A receiver of site.ready in Django, in one file. It stores the sites in memory, where you would use a model."""

import os
from threading import Lock

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import path
from sitewire.django import on_site_ready

settings.configure(
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    # One secret, or two during a rotation.
    SITEWIRE_SECRETS=[secret for secret in os.environ["SITEWIRE_SECRETS"].split(",") if secret],
)
sites = {}
lock = Lock()


# If there is no secret, the application stops here, and says so.
@on_site_ready(settings.SITEWIRE_SECRETS)
def site_ready(event):
    # An upsert: the same event again changes nothing, and a correction replaces the site. A late retry of what was corrected
    # has a smaller delivery id, and is ignored.
    with lock:
        if event.site_url not in sites or event.delivery >= sites[event.site_url].delivery:
            sites[event.site_url] = event


def list_sites(request):
    """Only for the tests of this example. Do not copy it: it shows every site to anybody."""
    return JsonResponse([{"site_url": site.site_url, "name": site.name} for site in sites.values()], safe=False)


urlpatterns = [path("webhook", site_ready), path("sites", list_sites)]
app = get_wsgi_application()
