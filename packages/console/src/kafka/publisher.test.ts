import { connectKafka } from "@sitewire/kafka"
import { freshTopics, silentLog, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { severableProxy } from "../../test/fixtures/severableProxy.ts"
import { KafkaUnavailable, startPublisher } from "./publisher.ts"

test("while Kafka is unavailable nothing is acknowledged; once it has recovered, records are", async () => {
  const topics = await freshTopics()
  const [host = "", port = ""] = (topics.kafka.brokers[0] ?? "").split(":")
  const proxy = await severableProxy({ host, port: Number(port) }, { severed: true })
  const states: boolean[] = []
  const publisher = startPublisher({
    kafka: connectKafka({ brokers: [`127.0.0.1:${proxy.port}`], clientId: "console", log: silentLog }),
    onState: (state) => states.push(state),
  })
  const publish = () => publisher.publish([{ topic: topics.names.sitePaid, key: "k", value: "{}" }])
  await waitUntil("the publisher to notice", () => states.includes(false))
  await expect(publish()).rejects.toThrow(KafkaUnavailable)
  proxy.restore()
  await waitUntil("the publisher to connect", () => states.at(-1) === true)
  await publish()
  await publisher.close(5_000)
  proxy.close()
})
