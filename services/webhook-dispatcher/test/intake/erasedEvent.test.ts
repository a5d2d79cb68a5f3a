import { startReceiver } from "@sitewire/cli/receivers"
import { subjectOf } from "@sitewire/contracts"
import { readDigestKey, readSealingKeys, storedSubject } from "@sitewire/database"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

test("an event that names an erased person, published before the erasure was requested, is neither stored nor sent", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  await it.publishPaid([paid("erased", { email: "Gone@Shop.example" }), paid("other")])
  const digestKey = await readDigestKey(it.sql, readSealingKeys(it.sealingKeys))
  await it.sql(
    `insert into job (id, kind, state, filter, reason, requested_by)
     values ('job_1', 'erasure', 'running', $1::jsonb, 'r', 'k')`,
    [JSON.stringify(storedSubject(digestKey, subjectOf({ email: "gone@shop.example" })))],
  )
  const dispatcher = await it.dispatcher()
  await waitUntil("the other delivery", () => partner.received.length > 0)
  const rows = await waitUntil("both rows", async () => {
    const found = await it.sql(
      "select event_id, state, attempts, length(body) > 0 as body, length(body_sha256) > 0 as digest, reference_key is null and site_key is null as unsearchable from delivery order by 1",
    )
    return found.length === 2 && found.every(({ state }) => state !== "pending") && found
  })
  expect(rows).toEqual([
    { event_id: "erased", state: "erased", attempts: 0, body: false, digest: false, unsearchable: true },
    { event_id: "other", state: "delivered", attempts: 1, body: true, digest: true, unsearchable: false },
  ])
  // A later copy of the event is a duplicate.
  await it.publishPaid([paid("erased", { email: "gone@shop.example" }), paid("last")])
  await waitUntil("the last one", () => partner.received.length === 2)
  expect(partner.received.some(({ body }) => body.includes("gone@shop.example"))).toBe(false)
  const metrics = await dispatcher.metrics()
  expect(metrics).toMatch(/^sitewire_site_paid_total\{outcome="erased".*\} 1$/m)
  expect(dispatcher.output().toLowerCase()).not.toContain("gone@")
  await partner.close()
})
