"""Publishes Sitewire's event site.paid: typed, and checked before the broker."""

from .publisher import SitePaidPublisher, Stored
from .rules import InvalidSitePaidError
from .site_paid import SitePaid

__all__ = ["InvalidSitePaidError", "SitePaid", "SitePaidPublisher", "Stored"]
