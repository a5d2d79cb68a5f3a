import { Kafka } from "kafkajs"
import { SitePaidPublisher } from "sitewire-publish"

const kafka = new Kafka({ brokers: process.env.KAFKA_BROKERS.split(",") })
const topic = `${process.env.TOPIC_PREFIX ?? ""}site.paid`
const publisher = new SitePaidPublisher(kafka, { topic })
try {
  const stored = await publisher.publish({
    id: "order-10042",
    channel: "acme",
    reference: "user-4711",
    site_url: "https://bakery.example",
    console_url: "https://console.example/bakery",
    name: "Bakery",
    email: "owner@bakery.example",
    created_at: "2026-03-01T12:00:00+01:00",
  })
  console.log(
    `order-10042 is stored: ${stored.topic}, partition ${stored.partition}, offset ${stored.offset}`,
  )
} finally {
  await publisher.close()
}
