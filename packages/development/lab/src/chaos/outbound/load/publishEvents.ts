import { createHash, randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { type SitePaid, siteReadyBody } from "@sitewire/contracts"
import type { Random } from "../../random.ts"
import { retryForTwoMinutes } from "../../retryForTwoMinutes.ts"
import type { ChaosInstallation } from "../../startChaosInstallation.ts"
import { pickChannel } from "../channels.ts"
import type { PublishedEvent } from "../evidence/evidence.ts"

/** Retries each batch for up to two minutes. */
export async function publishEvents(settings: {
  it: Pick<ChaosInstallation, "names" | "publish">
  perSecond: number
  random: Random
  isOver: () => boolean
  atMost: number
  published: PublishedEvent[]
}): Promise<void> {
  const { it, perSecond, random, isOver, atMost, published } = settings
  const startedAt = Date.now()
  while (!isOver() && published.length < atMost) {
    const due = Math.min(atMost, Math.ceil((perSecond * (Date.now() - startedAt)) / 1_000))
    const length = Math.min(200, due - published.length)
    const batch = Array.from({ length }, () => makeEvent(pickChannel(random)))
    const records = batch.map((paid) => ({
      topic: it.names.sitePaid,
      key: paid.id,
      value: JSON.stringify(paid),
    }))
    if (batch.length > 0) await retryForTwoMinutes(() => it.publish(records))
    published.push(
      ...batch.map((paid) => ({
        event: paid.id,
        channel: paid.channel,
        sha256: createHash("sha256").update(siteReadyBody(paid)).digest("hex"),
      })),
    )
    await sleep(100)
  }
}

function makeEvent(channel: string): SitePaid {
  const id = randomUUID()
  return {
    id,
    channel,
    reference: id,
    site_url: `https://${id}.sites.example`,
    console_url: `https://console.sites.example/${id}`,
    name: "A shop in the storm",
    email: "owner@customer.example",
    created_at: "2030-01-02T03:04:05+00:00",
  }
}
