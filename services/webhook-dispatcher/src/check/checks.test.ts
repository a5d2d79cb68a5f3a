import { startDeliveryDatabase } from "@sitewire/deliveries/fixtures/deliveryDatabase"
import { expect, test } from "vitest"
import { readCheck, requestCheck } from "../../test/fixtures/requestCheck.ts"
import { claimChecks, finishCheck, releaseCheck } from "./checks.ts"

const limits = { limit: 2, leaseMs: 60_000, sealNew: () => Buffer.of() }

test("as many as the limit are claimed, the oldest first, and none of them again", async () => {
  const { sql } = await startDeliveryDatabase()
  const ids: string[] = []
  for (let count = 0; count < 3; count += 1) ids.push(await requestCheck(sql, { channel: "acme" }))
  const [first, second] = [await claimChecks(sql, limits), await claimChecks(sql, limits)]
  expect(first.map(({ id }) => id).sort()).toEqual(ids.slice(0, 2).sort())
  expect(first[0]).toMatchObject({
    claim: 1,
    channel: { channel_id: "acme", address: "https://partner.example/" },
  })
  expect(second.map(({ id }) => id)).toEqual(ids.slice(2))
})

test("a process whose lease ended, and whose check was claimed again, writes nothing any more", async () => {
  const { sql } = await startDeliveryDatabase()
  await sql("update channel set other_secret_id = 'sec_2'")
  const id = await requestCheck(sql, { channel: "acme", kind: "secret_test" })
  const [late] = await claimChecks(sql, { ...limits, leaseMs: -1 })
  const [current] = await claimChecks(sql, limits)
  if (!late || !current) throw new Error("the check was not claimed twice")
  expect([late.claim, current.claim]).toEqual([1, 2])
  const report = (status: number) => ({ attempt: { secret_id: "sec_2", status, error: null } })
  await finishCheck(sql, late, { state: "done", report: report(204) })
  await releaseCheck(sql, late)
  expect(await readCheck(sql, id)).toMatchObject({ state: "running", claims: 2, report: null })
  await finishCheck(sql, current, { state: "done", report: report(201) })
  const [channel] = await sql("select other_secret_test from channel")
  const address = "https://partner.example/"
  expect(channel?.other_secret_test).toMatchObject({ address, secret_id: "sec_2", status: 201, error: null })
})

test("the poll reads only the index of unfinished checks", async () => {
  const { sql } = await startDeliveryDatabase()
  await sql(`insert into receiver_check (id, channel_id, kind, address, state, requested_by, finished_at)
    select n::text, 'acme', 'test', 'a', 'done', 'r', now() from generate_series(1, 5000) n`)
  await sql("analyze receiver_check")
  const plan = await sql<{
    "QUERY PLAN": string
  }>(`explain (analyze, buffers off) select id from receiver_check
    where finished_at is null and (lease_expires_at is null or lease_expires_at < now())
    order by created_at limit 5 for update skip locked`)
  expect(plan.map((row) => row["QUERY PLAN"]).join("\n")).toContain("receiver_check_unfinished_idx")
})
