import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { startConsole } from "../../../test/fixtures/startConsole.ts"

/** Reading so many rows takes Postgres many times as long as the limit. */
const many = 100_000
const searchWithinMs = 5

test("a search that reads too many deliveries ends with advice, and succeeds once its time is narrowed", async () => {
  const console = await startConsole({ searchWithinMs })
  onTestFinished(() => console.close())
  await console.call("POST", "/v1/channels", { body: { id: "acme", address: "https://partner.example/" } })
  await console.pool.sql(
    `insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, state, attempts, created_at)
     select uuidv7(), at::text, 'acme', '', '', 'c', 'dead', 1, now() from generate_series(1, ${many}) as at`,
  )
  const search = (more = "") =>
    console.call("GET", `/v1/deliveries?channel=acme&state=delivered&limit=10${more}`)

  const { status, json } = await search()
  expect({ status, code: json.code }).toEqual({ status: 422, code: "search-too-broad" })
  expect(json.detail).toContain("created_after")

  const later = `&created_after=${new Date(Date.now() + 3_600_000).toISOString()}`
  // On a busy machine, any statement can take longer than this test's limit.
  const narrowed = await waitUntil("a search that is not ended", async () => {
    const response = await search(later)
    return response.status === 200 && response
  })
  expect(narrowed.json.data).toEqual([])
})
