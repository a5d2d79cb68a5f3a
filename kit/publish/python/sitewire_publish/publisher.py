"""The publisher."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import NamedTuple

from confluent_kafka import KafkaException, Producer

from .rules import check_event, check_headers
from .site_paid import SitePaid

_OWN = {
    "enable.idempotence": True,
    "acks": "all",
    "compression.type": "none",
    "allow.auto.create.topics": False,
    # As Kafka's own client, so that an event has the same partition in every language.
    "partitioner": "murmur2_random",
}


class Stored(NamedTuple):
    """Where the record is stored."""

    topic: str
    partition: int
    offset: int


class SitePaidPublisher:
    """Publishes site.paid with the event's id as the key, acks=all and idempotence.

    One for a process is enough; several threads can share it. It is a context manager.
    """

    def __init__(self, config: Mapping[str, object], topic: str = "site.paid") -> None:
        """Starts a producer, which connects in the background.

        :param config: settings of confluent-kafka, such as ``bootstrap.servers`` and the
            login. Settings that this class needs, such as ``acks``, replace yours.
        :param topic: the TOPIC_PREFIX of the installation and ``site.paid``.
        :raises confluent_kafka.KafkaException: if a setting is invalid.
        """
        self._topic = topic
        given = {name: value for name, value in config.items() if name not in _OWN}
        # The own settings come last, so that they also replace aliases of their names.
        self._producer = Producer({"message.timeout.ms": 40_000, **given, **_OWN})

    def publish(
        self,
        event: SitePaid | Mapping[str, object],
        *,
        correlation: str | None = None,
        traceparent: str | None = None,
    ) -> Stored:
        """Returns when all in-sync replicas have stored the event.

        :param event: the event, or its fields by name; other fields are not published.
        :param correlation: 1 to 200 printable ASCII characters, which follow the event
            through all log lines.
        :param traceparent: your trace, which the delivery continues.
        :raises InvalidSitePaidError: if a field breaks a rule. Nothing was sent.
        :raises confluent_kafka.KafkaException: without an acknowledgement after 40 s
            (``message.timeout.ms``). The event may be stored all the same: publish the
            same event again, because a second one with the same id is ignored.
        """
        fields = check_event(asdict(event) if isinstance(event, SitePaid) else event)
        given = {"correlation": correlation, "traceparent": traceparent}
        headers = check_headers(given)
        ended: list[tuple] = []
        self._producer.produce(
            self._topic,
            key=fields["id"].encode(),
            value=json.dumps(fields, ensure_ascii=False).encode(),
            headers=headers,
            on_delivery=lambda error, record: ended.append((error, record)),
        )
        while not ended:
            self._producer.poll(0.1)
        error, record = ended[0]
        if error is not None:
            raise KafkaException(error)
        return Stored(record.topic(), record.partition(), record.offset())

    def close(self) -> None:
        """Waits for events that other threads are publishing."""
        self._producer.flush()

    def __enter__(self) -> "SitePaidPublisher":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
