import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { realBroker } from "../../../test/fixtures/realBroker.ts"
import { createClient } from "../createClient.ts"

test("a client connects although the first broker of its list accepts connections and never responds", async () => {
  const hanging = createServer((socket) => socket.on("error", () => {}).resume()).listen(0, "127.0.0.1")
  await once(hanging, "listening")
  onTestFinished(() => void hanging.close())
  const kafka = realBroker()
  const { port } = hanging.address() as AddressInfo
  const brokers = [`127.0.0.1:${port}`, ...kafka.brokers]
  const admin = createClient({ ...kafka, brokers }, { requestTimeoutMs: 500, retries: 2 }).admin()
  onTestFinished(() => admin.disconnect())
  await admin.connect()
  expect(await admin.fetchTopicMetadata({ topics: [] })).toHaveProperty("topics")
})
