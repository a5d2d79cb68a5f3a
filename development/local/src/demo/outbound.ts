import { randomBytes, randomUUID } from "node:crypto"
import type { Client, LocalStack } from "@sitewire/cli"
import { parseDuration, type SitePaid } from "@sitewire/contracts"
import { startInstallation } from "@sitewire/testkit/installation"
import type { PartnerClient } from "../partner/client.ts"
import { readSecrets } from "../state.ts"
import type { Story } from "./story.ts"

export type Cast = { local: LocalStack; client: Client; partner: PartnerClient; story: Story }

/**
 * Demonstrates a channel: a paid site becomes a signed delivery, and another delivery fails twice and arrives
 * on a retry.
 */
export async function demonstrateOutbound({ local, client, partner, story }: Cast): Promise<void> {
  const channel = `demo-${randomBytes(3).toString("hex")}`
  story.step("A partner's channel is added")
  const created = await client.createChannel({
    body: { id: channel, address: partner.notificationAddress(channel) },
  })
  await partner.setSecret(channel, created.signing_secret)
  story.result(`channel ${channel}, notification address ${created.address}`)
  story.result("the API returned the signing secret once, and the partner stored it")

  story.step("site.paid is published to Kafka, the partner receives site.ready")
  const retries = await prepareShortRetries(local, ["2s", "4s"])
  const publish = async (topic: string) => {
    const event = siteOf(channel)
    await retries.publish([{ topic, key: event.id, value: JSON.stringify(event) }])
  }
  try {
    const publishedAt = Date.now()
    await publish(`${local.topicPrefix ?? ""}site.paid`)
    story.result("Kafka acknowledged site.paid")
    const first = await story.until("the delivery", 20_000, async () => (await partner.received(channel))[0])
    story.result(`the partner got it after ${Date.parse(first.at) - publishedAt} ms:`)
    for (const [field, value] of Object.entries(JSON.parse(first.body)))
      story.result(`    ${field}: ${value}`)
    story.result(`    X-Sitewire-Signature: ${first.signature.slice(0, 22)}…`)
    story.check(first.verdict === "valid", "the partner verified the signature over the raw bytes")
    await story.until("the record of the delivery", 10_000, async () => {
      const { data } = await client.listDeliveries({ channel, state: "delivered" })
      return data.length === 1 ? data : undefined
    })
    story.check(true, "the delivery is recorded as delivered")

    story.step("A delivery that fails twice arrives on a retry")
    story.result("for this step a second dispatcher runs with delays of 2 s and 4 s instead of 1 m and 5 m")
    await retries.start("dispatcher")
    await partner.failNext(channel, 2)
    await publish(retries.names.sitePaid)
    const attempts = await story.until("the third attempt", 30_000, async () => {
      const requests = (await partner.received(channel)).slice(1)
      return requests.length >= 3 ? requests : undefined
    })
    for (const { at, attempt, status, verdict } of attempts)
      story.result(`    attempt ${attempt} at ${at.slice(11, 23)}: signature ${verdict}, response ${status}`)
    const times = attempts.map(({ at }) => Date.parse(at))
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time))
    const waits = gaps.map((gap) => `${(gap / 1000).toFixed(2)} s`).join(", ")
    story.result(`    waits between the attempts: ${waits}`)
    const statuses = attempts.map(({ status }) => status).join()
    story.check(statuses === "500,500,204", "two attempts failed, and the third succeeded")
    story.check((gaps[0] ?? 0) >= 1_990 && (gaps[1] ?? 0) >= 3_990, "no attempt came before its due time")
    const ids = new Set(attempts.map(({ delivery, body }) => `${delivery} ${body}`))
    story.check(ids.size === 1, "every attempt had the same delivery id and the same bytes")
  } finally {
    await retries.stop("SIGTERM", 30_000)
  }
}

function siteOf(channel: string): SitePaid {
  const name = `shop-${randomBytes(2).toString("hex")}`
  return {
    id: randomUUID(),
    channel,
    reference: "customer-4711",
    site_url: `https://${name}.example`,
    console_url: `https://console.example/${name}`,
    name: "Café Zürich",
    email: "owner@example.org",
    created_at: new Date().toISOString(),
  }
}

/**
 * Another installation on the same Postgres and Kafka, for a dispatcher with short retry delays. It has its own topic
 * prefix, because retry topics are named after their delays, and the running dispatcher cannot use others.
 */
async function prepareShortRetries(local: LocalStack, delays: string[]) {
  const { sealingKeys } = await readSecrets()
  return startInstallation({
    backing: {
      databaseUrl: local.database,
      brokers: local.kafka.split(","),
      topicPrefix: `${local.topicPrefix ?? ""}demo.`,
      replication: 1,
      stop: async () => {},
    },
    retryDelaysMs: delays.map(parseDuration),
    sealingKeys,
  })
}
