import { expect, test } from "vitest"
import { connectKafka } from "./connectKafka.ts"
import { createClient } from "./createClient.ts"
import { forwardKafkajsLog } from "./forwardKafkajsLog.ts"
import type { Log } from "./log.ts"

function collect() {
  const lines: { level: string; fields: { detail?: string }; message: string }[] = []
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields, message })
  const log: Log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") }
  return { log, lines }
}

test("the content of records is never logged, whatever the log level of kafkajs", () => {
  const { log, lines } = collect()
  const write = forwardKafkajsLog(log)(5)
  const content = {
    payload: { key: "someone@example.org" },
    data: "secret",
    topic: "site.paid",
    retryCount: 2,
  }
  write({
    namespace: "Connection",
    level: 5,
    label: "DEBUG",
    log: { timestamp: "", message: "Response", ...content },
  })
  expect(lines).toEqual([
    {
      level: "debug",
      fields: { detail: "Response", kafkajs: "Connection", topic: "site.paid", retryCount: 2 },
      message: "the Kafka client reports",
    },
  ])
})

test("an unavailable broker causes one warning, not one per retry", async () => {
  const { log, lines } = collect()
  const kafka = connectKafka({ brokers: ["127.0.0.1:1"], clientId: "test", log })
  await expect(
    createClient(kafka, { requestTimeoutMs: 1_000, retries: 4 }).admin().connect(),
  ).rejects.toThrow()
  const warnings = lines.filter(({ level }) => level === "warn").map(({ fields }) => fields.detail)
  expect(warnings).toEqual([...new Set(warnings)])
  expect(warnings.join()).toMatch(/ECONNREFUSED/)
  expect(lines.length).toBeGreaterThan(warnings.length)
})
