import { type Received, startReceiver } from "@sitewire/cli/receivers"
import { sign, standardWebhooksSecret } from "@sitewire/signing"
import { waitUntil } from "@sitewire/testkit"
import { Webhook } from "standardwebhooks"
import { expect, test } from "vitest"
import { paid, secret, startInstallation } from "../fixtures/testDispatcher.ts"
import { verifyInPython } from "../fixtures/verifyInPython.ts"

const newSecret = "the secret that comes after"

/** Whether a receiver with this secret accepts the request, according to both public libraries. */
async function accepts(request: Received, key: string): Promise<boolean> {
  const headers = Object.fromEntries(
    ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [
      name,
      String(request.headers[name]),
    ]),
  )
  const body = request.body.toString()
  const forLibraries = standardWebhooksSecret(key)
  const said = await verifyInPython({ secret: forLibraries, body, headers })
  let verified = true
  try {
    new Webhook(forLibraries).verify(body, headers)
  } catch {
    verified = false
  }
  expect(said).toBe(verified ? "verified" : "No matching signature found")
  return verified
}

test("during a rotation, X-Sitewire-Signature uses the active secret, and the Standard Webhooks headers use both", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  await it.sql("update channel set standard_webhooks = true")
  const dispatcher = await it.dispatcher()
  const deliver = async (id: string) => {
    await it.publishPaid([paid(id)])
    return waitUntil(`the delivery of ${id}`, () => partner.received.find(({ body }) => body.includes(id)))
  }
  const expectSigned = async (request: Received, by: { active: string; accepted: string[] }) => {
    expect(request.headers["x-sitewire-signature"]).toBe(sign(request.body, by.active))
    expect(request.headers["webhook-id"]).toBe(request.headers["x-sitewire-delivery"])
    for (const key of [secret, newSecret]) {
      expect(await accepts(request, key), key).toBe(by.accepted.includes(key))
    }
  }
  await expectSigned(await deliver("before"), { active: secret, accepted: [secret] })

  await it.stage("acme", newSecret)
  await expectSigned(await deliver("staged"), { active: secret, accepted: [secret, newSecret] })

  await it.sql(
    `update channel set secret_id = other_secret_id, secret_sealed = other_secret_sealed, other_secret_id = secret_id,
                        other_secret_sealed = secret_sealed, other_secret_state = 'retiring'`,
  )
  await expectSigned(await deliver("activated"), { active: newSecret, accepted: [secret, newSecret] })

  await it.sql(
    "update channel set other_secret_id = null, other_secret_sealed = null, other_secret_state = null",
  )
  await expectSigned(await deliver("retired"), { active: newSecret, accepted: [newSecret] })

  await it.sql("update channel set standard_webhooks = false")
  const plain = await deliver("switched-off")
  expect(Object.keys(plain.headers).filter((name) => name.startsWith("webhook-"))).toEqual([])

  const signers = await waitUntil("the records", async () => {
    const rows = await it.sql<{ secret_id: string }>("select secret_id from attempt order by started_at")
    return rows.length === 5 && rows.map((row) => row.secret_id)
  })
  const [old, later] = ["sec_acme", "sec_acme_staged"]
  expect(signers).toEqual([old, old, later, later, later])
  for (const revealed of [secret, newSecret]) expect(dispatcher.output()).not.toContain(revealed)
  await partner.close()
})

test("a secret that is activated while a delivery waits signs its next attempt, which has a new timestamp", async () => {
  await using it = await startInstallation({ retryDelaysMs: [1_200] })
  const partner = await startReceiver((_, response, before) => {
    response.writeHead(before === 0 ? 500 : 204).end()
  })
  await it.channel("acme", partner.url)
  await it.stage("acme", newSecret)
  await it.sql("update channel set standard_webhooks = true")
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil("the failed attempt", () => partner.received.length === 1)
  await it.sql(
    `update channel set secret_id = other_secret_id, secret_sealed = other_secret_sealed, other_secret_id = secret_id,
                        other_secret_sealed = secret_sealed, other_secret_state = 'retiring'`,
  )
  await waitUntil("the retry", () => partner.received.length === 2)
  const [first, second] = partner.received
  expect(first?.headers["x-sitewire-signature"]).toBe(sign(first?.body ?? "", secret))
  expect(second?.headers["x-sitewire-signature"]).toBe(sign(second?.body ?? "", newSecret))
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"])
  expect(Number(second?.headers["webhook-timestamp"])).toBeGreaterThan(
    Number(first?.headers["webhook-timestamp"]),
  )
  await partner.close()
})
