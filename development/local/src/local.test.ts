import { createClient } from "@sitewire/cli"
import { createApiKey } from "@sitewire/console"
import { readSealingKeys, sealContexts, unseal } from "@sitewire/database"
import { openPrisma } from "@sitewire/database/prisma"
import { sign } from "@sitewire/signing/sender"
import { startTestInstallation } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { describeSignIn } from "./describeSignIn.ts"
import { demoChannel, makeDemoChannel } from "./makeDemoChannel.ts"
import { partnerClient } from "./partner/client.ts"

let parts: Awaited<ReturnType<typeof startParts>>
beforeAll(async () => {
  parts = await startParts()
})
afterAll(() => parts.stop())

test("if a killed start did not store the secret, the next start makes one that the demo partner accepts", async () => {
  const { client, partner, deliver } = parts
  const first = await makeDemoChannel({ client, partner }, undefined)
  expect(await deliver()).toBe(204)
  expect(await makeDemoChannel({ client, partner }, first)).toBe(first)

  // Two starts were killed: the one that made the channel, and one that was replacing the secret.
  await client.stageSecret({ id: demoChannel })
  await partner.setSecret(demoChannel, "of no channel")
  expect(await deliver()).toBe(401)
  const replaced = await makeDemoChannel({ client, partner }, undefined)
  expect(replaced).not.toBe(first)
  expect(await deliver()).toBe(204)
  expect((await client.readChannel({ id: demoChannel })).other_secret).toBeNull()
})

test("a channel whose address is another receiver is left unchanged", async () => {
  const { client, partner } = parts
  await makeDemoChannel({ client, partner }, undefined)
  const own = await client.changeChannel({ id: demoChannel, body: { address: "http://127.0.0.1:9999/own" } })
  expect(await makeDemoChannel({ client, partner }, undefined)).toBeUndefined()
  expect(await client.readChannel({ id: demoChannel })).toEqual(own)
})

test("a terminal shows a link that signs in, and a file gets none", async () => {
  const { api, client } = parts
  expect(await describeSignIn(client, { isTerminal: false })).not.toContain("http")
  const wrong = createClient({ api, key: `swk_${"A".repeat(43)}` })
  expect(await describeSignIn(wrong, { isTerminal: true })).not.toContain("http")
  const text = await describeSignIn(client, { isTerminal: true })
  const [, link] = new RegExp(`${api}/sign-in#link=(swl_[\\w-]{49})\\n`).exec(text) ?? []
  const response = await fetch(`${api}/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ link }),
  })
  expect(response.status).toBe(200)
})

/** The console and the demo partner. `deliver` sends a request that is signed like the dispatcher's. */
async function startParts() {
  const it = await startTestInstallation()
  const [console, demoPartner] = await Promise.all([
    it.start("console", { LOG_LEVEL: "trace" }),
    it.startFile("development/local/src/partner/main.ts", { PARTNER_PORT: "0" }),
  ])
  const { key } = await createApiKey({ prisma: openPrisma(it.pool), name: "test", scopes: ["operate"] })
  const api = console.addresses.console ?? ""
  const client = createClient({ api, key })
  const partner = partnerClient(demoPartner.addresses.partner ?? "")
  const body = JSON.stringify({
    event: "site.ready",
    channel: demoChannel,
    reference: "r",
    site_url: "https://shop.example/",
    console_url: "https://console.example/",
    name: "Shop",
    email: "owner@shop.example",
    created_at: "2030-01-02T03:04:05+00:00",
  })
  async function deliver(): Promise<number> {
    const [row] = await it.sql<{ secret_id: string; secret_sealed: Buffer }>(
      "select secret_id, secret_sealed from channel where id = $1",
      [demoChannel],
    )
    const context = sealContexts.signingSecret(demoChannel, row?.secret_id ?? "")
    const secret = unseal(readSealingKeys(it.sealingKeys), context, row?.secret_sealed ?? new Uint8Array())
    const headers = { "X-Sitewire-Signature": sign(body, secret) }
    return (await fetch(partner.notificationAddress(demoChannel), { method: "POST", headers, body })).status
  }
  return { api, client, partner, deliver, stop: () => it.stop("SIGTERM") }
}
