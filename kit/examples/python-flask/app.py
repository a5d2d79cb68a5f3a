"""A receiver of site.ready in Flask. It stores the sites in memory, where you would use your database."""

import os
from threading import Lock

from flask import Flask, jsonify
from sitewire.flask import on_site_ready

# One secret, or two during a rotation. If there is none, the application stops here, and says so.
secrets = [secret for secret in os.environ["SITEWIRE_SECRETS"].split(",") if secret]

app = Flask(__name__)
sites = {}
lock = Lock()


@app.post("/webhook")
@on_site_ready(secrets)
def site_ready(event):
    # An upsert: the same event again changes nothing, and a correction replaces the site. A late retry of what was corrected
    # has a smaller delivery id, and is ignored.
    with lock:
        if event.site_url not in sites or event.delivery >= sites[event.site_url].delivery:
            sites[event.site_url] = event


@app.get("/sites")
def list_sites():
    """Only for the tests of this example. Do not copy it: it shows every site to anybody."""
    return jsonify([{"site_url": site.site_url, "name": site.name} for site in sites.values()])
