import { hashConnectorToken, newConnectorToken, sha256 } from "@sitewire/contracts"
import { readSealingKeys, seal, sealContexts } from "@sitewire/database"
import type { Installation } from "@sitewire/testkit/installation"
import { createRandom } from "./random.ts"

const minuteMs = 60_000

const connections = [
  {
    id: "bakery-products",
    site: "bakery.example",
    source: "https://api.shopkit.example/v1/stores/4711/products",
  },
  { id: "bakery-opening-hours", site: "bakery.example", source: "https://hours.example/bakery.json" },
  { id: "florist-catalogue", site: "florist.example", source: "https://feeds.plantbase.example/catalogue" },
  {
    id: "gym-courses",
    site: "xn--fitnessstudio-mnchen-39b.example",
    source: "https://kurse.example/api/plan",
  },
  { id: "bookshop-stock", site: "bookshop.example", source: "https://stock.bookwise.example/export.json" },
]

export async function fillConnections(it: Installation, now: number): Promise<void> {
  const keys = readSealingKeys(it.sealingKeys)
  for (const { id, site, source } of connections) {
    const token = newConnectorToken()
    const sealed = seal(keys, sealContexts.connectionToken(id), token)
    const secret = seal(keys, sealContexts.connectionSecret(id), "only an example")
    await it.sql(
      `insert into connection (id, site, source, token_sha256, token_sealed, signing_secret_sealed, created_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [id, site, source, hashConnectorToken(token), sealed, secret, new Date(now - 30 * 24 * 60 * minuteMs)],
    )
    await it.sql("insert into sync_window (connection_id) values ($1) on conflict do nothing", [id])
  }
  await fillSyncs(it, now)
}

async function fillSyncs(it: Installation, now: number): Promise<void> {
  const random = createRandom(7)
  for (const { id } of connections) {
    const isBurst = id === "bakery-products"
    const fails = id === "bookshop-stock"
    let fence = 0
    let last = { at: 0, outcome: "changed", triggers: 0, first: 0 }
    for (let at = now - 24 * 60 * minuteMs; at < now - 20_000; ) {
      fence += 1
      const inBurst = isBurst && at > now - 14 * minuteMs
      const failed = fails && at > now - 45 * minuteMs
      const triggers = inBurst ? 3 + Math.floor(random() * 38) : 1 + Math.floor(random() * 3)
      const outcome = failed ? "failed" : random() < 0.7 ? "changed" : "unchanged"
      const first = at - (inBurst ? 20_000 + random() * 34_000 : 2_000 + random() * 5_000)
      await it.sql(
        `insert into sync_run (connection_id, fence, started_at, finished_at, outcome, error, status, triggers,
           first_trigger_at, last_trigger_at, bytes, content_sha256)
         values ($1, $2, $3, $4, $5::sync_outcome, $6, $7, $8, $9, $10, $11, $12)`,
        [
          id,
          fence,
          new Date(at),
          new Date(at + 200 + random() * 900),
          outcome,
          failed ? "status" : null,
          failed ? 502 : null,
          triggers,
          new Date(first),
          new Date(triggers === 1 ? first : Math.max(first, at - 1_000 - random() * 1_500)),
          failed ? null : 23_300 + Math.floor(random() * 400),
          failed ? null : sha256(`${id} ${fence}`),
        ],
      )
      last = { at, outcome, triggers, first }
      at += inBurst ? minuteMs + random() * 3_000 : minuteMs * (2 + random() * 26)
      if (isBurst && at > now - 14 * minuteMs && !inBurst) at = now - 13.8 * minuteMs
    }
    const waiting = isBurst
      ? { count: 17, first: last.at + 9_000, last: now - 4_000 }
      : { count: last.triggers, first: last.first, last: last.triggers === 1 ? last.first : last.at - 1_000 }
    const isWaiting = isBurst || fails
    await it.sql(
      `update sync_window set fence = $2, window_ends_at = $3, last_synced_at = $4, last_outcome = $5::sync_outcome,
         last_error = $6, last_success_at = $7, failing_since = $8, due_at = $9, requested = $10, first_trigger_at = $11,
         last_trigger_at = $12, last_status = $13 where connection_id = $1`,
      [
        id,
        fence,
        new Date(last.at + minuteMs),
        new Date(last.at + 700),
        last.outcome,
        fails ? "status" : null,
        new Date(fails ? now - 46 * minuteMs : last.at + 700),
        fails ? new Date(now - 44 * minuteMs) : null,
        isWaiting ? new Date(Math.max(now + 30_000, last.at + minuteMs)) : null,
        isWaiting ? waiting.count : 0,
        isWaiting ? new Date(waiting.first) : null,
        isWaiting ? new Date(waiting.last) : null,
        fails ? 502 : null,
      ],
    )
    await fillContent(it, id, fence)
  }
}

async function fillContent(it: Installation, id: string, fence: number): Promise<void> {
  const products = Array.from({ length: 180 }, (_, index) => ({
    sku: `SKU-${1_000 + index}`,
    title: index % 9 === 0 ? "خبز القمح الكامل" : `Sourdough loaf no. ${index + 1}`,
    price: `${(3 + (index % 17) * 0.35).toFixed(2)} EUR`,
    available: index % 5 !== 0,
  }))
  const content = Buffer.from(JSON.stringify({ products }, null, 2))
  await it.sql("insert into snapshot_chunk (connection_id, fence, position, data) values ($1, $2, 0, $3)", [
    id,
    fence,
    content,
  ])
  await it.sql(
    `insert into snapshot (connection_id, fence, content_sha256, content_type, bytes)
     values ($1, $2, sha256($3), 'application/json', $4)`,
    [id, fence, content, content.length],
  )
}
