import { randomUUID } from "node:crypto"
import type { Sql } from "@sitewire/database"
import { expect, test } from "vitest"
import { startDeliveryDatabase } from "../test/fixtures/deliveryDatabase.ts"
import { createClaimEnded, insertEnded, settleEnded } from "./ended.ts"

const settings = { most: 10, mostRepeated: 10, leaseMs: 60_000 }

const end = (sql: Sql, state: "delivered" | "dead") =>
  sql(
    `with ${insertEnded(`
       select $1::uuid, 'e', 'acme', $2::delivery_state, 1, case when $2 = 'dead' then now() end,
              case when $2 = 'dead' then 'timeout' end, null::int, 'c', null`)}
     select`,
    [randomUUID(), state],
  )

test("what a dispatcher has claimed and not settled before a kill is claimed again when its lease is over, the oldest first", async () => {
  const { sql } = await startDeliveryDatabase()
  await end(sql, "dead")
  await end(sql, "delivered")
  const killed = await createClaimEnded()(sql, settings)
  expect(killed).toMatchObject([
    { state: "dead", isNew: true, death: { error: "timeout", status: null } },
    { state: "delivered", isNew: true, death: null },
  ])
  const other = createClaimEnded()
  expect(await other(sql, settings)).toEqual([])
  await sql("update ended_delivery set lease_expires_at = now() - interval '1 second'")
  const repeated = await createClaimEnded()(sql, settings)
  expect(repeated.map(({ id, isNew }) => ({ id, isNew }))).toEqual(
    killed.map(({ id }) => ({ id, isNew: false })),
  )
  await settleEnded(sql, repeated)
  expect(await sql("select from ended_delivery")).toEqual([])
})

test("ends that were never claimed come first, and of the others as many as may be repeated", async () => {
  const { sql } = await startDeliveryDatabase()
  await end(sql, "dead")
  await end(sql, "dead")
  await createClaimEnded()(sql, settings)
  await sql("update ended_delivery set lease_expires_at = now() - interval '1 second'")
  await end(sql, "delivered")
  const claimed = async (most: number, mostRepeated: number) =>
    (await createClaimEnded()(sql, { ...settings, most, mostRepeated })).map(({ state }) => state)
  expect(await claimed(1, 10)).toEqual(["delivered"])
  expect(await claimed(10, 0)).toEqual([])
  expect(await claimed(10, 1)).toEqual(["dead"])
  expect(await claimed(10, 10)).toEqual(["dead"])
})
