import { randomBytes, randomUUID } from "node:crypto"
import type { Client, LocalStack } from "@sitewire/cli"
import type { SitePaid } from "@sitewire/contracts"
import { connectKafka, startProducer } from "@sitewire/kafka"
import { createLogger } from "@sitewire/runtime"
import type { PartnerClient } from "../partner/client.ts"
import { startShortRetries } from "./shortRetries.ts"
import type { Story } from "./story.ts"

export type Cast = { local: LocalStack; client: Client; partner: PartnerClient; story: Story }

/**
 * Demonstrates a channel: a paid site becomes a signed delivery, and another delivery fails twice and arrives
 * on a retry.
 */
export async function demonstrateOutbound({ local, client, partner, story }: Cast): Promise<void> {
  const channel = `demo-${randomBytes(3).toString("hex")}`
  story.step("A partner's channel is added")
  const created = await client.createChannel({ id: channel, address: partner.notificationAddress(channel) })
  await partner.setSecret(channel, created.signing_secret)
  story.result(`channel ${channel}, notification address ${created.address}`)
  story.result("the API returned the signing secret once, and the partner stored it")

  story.step("site.paid is published to Kafka, the partner receives site.ready")
  const prefix = local.topicPrefix ?? ""
  const publishedAt = Date.now()
  await publish(local, `${prefix}site.paid`, siteOf(channel))
  story.result("Kafka acknowledged site.paid")
  const first = await story.until("the delivery", 20_000, async () => (await partner.received(channel))[0])
  story.result(`the partner got it after ${Date.parse(first.at) - publishedAt} ms:`)
  for (const [field, value] of Object.entries(JSON.parse(first.body))) story.result(`    ${field}: ${value}`)
  story.result(`    X-Sitewire-Signature: ${first.signature.slice(0, 22)}…`)
  story.check(first.verdict === "valid", "the partner verified the signature over the raw bytes")
  await story.until("the record of the delivery", 10_000, async () => {
    const { data } = await client.listDeliveries({ channel, state: "delivered" })
    return data.length === 1 ? data : undefined
  })
  story.check(true, "the delivery is recorded as delivered")

  story.step("A delivery that fails twice arrives on a retry")
  story.result("for this step a second dispatcher runs with delays of 2 s and 4 s instead of 1 m and 5 m")
  const retries = await startShortRetries(local, ["2s", "4s"])
  try {
    await partner.failNext(channel, 2)
    await publish(local, retries.sitePaidTopic, siteOf(channel))
    const attempts = await story.until("the third attempt", 30_000, async () => {
      const requests = (await partner.received(channel)).slice(1)
      return requests.length >= 3 ? requests : undefined
    })
    for (const { at, attempt, status, verdict } of attempts) {
      story.result(`    attempt ${attempt} at ${at.slice(11, 23)}: signature ${verdict}, response ${status}`)
    }
    const gaps = attempts
      .slice(1)
      .map(({ at }, index) => Date.parse(at) - Date.parse(attempts[index]?.at ?? at))
    story.result(
      `    waits between the attempts: ${gaps.map((gap) => `${(gap / 1000).toFixed(2)} s`).join(", ")}`,
    )
    story.check(
      attempts.map(({ status }) => status).join() === "500,500,204",
      "two attempts failed, and the third succeeded",
    )
    story.check((gaps[0] ?? 0) >= 1_990 && (gaps[1] ?? 0) >= 3_990, "no attempt came before its due time")
    const ids = new Set(attempts.map(({ delivery, body }) => `${delivery} ${body}`))
    story.check(ids.size === 1, "every attempt had the same delivery id and the same bytes")
  } finally {
    await retries.stop()
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

async function publish(local: LocalStack, topic: string, event: SitePaid): Promise<void> {
  const log = createLogger({ service: "demo", level: "error" })
  const kafka = connectKafka({ brokers: local.kafka.split(","), clientId: "demo", log })
  const producer = await startProducer({ kafka })
  try {
    await producer.publish([{ topic, key: event.id, value: JSON.stringify(event) }])
  } finally {
    await producer.close(5_000)
  }
}
