import { randomUUID } from "node:crypto"
import { createLogger } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { logPublished } from "./processBatch.ts"

test("every published record is in a line, also with the longest ids and with traces", () => {
  let text = ""
  const append = (line: string) => {
    text += line
  }
  const log = createLogger({ service: "test", level: "info" }, { write: append })
  const records = Array.from({ length: 256 }, (_, at) => ({
    record: {
      connection: String(at).padEnd(64, "x"),
      first_at: "2030-01-02T03:04:05.678Z",
      last_at: "2030-01-02T03:04:05.678Z",
      count: 1_000_000_000,
      correlation: randomUUID(),
    },
    traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
  }))
  logPublished(log, records)
  const lines = text.trim().split("\n")
  expect(lines.flatMap((line) => JSON.parse(line).triggered)).toEqual(
    records.map(({ record: { connection, correlation, count } }) => ({
      connection,
      correlation,
      count,
      trace_id: "a".repeat(32),
      span_id: "b".repeat(16),
    })),
  )
})
