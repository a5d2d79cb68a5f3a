import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { connectKafka } from "../src/client/connectKafka.ts"
import type { Log } from "../src/client/log.ts"
import { startConsumer } from "../src/consumer/startConsumer.ts"
import { silentLog, uniqueName } from "./fixtures/realBroker.ts"

test("a join that fails after a long time was no membership, so the delay before the next one grows", async () => {
  const stableMs = 200
  const delays: number[] = []
  // The first join fails at once, the second after more than that time.
  let slow: Promise<unknown> | undefined
  const broker = createServer(async (socket) => {
    socket.on("error", () => {})
    if (delays.length === 1) slow ??= sleep(2 * stableMs)
    if (delays.length >= 1) await slow
    socket.destroy()
  })
  broker.listen(0, "127.0.0.1")
  await once(broker, "listening")
  const log: Log = {
    ...silentLog,
    warn(fields, message) {
      if (message === "consumer restarts" && "retryInMs" in fields) delays.push(Number(fields.retryInMs))
    },
  }
  const { port } = broker.address() as AddressInfo
  const kafka = connectKafka({ brokers: [`127.0.0.1:${port}`], clientId: "kafka-tests", log })
  const started = startConsumer({
    kafka,
    group: uniqueName("group"),
    topics: [{ topic: "t" }],
    maxOutstanding: 1,
    startDeadlineMs: 3_000,
    stableMs,
    onRecords: () => {},
  })
  await expect(started).rejects.toThrow("could not be joined")
  expect(delays.slice(0, 2)).toEqual([200, 400])
  broker.close()
})
