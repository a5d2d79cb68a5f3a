import { mostCounted } from "@sitewire/contracts"
import { expect, test } from "vitest"
import { startJobs } from "../../../test/fixtures/jobs.ts"

const none = { delivered: 0, pending: 0, dead: 0, cancelled: 0, erased: 0 }
const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

test("a resend shows what became of its deliveries, and its list has the same ones", async () => {
  await using it = await startJobs()
  const ids = await it.deliveries(6, { days: 3, state: "dead" })
  const delivered = await it.deliveries(2, { days: 2.9, state: "delivered" })
  await it.deliveries(3, { days: 2, state: "dead" })
  const outcomeOf = async (id: string) => (await it.call("GET", `/v1/jobs/${id}`)).json.outcome
  const listed = async (query: string) =>
    ((await it.call("GET", `/v1/deliveries?${query}`)).json.data as { id: string }[]).map(({ id }) => id)
  const filter = { created_after: day(3.5), created_before: day(2.5) }
  const { id } = await it.complete("resend", { filter, reason: "r", per_second: 500 })
  // Those that were delivered before wait, too.
  expect(await outcomeOf(id)).toEqual({ ...none, pending: 8 })

  const [dead = "", cancelled = "", erased = "", later = ""] = ids
  await it.sql("delete from waiting_delivery where delivery_id <> $1", [ids[5]])
  for (const [state, one] of Object.entries({ dead, cancelled, erased, delivered: ids[4] }))
    await it.sql("update delivery set state = $1::delivery_state where id = $2", [state, one])
  const single = await it.call("POST", `/v1/deliveries/${later}/resend`)
  expect(await outcomeOf(id)).toEqual({ delivered: 3, pending: 1, dead: 1, cancelled: 1, erased: 1 })
  expect(await outcomeOf(single.json.job as string)).toEqual({ ...none, pending: 1 })
  expect(await listed(`job=${id}&state=dead`)).toEqual([dead])
  expect(await listed(`job=${id}`)).toEqual(
    [...ids, ...delivered]
      .filter((one) => one !== later)
      .toSorted()
      .toReversed(),
  )
  const { id: erasure } = await it.begin("erasure", { email: "nobody@shop.example", reason: "r" })
  expect(await outcomeOf(erasure)).toBeNull()
})

test("a resend's outcome is counted up to a limit", async () => {
  await using it = await startJobs()
  const { id } = await it.complete("resend", { filter: { state: "dead" }, reason: "r" })
  await it.sql(
    `insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, state, last_job)
     select (substring(id::text, 1, 24) || lpad(n::text, 12, '0'))::uuid, n::text, channel_id, body, body_sha256, 'c', 'dead', $1
       from delivery, generate_series(2, ${mostCounted} + 2) as n where id = $2`,
    [id, (await it.deliveries(1, { days: 1 }))[0]],
  )
  expect((await it.call("GET", `/v1/jobs/${id}`)).json.outcome).toEqual({ ...none, dead: mostCounted })
})
