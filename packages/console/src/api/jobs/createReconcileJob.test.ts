import { expect, test } from "vitest"
import { startConsole } from "../../../test/fixtures/startConsole.ts"

const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
const day = 86_400_000

test("a reconciliation's period must begin within the retentions of Kafka and of deliveries", async () => {
  const console = await startConsole({ deliveryRetentionMs: 2 * day })
  const other = await startConsole()
  const create = (it: typeof console, body: object) => it.call("POST", "/v1/jobs/reconcile", { body })
  expect(await create(console, { created_after: ago(2 * day + 1_000) })).toMatchObject({
    status: 400,
    text: expect.stringContaining("must be at most 2d ago, because older deliveries are deleted (RETENTION)"),
  })
  expect(await create(other, { created_after: ago(7 * day + 1_000) })).toMatchObject({
    status: 400,
    text: expect.stringContaining("must be at most 7d ago, because Kafka deletes older events and triggers"),
  })
  const reversed = { created_after: ago(1_000), created_before: ago(2_000) }
  expect((await create(other, reversed)).status).toBe(400)
  expect((await create(other, {})).status).toBe(400)
  const created_after = ago(day)
  const { status, json } = await create(console, { created_after, created_before: ago(-day), reason: "r" })
  expect(status).toBe(202)
  const { created_before } = json.filter as Record<string, string>
  expect(json).toMatchObject({ kind: "reconcile", exceptions: [], filter: { created_after } })
  expect(Date.parse(created_before ?? "")).toBeLessThanOrEqual(Date.now())
  await console.close()
  await other.close()
})
