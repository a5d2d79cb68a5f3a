import { expect, test } from "vitest"
import type { Logger } from "../logging/logger.ts"
import { waitForDependency } from "./waitForDependency.ts"

test("each failed check is logged, and the wait ends in an error that says what to do", async () => {
  const logged: object[] = []
  const log = { warn: (fields: object) => logged.push(fields) } as unknown as Logger
  const waiting = waitForDependency({
    name: "Kafka",
    check: () => Promise.reject(new Error("no broker of 127.0.0.1:1 responds: ECONNREFUSED")),
    deadlineMs: 500,
    remedy: "Start it, or correct KAFKA_BROKERS.",
    log,
  })
  await expect(waiting).rejects.toThrow(
    /^Kafka was unavailable .*127\.0\.0\.1:1 .*ECONNREFUSED.*KAFKA_BROKERS/,
  )
  expect(logged.length).toBeGreaterThan(1)
  expect(logged[0]).toMatchObject({ dependency: "Kafka", reason: expect.stringContaining("ECONNREFUSED") })
})
