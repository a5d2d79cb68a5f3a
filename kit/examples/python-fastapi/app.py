"""A receiver of site.ready in FastAPI. It stores the sites in memory, where you would use your database."""

import os

from fastapi import FastAPI
from sitewire import SiteReady
from sitewire.fastapi import on_site_ready

# One secret, or two during a rotation. If there is none, the application stops here, and says so.
secrets = [secret for secret in os.environ["SITEWIRE_SECRETS"].split(",") if secret]

app = FastAPI()
sites: dict[str, SiteReady] = {}


@app.post("/webhook", status_code=204)
@on_site_ready(secrets)
async def site_ready(event: SiteReady) -> None:
    # An upsert: the same event again changes nothing, and a correction replaces the site. A late retry of what was corrected
    # has a smaller delivery id, and is ignored.
    if event.site_url not in sites or event.delivery >= sites[event.site_url].delivery:
        sites[event.site_url] = event


@app.get("/sites")
async def list_sites() -> list[dict[str, str]]:
    """Only for the tests of this example. Do not copy it: it shows every site to anybody."""
    return [{"site_url": site.site_url, "name": site.name} for site in sites.values()]
