import { expect, test } from "vitest"
import { startDeliveryDatabase } from "../test/fixtures/deliveryDatabase.ts"
import { plainAttempt } from "../test/fixtures/plainAttempt.ts"
import type { AttemptRecord } from "./attempt.ts"
import { recordAttempts } from "./record.ts"

test("an attempt is stored with all its fields", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  const attempt: AttemptRecord = {
    ...plainAttempt,
    delivery_id: await insert(),
    status: 500,
    error: "status",
    detail: "as the network said",
    response_excerpt: Buffer.from("not now"),
    state: "pending",
    scheduled: { delayMs: 60_000, failures: 1 },
  }
  await recordAttempts(sql, [attempt], { publishOutcomes: false })
  const { state, scheduled, elapsed_ms, attempt_traceparent, claim, ...row } = attempt
  expect(await sql("select * from attempt")).toEqual([row])
})
