import json
import os
import threading
import unittest
from pathlib import Path
from unittest import mock

from confluent_kafka import KafkaException

from sitewire_publish import InvalidSitePaidError, SitePaid, SitePaidPublisher

VECTORS = json.loads(Path(os.environ["VECTORS"]).read_text("utf-8"))
VALID = [vector for vector in VECTORS if vector["field"] is None]
INVALID = [vector for vector in VECTORS if vector["field"] is not None]
BROKERS = os.environ.get("KAFKA_BROKERS")
TOPIC = os.environ.get("TOPIC_PREFIX", "") + "site.paid"
# Nothing listens here.
NOWHERE = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0}


class PublisherTest(unittest.TestCase):
    def test_the_producer_waits_for_all_replicas_and_is_idempotent(self):
        own = {"acks": "1", "request.required.acks": "0", "enable.idempotence": False}
        with mock.patch("sitewire_publish.publisher.Producer") as producer:
            SitePaidPublisher({**NOWHERE, **own, "compression.type": "zstd"})
        (settings,) = producer.call_args.args
        expected = {
            "acks": "all",
            "enable.idempotence": True,
            "compression.type": "none",
        }
        self.assertEqual(settings, {**settings, **expected})
        names = list(settings)
        self.assertGreater(names.index("acks"), names.index("request.required.acks"))

    def test_half_of_a_surrogate_pair_is_refused(self):
        with self.assertRaises(InvalidSitePaidError) as caught:
            publish(Nowhere(), {**VALID[0]["event"], "name": "\ud83e"})
        self.assertEqual(caught.exception.field, "name")

    def test_an_event_without_acknowledgement_is_an_error(self):
        publisher = SitePaidPublisher({**NOWHERE, "message.timeout.ms": 200})
        with self.assertRaises(KafkaException):
            publisher.publish(VALID[0]["event"])

    @unittest.skipUnless(BROKERS, "KAFKA_BROKERS is not set")
    def test_the_real_broker_stores_every_valid_event_also_from_several_threads(self):
        stored = []
        with SitePaidPublisher({"bootstrap.servers": BROKERS}, TOPIC) as publisher:
            threads = [
                threading.Thread(
                    target=lambda v=vector: stored.append(
                        publisher.publish(v["event"], **v.get("headers", {}))
                    )
                )
                for vector in VALID
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(len(set(stored)), len(VALID))


class Nowhere:
    """A producer that only notes what it gets."""

    def __init__(self):
        self.produced = []

    def produce(self, topic, *, on_delivery, **record):
        self.produced.append(record)
        message = mock.Mock()
        message.topic.return_value = topic
        on_delivery(None, message)


def publish(producer, event, headers=None):
    with mock.patch("sitewire_publish.publisher.Producer", return_value=producer):
        SitePaidPublisher(NOWHERE).publish(event, **(headers or {}))


def valid_test(vector):
    def test(self):
        event, headers = vector["event"], vector.get("headers", {})
        fields = {name: event[name] for name in SitePaid.__dataclass_fields__}
        for form in (event, SitePaid(**fields)):
            producer = Nowhere()
            publish(producer, form, headers)
            (record,) = producer.produced
            self.assertEqual(record["key"].decode(), event["id"])
            self.assertEqual(json.loads(record["value"]), fields)
            self.assertEqual(record["headers"], headers)

    return test


def invalid_test(vector):
    def test(self):
        producer = Nowhere()
        with self.assertRaises(InvalidSitePaidError) as caught:
            publish(producer, vector["event"], vector.get("headers"))
        self.assertEqual(caught.exception.field, vector["field"])
        form = f"^site.paid was not published: {vector['field']} [^.]+\\. [A-Z].+\\.$"
        self.assertRegex(str(caught.exception), form)
        self.assertNotIn("s3cret", str(caught.exception))
        self.assertEqual(producer.produced, [])

    return test


for _vector in VALID:
    setattr(PublisherTest, f"test_published: {_vector['name']}", valid_test(_vector))
for _vector in INVALID:
    setattr(PublisherTest, f"test_refused: {_vector['name']}", invalid_test(_vector))

if __name__ == "__main__":
    unittest.main()
