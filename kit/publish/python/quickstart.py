import os

from sitewire_publish import SitePaid, SitePaidPublisher

config = {"bootstrap.servers": os.environ["KAFKA_BROKERS"]}
topic = os.environ.get("TOPIC_PREFIX", "") + "site.paid"
with SitePaidPublisher(config, topic) as publisher:
    event = SitePaid(
        id="order-10042",
        channel="acme",
        reference="user-4711",
        site_url="https://bakery.example",
        console_url="https://console.example/bakery",
        name="Bakery",
        email="owner@bakery.example",
        created_at="2026-03-01T12:00:00+01:00",
    )
    stored = publisher.publish(event)
    print(f"{event.id} is stored: {stored}")
