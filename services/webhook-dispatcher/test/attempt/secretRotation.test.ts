import { type Received, startReceiver } from "@sitewire/cli/receivers"
import { sign, standardWebhooksSecret } from "@sitewire/signing/sender"
import { waitUntil } from "@sitewire/testkit"
import { Webhook } from "standardwebhooks"
import { expect, test } from "vitest"
import { paid, secret, startInstallation, type TestInstallation } from "../fixtures/testDispatcher.ts"

const newSecret = "the secret that comes after"

const activate = (it: TestInstallation) =>
  it.sql(
    `update channel set secret_id = other_secret_id, secret_sealed = other_secret_sealed, other_secret_id = secret_id,
                        other_secret_sealed = secret_sealed, other_secret_state = 'retiring'`,
  )

/**
 * Whether a receiver with this secret accepts the request, according to the public library for JavaScript. For the one
 * for Python: standardWebhooks.extended.test.ts.
 */
function accepts(request: Received, key: string): boolean {
  const headers = Object.fromEntries(
    ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [
      name,
      String(request.headers[name]),
    ]),
  )
  try {
    new Webhook(standardWebhooksSecret(key)).verify(request.body.toString(), headers)
    return true
  } catch {
    return false
  }
}

test("during a rotation, X-Sitewire-Signature uses the active secret, and the Standard Webhooks headers use both", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const dispatcher = await it.dispatcher()
  const deliver = async (id: string) => {
    await it.publishPaid([paid(id)])
    return waitUntil(`the delivery of ${id}`, () => partner.received.find(({ body }) => body.includes(id)))
  }
  const expectSigned = (request: Received, by: { active: string; accepted: string[] }) => {
    expect(request.headers["x-sitewire-signature"]).toBe(sign(request.body, by.active))
    expect(request.headers["webhook-id"]).toBe(request.headers["x-sitewire-delivery"])
    for (const key of [secret, newSecret]) {
      expect(accepts(request, key), key).toBe(by.accepted.includes(key))
    }
  }
  expectSigned(await deliver("before"), { active: secret, accepted: [secret] })

  await it.stage("acme", newSecret)
  expectSigned(await deliver("staged"), { active: secret, accepted: [secret, newSecret] })

  await activate(it)
  expectSigned(await deliver("activated"), { active: newSecret, accepted: [secret, newSecret] })

  await it.sql(
    "update channel set other_secret_id = null, other_secret_sealed = null, other_secret_state = null",
  )
  expectSigned(await deliver("retired"), { active: newSecret, accepted: [newSecret] })

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
  const partner = await startReceiver(async (_, response, before) => {
    if (before === 0) await activate(it)
    response.writeHead(before === 0 ? 500 : 204).end()
  })
  await it.channel("acme", partner.url)
  await it.stage("acme", newSecret)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
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
