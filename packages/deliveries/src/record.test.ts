import { expect, test } from "vitest"
import { startDeliveryDatabase } from "../test/fixtures/deliveryDatabase.ts"
import { plainAttempt } from "../test/fixtures/plainAttempt.ts"
import { type AttemptRecord, recordAttempts } from "./record.ts"

test("an attempt is stored with all its fields", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  const attempt: AttemptRecord = {
    ...plainAttempt,
    deliveryId: await insert(),
    status: 500,
    error: "status",
    detail: "as the network said",
    responseExcerpt: Buffer.from("not now"),
    state: "pending",
    scheduled: { delayMs: 60_000, failures: 1 },
  }
  await recordAttempts(sql, [attempt], { publishOutcomes: false })
  expect(await sql("select * from attempt")).toEqual([
    {
      delivery_id: attempt.deliveryId,
      number: 1,
      started_at: attempt.startedAt,
      duration_ms: 12.5,
      lookup_ms: null,
      connect_ms: 0.25,
      tls_ms: null,
      first_byte_ms: 11,
      ip: "192.0.2.1",
      url: "https://partner.example/hook",
      request_headers: attempt.requestHeaders,
      status: 500,
      error: "status",
      detail: "as the network said",
      secret_id: "sec_1",
      response_excerpt: attempt.responseExcerpt,
    },
  ])
})
