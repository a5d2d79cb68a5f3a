import { startDeliveryDatabase } from "@sitewire/deliveries/fixtures/deliveryDatabase"
import { expect, test } from "vitest"
import { readCheck, requestCheck } from "../../test/fixtures/requestCheck.ts"
import { claimChecks } from "./claimChecks.ts"
import { createCheckStore } from "./storeCheck.ts"

const limits = { tests: 2, certifications: 1, leaseMs: 60_000 }

test("each kind has its own limit, the oldest is first, and what is claimed is not claimed again", async () => {
  const { sql } = await startDeliveryDatabase()
  const certifications: string[] = []
  for (let count = 0; count < 3; count += 1) {
    certifications.push(await requestCheck(sql, { channel: "acme" }))
    await requestCheck(sql, { channel: "acme", kind: "test" })
  }
  await sql(
    "insert into retired_secret (channel_id, secret_id, test_body, test_signature) values ('acme', 's', 'b', 'sha256=1')",
  )
  const [first, second] = [await claimChecks(sql, limits), await claimChecks(sql, limits)]
  expect(first.map(({ kind }) => kind).sort()).toEqual(["certification", "test", "test"])
  expect(first.find(({ kind }) => kind === "certification")).toMatchObject({
    id: certifications[0],
    claim: 1,
    channel: { id: "acme", address: "https://partner.example/" },
    retired: { body: Buffer.from("b"), signature: "sha256=1" },
  })
  expect(second.map(({ kind }) => kind).sort()).toEqual(["certification", "test"])
})

test("a process whose lease ended, and whose check was claimed again, writes nothing any more", async () => {
  const { sql } = await startDeliveryDatabase()
  const id = await requestCheck(sql, { channel: "acme" })
  const store = createCheckStore({ pool: { sql }, retry: (_, work) => work() })
  const [late] = await store.claim({ ...limits, leaseMs: -1 })
  const [current] = await store.claim(limits)
  if (!late || !current) throw new Error("the check was not claimed twice")
  expect([late.claim, current.claim]).toEqual([1, 2])
  expect(await store.save(late, { report: { points: [] }, leaseMs: 1 })).toBe("lost")
  await store.finish(late, { state: "done", report: { result: "passed" } })
  await store.release(late)
  expect(await readCheck(sql, id)).toMatchObject({ state: "running", claims: 2, report: null })
  expect(await store.save(current, { report: { points: [] }, leaseMs: 1 })).toBe("saved")
  await store.finish(current, { state: "done", report: { result: "failed", points: [] } })
  const [channel] = await sql("select last_certification from channel")
  expect(channel?.last_certification).toMatchObject({ id, result: "failed" })
})

test("a certification of another address does not count as the channel's", async () => {
  const { sql } = await startDeliveryDatabase()
  const store = createCheckStore({ pool: { sql }, retry: (_, work) => work() })
  const finish = async (address: string, result: string) => {
    const id = await requestCheck(sql, { channel: "acme", address })
    const [check] = await store.claim(limits)
    if (!check) throw new Error("the check was not claimed")
    await store.finish(check, { state: "done", report: { result, points: [] } })
    expect(await readCheck(sql, id)).toMatchObject({ state: "done", report: { result } })
    return id
  }
  const own = await finish("https://partner.example/", "failed")
  await finish("https://attacker.example/", "passed")
  const [channel] = await sql("select last_certification from channel")
  expect(channel?.last_certification).toMatchObject({ id: own, result: "failed" })
})

test("the poll reads only the index of unfinished checks", async () => {
  const { sql } = await startDeliveryDatabase()
  await sql(`insert into receiver_check (id, channel_id, kind, address, state, requested_by, finished_at)
    select n::text, 'acme', 'test', 'a', 'done', 'r', now() from generate_series(1, 5000) n`)
  await sql("analyze receiver_check")
  const plan = await sql<{
    "QUERY PLAN": string
  }>(`explain (analyze, buffers off) select id from receiver_check
    where finished_at is null and kind <> 'certification' and (lease_expires_at is null or lease_expires_at < now())
    order by created_at limit 5 for update skip locked`)
  expect(plan.map((row) => row["QUERY PLAN"]).join("\n")).toContain("receiver_check_unfinished_idx")
})
