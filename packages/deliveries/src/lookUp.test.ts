import { subjectOf } from "@sitewire/contracts"
import { readDigestKey, type Sql, storedSubject } from "@sitewire/database"
import { expect, test } from "vitest"
import { sealingKeys } from "../test/fixtures/addErasure.ts"
import { startDeliveryDatabase } from "../test/fixtures/deliveryDatabase.ts"
import { newDelivery } from "../test/fixtures/newDelivery.ts"
import { createErasureList, lookUpEvents } from "./lookUp.ts"
import { store } from "./store.ts"

const person = { email: "kim@shop.example" }

test.each([
  ["requested", { state: "erased", named: false, deferred: false }],
  ["cancelled", { state: "pending", named: true, deferred: true }],
])(
  "an erasure that is %s after a dispatcher checked an event, and before it stored it, decides about the event",
  async (change, expected) => {
    const { sql } = await startDeliveryDatabase()
    const digestKey = await readDigestKey(sql, sealingKeys)
    const request = () =>
      sql(
        "insert into job (id, kind, filter, reason, requested_by) values ('job_1', 'erasure', $1, 'r', 'k')",
        [JSON.stringify(storedSubject(digestKey, subjectOf(person)))],
      )
    const meanwhile = [
      change === "requested" ? request : () => sql("update job set state = 'cancelled' where id = 'job_1'"),
    ]
    const suspended: Sql = async (text, values, name) => {
      if (name === "store-deliveries") await meanwhile.pop()?.()
      return sql(text, values, name)
    }
    const erasures = createErasureList({ sql, sealingKeys })
    if (change === "cancelled") await request()
    const body = Buffer.from(JSON.stringify(person))
    const delivery = newDelivery("kim", { body, appendedAt: Date.now() })
    expect(await lookUpEvents(sql, erasures, [delivery])).toMatchObject([{ erased: change === "cancelled" }])
    const deferral = { id: delivery.id, reason: "busy", attempt: 1, failures: 0, elapsedMs: null } as const
    const outcome = { delivery, attempt: null, deferral }
    await store(suspended, erasures, [outcome], { digestKey, publishOutcomes: false })
    const rows = await sql(
      `select state::text, convert_from(body, 'utf8') like '%kim@%' as named,
              exists (select from waiting_delivery where delivery_id = id and deferred_reason = 'busy') as deferred
         from delivery`,
    )
    expect(rows).toEqual([expected])
  },
)
