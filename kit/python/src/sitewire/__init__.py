"""Verifies `site.ready` deliveries, and requests of the service to a data source."""

from sitewire.errors import Fault, WebhookError
from sitewire.event import SiteReady
from sitewire.headers import Headers
from sitewire.secrets import Secrets
from sitewire.verify import construct_event, verify_source_request

__version__ = "0.1.0"
__all__ = [
    "Fault",
    "Headers",
    "Secrets",
    "SiteReady",
    "WebhookError",
    "construct_event",
    "verify_source_request",
]
