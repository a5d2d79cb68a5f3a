import { randomBytes } from "node:crypto"
import { createClient } from "@sitewire/cli"
import { createApiKey } from "@sitewire/console"
import { openPool, readSealingKeys, sealContexts, unseal } from "@sitewire/database"
import { openPrisma } from "@sitewire/database/prisma"
import { sign } from "@sitewire/signing"
import { freshDatabase, freshTopics, kafkaBrokers, startProcess } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { demoChannel, makeDemoChannel } from "./makeDemoChannel.ts"
import { partnerClient } from "./partner/client.ts"

test("a secret that a killed start did not write down is replaced by one that the demo partner takes", async () => {
  const { client, partner, deliver } = await startParts()
  const first = await makeDemoChannel({ client, partner }, undefined)
  expect(await deliver()).toBe(204)
  expect(await makeDemoChannel({ client, partner }, first)).toBe(first)

  // What was killed: the start that made the channel, then one in the middle of replacing the secret.
  await client.stageSecret(demoChannel)
  await partner.tellSecret(demoChannel, "of no channel")
  expect(await deliver()).toBe(401)
  const replaced = await makeDemoChannel({ client, partner }, undefined)
  expect(replaced).not.toBe(first)
  expect(await deliver()).toBe(204)
  expect((await client.readChannel(demoChannel)).other_secret).toBeNull()
})

test("a channel that was pointed at another receiver keeps its address and its secret", async () => {
  const { client, partner } = await startParts()
  await makeDemoChannel({ client, partner }, undefined)
  const own = await client.changeChannel(demoChannel, { address: "http://127.0.0.1:9/own" })
  expect(await makeDemoChannel({ client, partner }, undefined)).toBeUndefined()
  expect(await client.readChannel(demoChannel)).toEqual(own)
})

/** The console and the demo partner. `deliver` sends what the dispatcher would: signed with the channel's secret. */
async function startParts() {
  const [database, topics] = await Promise.all([freshDatabase(), freshTopics()])
  const pool = openPool({ url: database.url, size: 1, name: "demo-channel-test" })
  const keys = `test:${randomBytes(32).toString("base64")}`
  const [console, demoPartner] = await Promise.all([
    startProcess("packages/console/src/main.ts", {
      CONSOLE_PORT: "0",
      DATABASE_URL: database.url,
      KAFKA_BROKERS: kafkaBrokers().join(","),
      TOPIC_PREFIX: topics.prefix,
      SEALING_KEYS: keys,
      ALLOW_HTTP: "true",
      ALLOWED_RANGES: "127.0.0.0/8",
    }),
    startProcess("packages/local/src/partner/main.ts", { PARTNER_PORT: "0" }),
  ])
  onTestFinished(async () => {
    await Promise.all([console.end(), demoPartner.end(), pool.close()])
    await database.drop()
  })
  const { key } = await createApiKey({ prisma: openPrisma(pool), name: "test" })
  const client = createClient({ api: console.addresses.console ?? "", key })
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
    const [row] = await pool.sql<{ secret_id: string; secret_sealed: Buffer }>(
      "select secret_id, secret_sealed from channel where id = $1",
      [demoChannel],
    )
    const context = sealContexts.signingSecret(demoChannel, row?.secret_id ?? "")
    const secret = unseal(readSealingKeys(keys), context, row?.secret_sealed ?? new Uint8Array())
    const headers = { "X-Sitewire-Signature": sign(body, secret) }
    return (await fetch(partner.notificationAddress(demoChannel), { method: "POST", headers, body })).status
  }
  return { client, partner, deliver }
}
